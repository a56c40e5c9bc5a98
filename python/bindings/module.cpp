// SPDX-License-Identifier: BSD-3-Clause
// The extension tessera_fem._tessera: Kokkos' life, errors, and what the other sources bind.
#include "module.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/version.hpp>

#include <string>

namespace tessera::python {

namespace {

/// Initializes Kokkos unless the process has done so, and finalizes it where the interpreter ends.
void initialize_kokkos() {
  if (Kokkos::is_finalized())
    throw Error("Kokkos has been finalized in this process, and cannot be initialized again");
  if (Kokkos::is_initialized()) return; // another module's, whose it stays
  Kokkos::initialize();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
  }));
}

} // namespace

void bind_errors(nb::module_& extension) {
  const nb::exception<Error> error(extension, "Error", PyExc_RuntimeError);
  const nb::exception<ArgumentError> argument(extension, "ArgumentError",
                                              nb::make_tuple(error, nb::handle(PyExc_ValueError)));
  const nb::exception<MeshError> mesh(extension, "MeshError", error);
  const nb::exception<FormError> form(extension, "FormError", error);
  const nb::exception<UnsupportedError> unsupported(extension, "UnsupportedError", error);
  const nb::exception<SolverError> solver(extension, "SolverError", error);
  const nb::exception<OutOfMemoryError> memory(extension, "OutOfMemoryError",
                                               nb::make_tuple(error, nb::handle(PyExc_MemoryError)));
  const nb::exception<FileError> file(extension, "FileError", error);
}

} // namespace tessera::python

NB_MODULE(_tessera, extension) {
  namespace python = tessera::python;
  // Objects that other modules' globals hold to the end are freed by the end of the process.
  nanobind::set_leak_warnings(false);
  python::bind_errors(extension);
  python::initialize_kokkos();
  extension.attr("backend") = tessera::backend_name<python::Exec>();
  extension.attr("on_host") = tessera::runs_on_host<python::Exec>;
  python::bind_devices(extension);
  python::bind_problems(extension);
  python::bind_pictures(extension);
  python::bind_solvers(extension);
}

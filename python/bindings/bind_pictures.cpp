// SPDX-License-Identifier: BSD-3-Clause
// Pictures for Python, VTK's: a library without it has none.
#include "module.hpp"
#include "problem.hpp"

namespace tessera::python {

#ifdef TESSERA_HAVE_VTK
namespace {

using io::DrawnSet;
using io::MeshArrays;
using io::PictureOptions;

PictureOptions look(int width, int height, const std::string& title, bool back, bool cut) {
  return {.width = width, .height = height, .title = title, .back = back, .cut = cut};
}

void draw_mesh(const AnyMesh& mesh, const std::string& path, const PictureOptions& options) {
  mesh.show([&](std::span<const MeshArrays> arrays, const std::vector<DrawnSet>& sets) {
    io::draw_mesh(path, arrays, sets, options);
  });
}

void draw_numbers(const AnyMesh& mesh, const std::string& path, const PictureOptions& options,
                  const std::string& what, const HostArray<Ordinal, 1>& numbers) {
  mesh.show([&](std::span<const MeshArrays> arrays, const std::vector<DrawnSet>&) {
    io::draw_numbers(path, arrays, what, {numbers.data(), numbers.size()}, options);
  });
}

void draw_solution(const AnyMesh& mesh, const std::string& path, const PictureOptions& options,
                   const std::string& name, const std::string& unit, const HostArray<double, 1>& values) {
  mesh.show([&](std::span<const MeshArrays> arrays, const std::vector<DrawnSet>&) {
    io::draw_solution(path, arrays, {name, to_vector(values)}, unit, options);
  });
}

} // namespace

void bind_pictures(nb::module_& extension) {
  extension.attr("have_pictures") = true;
  nb::class_<PictureOptions>(extension, "PictureOptions");
  extension.def("picture_options", look);
  extension.def("draw_mesh", draw_mesh);
  extension.def("draw_numbers", draw_numbers);
  extension.def("draw_solution", draw_solution);
}
#else
void bind_pictures(nb::module_& extension) { extension.attr("have_pictures") = false; }
#endif

} // namespace tessera::python

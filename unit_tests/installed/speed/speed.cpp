// SPDX-License-Identifier: BSD-3-Clause
// Prints nanoseconds of processor time for an element: by the catalogue's ElementAtomic, and by the program's
// own where it has one.

#include "speed.hpp"

#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

void (*assemble_by_own)(const Space&, const Triangles&, const System&) = nullptr;

int main() {
  // One thread: the system counts the processor time of the others by its ticks, which are longer than a run.
  const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_num_threads(1));
  const Space exec;
  const auto mesh = tessera::io::box_mesh<tessera::Tri<1>>(exec, {.cells = {40, 40}});
  const Triangles space(mesh, 2);
  const System system(exec, space);
  const auto catalogue = tessera::make_assembly(exec, "ElementAtomic", space, system.graph());
  report("catalogue", *catalogue, space, system);
  if (assemble_by_own) assemble_by_own(exec, space, system);
}

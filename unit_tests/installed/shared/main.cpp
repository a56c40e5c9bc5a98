// SPDX-License-Identifier: BSD-3-Clause
// Takes something of each shared library.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/solvers/free_motions.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

int main(int argc, char** argv) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const auto mesh = tessera::io::box_mesh<tessera::Tet<1>, Space>({{4, 4, 1}, {1.0, 1.0, 1.0}});
  tessera::FunctionSpace<tessera::Tet<1>, Space> space(mesh, 1);
  const tessera::LinearSystem<double, Space> system(space);
  tessera::make_assembly("ElementAtomic", space, system.graph())->assemble(tessera::Helmholtz<>{}, system);
  const auto free = tessera::solvers::free_motions(space, tessera::solvers::Unseen::constants);
  tessera::io::write_file("shared.txt", "written\n");
  return free.count() == 1 && system.values().extent(0) == 436 ? 0 : 1;
}

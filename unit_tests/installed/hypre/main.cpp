// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

namespace {

bool solve() {
  using Space = Kokkos::DefaultExecutionSpace;
  namespace distributed = tessera::distributed;
  const auto mesh = distributed::box_mesh<tessera::Hex<1>>(MPI_COMM_WORLD, {{8, 8, 8}, {1.0, 1.0, 1.0}});
  const tessera::FunctionSpace<tessera::Hex<1>, Space> space(mesh.local(), 1);
  const distributed::HypreSystem<Space> system(mesh, space);
  auto plan = tessera::assembly::ElementAtomic().plan(Space(), space, system.local().graph());
  plan.assemble(tessera::Helmholtz{.sigma = 1.0, .lambda = 300.0, .source = 1.0}, system.local());
  system.refill();
  const auto x = system.make_vector();
  return distributed::hypre_cg(distributed::BoomerAmg<Space>(system, mesh), x).converged;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    status = solve() ? 0 : 1;
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return status;
}

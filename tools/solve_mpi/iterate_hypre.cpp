// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/hypre/cg.hpp>

#include "solve_mpi/iterate.hpp"

namespace tessera::tools {

namespace {

using System = distributed::HypreSystem<Space>;
using Vector = System::Vector;

struct Work {
  Vector x, load;
  KOKKOS_FUNCTION void operator()(Ordinal i, double& sum) const { sum += 0.5 * x(i) * load(i); }
};

/// Half the load's work on all ranks.
double energy(const System& system, const Vector& x) {
  double sum = 0;
  Kokkos::parallel_reduce("solve_mpi::energy", Kokkos::RangePolicy<Space>(0, system.equations().owned),
                          Work{x, system.local().rhs()}, sum);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system.ranks().own());
  return sum;
}

} // namespace

template <class Cells>
RankSolution solve_by_hypre(const SolveOptions& options, const distributed::Mesh<Cells, Space>& mesh,
                            const distributed::SpaceOn<Cells, Space>& space, const AssembleRows& assemble,
                            Phases& phases) {
  phases.begin("system");
  const System system(mesh, space);
  distributed::agree(mesh.ranks(), [&] { assemble(system.local()); });
  phases.begin("preconditioner", "preconditioner hypre");
  system.refill();
  const distributed::BoomerAmg<Space> amg(system, mesh);
  phases.begin("solution");
  const auto x = system.make_vector();
  const auto result = distributed::hypre_cg(
      amg, x, {.relative_tolerance = options.tolerance, .max_iterations = options.max_iterations});
  const auto entries = owned_entries(system.ranks(), system.local().graph(), system.equations().owned);
  RankSolution solution{.unknowns = system.equations().total,
                        .nonzeros = entries,
                        .converged = result.converged,
                        .reason = result.reason,
                        .iterations = result.iterations,
                        .relative_residual = result.relative_residual,
                        .energy = energy(system, x),
                        .values = distributed::expand(Space(), mesh, space, x)};
  phases.end();
  return solution;
}

#define TESSERA_INSTANTIATE(Cells)                                                                           \
  template RankSolution solve_by_hypre(const SolveOptions&, const distributed::Mesh<Cells, Space>&,          \
                                       const distributed::SpaceOn<Cells, Space>&, const AssembleRows&,       \
                                       Phases&);
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_INSTANTIATE)
TESSERA_FOR_EACH_MIXED(TESSERA_INSTANTIATE)

} // namespace tessera::tools

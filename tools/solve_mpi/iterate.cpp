// SPDX-License-Identifier: BSD-3-Clause
#include "solve_mpi/iterate.hpp"

#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>

namespace tessera::tools {

namespace {

using Types = distributed::TpetraTypes<Space>;
using System = distributed::TpetraSystem<Space>;

template <class Cells>
Teuchos::RCP<Types::Operator> preconditioner(const std::string& name, const System& system,
                                             const distributed::Mesh<Cells, Space>& mesh) {
  if (name == "multigrid") return Teuchos::rcp(new distributed::TpetraMultigrid<Space>(system, mesh));
  if (name == "muelu") return distributed::muelu(system, mesh);
  return Teuchos::null;
}

/// Conjugate gradients from zero, and the residual that they leave.
template <class Cells>
void iterate(const SolveOptions& options, const System& system, const distributed::Mesh<Cells, Space>& mesh,
             const distributed::TpetraVector<Space>& x, RankSolution& solution, Phases& phases) {
  const double load = system.rhs()->norm2();
  if (load == 0) {
    solution.reason = solvers::StopReason::relative_tolerance;
    solution.converged = true;
    return;
  }
  phases.begin("preconditioner", "preconditioner " + options.solver);
  const auto m = preconditioner(options.solver, system, mesh);
  phases.begin("solution");
  const auto result = distributed::belos_cg<Space>(
      system.matrix(), system.rhs(), x.owned, m,
      {.relative_tolerance = options.tolerance, .max_iterations = options.max_iterations});
  solution.reason = result.reason;
  solution.converged = result.converged;
  solution.iterations = result.iterations;
  solution.relative_residual = result.relative_residual;
  solution.energy = 0.5 * x.owned->dot(*system.rhs());
}

} // namespace

std::vector<std::string> rank_solvers() {
#ifdef TESSERA_HAVE_HYPRE
  return {"multigrid", "muelu", "hypre", "none"};
#else
  return {"multigrid", "muelu", "none"};
#endif
}

std::int64_t owned_entries(const distributed::Communicator& ranks, const SparsityGraph<Space>& graph,
                           Ordinal owned) {
  Offset entries = 0;
  if (owned > 0) Kokkos::deep_copy(entries, Kokkos::subview(graph.row_map, to_size(owned)));
  auto all = static_cast<std::int64_t>(entries);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, ranks.own());
  return all;
}

template <class Cells>
RankSolution solve_on_ranks(const SolveOptions& options, const distributed::Mesh<Cells, Space>& mesh,
                            const distributed::SpaceOn<Cells, Space>& space, const AssembleRows& assemble,
                            Phases& phases) {
#ifdef TESSERA_HAVE_HYPRE
  if (options.solver == "hypre") return solve_by_hypre(options, mesh, space, assemble, phases);
#endif
  phases.begin("system");
  const System system(mesh, space);
  distributed::agree(mesh.ranks(), [&] { assemble(system.local()); });
  RankSolution solution{.unknowns = system.equations().total,
                        .nonzeros =
                            owned_entries(system.ranks(), system.local().graph(), system.equations().owned)};
  const auto x = system.make_vector();
  iterate(options, system, mesh, x, solution, phases);
  solution.values = distributed::expand(Space(), mesh, space, x);
  phases.end();
  return solution;
}

#define TESSERA_INSTANTIATE(Cells)                                                                           \
  template RankSolution solve_on_ranks(const SolveOptions&, const distributed::Mesh<Cells, Space>&,          \
                                       const distributed::SpaceOn<Cells, Space>&, const AssembleRows&,       \
                                       Phases&);
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_INSTANTIATE)
TESSERA_FOR_EACH_MIXED(TESSERA_INSTANTIATE)

} // namespace tessera::tools

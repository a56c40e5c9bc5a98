// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly and iteration over all ranks. Their sources alone include Trilinos and hypre.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <Kokkos_Core.hpp>

#include "support/options/solve_options.hpp"
#include "support/problem/problem.hpp"
#include "support/ranks/phases.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::tools {

using Space = Kokkos::DefaultExecutionSpace;

/// X(Cells) for each of MixedElements.
#define TESSERA_FOR_EACH_MIXED(X) X(Mixed<0>) X(Mixed<1>) X(Mixed<2>) X(Mixed<3>) X(Mixed<4>) X(Mixed<5>)
template <std::size_t number>
using Mixed = std::tuple_element_t<number, MixedElements>;
static_assert(std::tuple_size_v<MixedElements> == 6);

/// Names of the preconditioners of conjugate gradients, hypre among them where it is.
std::vector<std::string> rank_solvers();

/// What came out, the same on all ranks but for the values.
struct RankSolution {
  std::int64_t unknowns = 0, nonzeros = 0;
  bool converged = false;
  solvers::StopReason reason = solvers::StopReason::max_iterations;
  int iterations = 0;
  double relative_residual = 0;          ///< |b - Ax| / |b|
  double energy = 0;                     ///< half the load's work, 1/2 f.x
  Kokkos::View<double*, Space> values{}; ///< node * components + component, of all local nodes
};

/// Collective: entries of owned rows, of all ranks.
std::int64_t owned_entries(const distributed::Communicator& ranks, const SparsityGraph<Space>& graph,
                           Ordinal owned);

/// Assembles a rank's rows.
using AssembleRows = std::function<void(const LinearSystem<double, Space>&)>;

/// Collective. `assemble` may fail on one rank: all throw then.
/// \throws as TpetraSystem, TpetraMultigrid, muelu and Belos, or as `solve_by_hypre`
template <class Cells>
RankSolution solve_on_ranks(const SolveOptions& options, const distributed::Mesh<Cells, Space>& mesh,
                            const distributed::SpaceOn<Cells, Space>& space, const AssembleRows& assemble,
                            Phases& phases);

#ifdef TESSERA_HAVE_HYPRE
/// The same by hypre's conjugate gradients with BoomerAMG.
/// \throws as HypreSystem, BoomerAmg and hypre_cg
template <class Cells>
RankSolution solve_by_hypre(const SolveOptions& options, const distributed::Mesh<Cells, Space>& mesh,
                            const distributed::SpaceOn<Cells, Space>& space, const AssembleRows& assemble,
                            Phases& phases);
#endif

} // namespace tessera::tools

#pragma once

/// \file
/// How nodes are gathered where the user leaves it open.

#include <tessera/solvers/multigrid/detail/strength.hpp>
#include <tessera/solvers/multigrid/detail/weighted_graph.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace tessera::solvers::multigrid {

/// How a hierarchy's nodes are gathered.
struct ChosenAggregation {
  Aggregation kind = Aggregation::automatic;
  int run_length = 0;
};

/// Runs serve even couplings. Solids and other systems whose nodes are strongly coupled along one direction
/// alone, to two neighbours that is, are aggregated by matched pairs; single unknowns that are strongly
/// coupled along fewer directions than the space has, to fewer than 2 d − 1 neighbours in d dimensions, along
/// these, as all are where diagonal entries jump between neighbours. Among slivers runs are shorter.
///
/// \param scale      1/√d_i by rows.
/// \param single     whether there is one near-null vector.
/// \param dimension  of the coordinates, 0 if there are none.
template <class ExecutionSpace>
ChosenAggregation choose_aggregation(const ExecutionSpace& exec, const MultigridOptions& options,
                                     const Matrix<ExecutionSpace>& matrix,
                                     const Floats<ExecutionSpace>& scale, bool single, int dimension) {
  if (options.aggregation != Aggregation::automatic) return {options.aggregation, options.run_length};
  constexpr double one_direction = 2.4;
  const ChosenAggregation sets{Aggregation::independent_sets, options.run_length};
  if (dimension == 0) return sets;
  if (!single && average_strong_neighbors(exec, weighted_graph(exec, matrix)) < one_direction)
    return {Aggregation::matched_pairs, options.run_length};
  const auto found = coupling_properties(exec, node_graph(exec, matrix, options.strength), scale);
  const bool slivers = found.share_of_slivers > 0.08; // a generator that removes them leaves 0.03
  const double few = slivers ? 0.03 : 1e-4;           // nodes near slivers look like jumps
  if (found.strong_neighbors < 2 * dimension - 1 || found.share_of_jumps >= few) return sets;
  return {Aggregation::runs, slivers ? std::max(2, 3 * options.run_length / 4) : options.run_length};
}

} // namespace tessera::solvers::multigrid

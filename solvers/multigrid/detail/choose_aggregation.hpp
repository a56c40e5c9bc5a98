#pragma once

/// \file
/// Which aggregates a matrix wants.

#include <tessera/solvers/multigrid/detail/strength.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace tessera::solvers::multigrid {

struct ChosenAggregation {
  Aggregation kind = Aggregation::automatic;
  int run_length = 0;
};

/// Runs serve even couplings. Along strong couplings only, where these lie in fewer directions than the
/// space has (an average of fewer than 2 d − 1 strong neighbours in d dimensions), or where diagonal
/// entries jump between neighbours. Among slivers runs are shorter.
/// \param scale      1/√d_i by rows of the finest level.
/// \param dimension  of the nodes' coordinates; 0 if they are not known.
template <class ExecutionSpace>
ChosenAggregation choose_aggregation(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& finest,
                                     const Floats<ExecutionSpace>& scale, const MultigridOptions& options,
                                     int dimension) {
  ChosenAggregation chosen{options.aggregation, options.run_length};
  if (chosen.kind != Aggregation::automatic) return chosen;
  chosen.kind = Aggregation::independent_sets;
  if (dimension == 0) return chosen;
  const auto found = coupling_properties(exec, node_graph(exec, finest, options.strength), scale);
  const bool slivers = found.share_of_slivers > 0.08; // a generator that removes them leaves 0.03
  const double few = slivers ? 0.03 : 1e-4;           // nodes near slivers look like jumps
  if (found.strong_neighbors < 2 * dimension - 1 || found.share_of_jumps >= few) return chosen;
  chosen.kind = Aggregation::runs;
  if (slivers) chosen.run_length = std::max(2, 3 * chosen.run_length / 4);
  return chosen;
}

} // namespace tessera::solvers::multigrid

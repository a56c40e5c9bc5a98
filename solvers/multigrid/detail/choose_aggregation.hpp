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
  double strength = 0;  // share of the strongest coupling below which one is weak
  bool by_sign = false; // whether positive entries are no couplings
};

/// Runs serve even couplings. Where nodes are strongly coupled along one direction alone, to two neighbours
/// that is, systems are aggregated by matched pairs and single unknowns along that direction only. Single
/// unknowns that are strongly coupled along fewer directions than the space has, to fewer than 2 d − 1
/// neighbours in d dimensions, are aggregated along these, as all are where diagonal entries jump between
/// neighbours. Among slivers runs are shorter.
///
/// \param scale      1/√d_i by rows.
/// \param single     whether there is one near-null vector.
/// \param dimension  of the coordinates, 0 if there are none.
template <class ExecutionSpace>
ChosenAggregation choose_aggregation(const ExecutionSpace& exec, const MultigridOptions& options,
                                     const Matrix<ExecutionSpace>& matrix,
                                     const Floats<ExecutionSpace>& scale, bool single, int dimension) {
  constexpr double one_direction = 2.4; // neighbours
  constexpr double strict = 0.4; // bricks couple nodes on the diagonals of their long faces by 0.36 at most
  ChosenAggregation chosen{options.aggregation, options.run_length, options.strength, false};
  if (chosen.kind != Aggregation::automatic) return chosen;
  chosen.kind = Aggregation::independent_sets;
  if (dimension == 0) return chosen;
  if (average_strong_neighbors(exec, matrix) < one_direction) {
    if (!single) chosen.kind = Aggregation::matched_pairs;
    chosen.strength = std::max(chosen.strength, single ? strict : 0.0);
    chosen.by_sign = single;
    return chosen;
  }
  const auto found = coupling_properties(exec, node_graph(exec, matrix, options.strength, false), scale);
  const bool slivers = found.share_of_slivers > 0.08; // a generator that removes them leaves 0.03
  const double few = slivers ? 0.03 : 1e-4;           // nodes near slivers look like jumps
  if (found.strong_neighbors < 2 * dimension - 1 || found.share_of_jumps >= few) return chosen;
  chosen.kind = Aggregation::runs;
  if (slivers) chosen.run_length = std::max(2, 3 * options.run_length / 4);
  return chosen;
}

} // namespace tessera::solvers::multigrid

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How nodes are gathered into aggregates.

#include <tessera/solvers/multigrid/detail/aggregation/conductivity.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/independent_sets.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/matched_pairs.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/row_points.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/strength.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/weighted_graph.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/transfer/filter.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace tessera::solvers::multigrid::detail {

/// How a hierarchy's nodes are gathered.
struct ChosenAggregation {
  Aggregation kind = Aggregation::automatic;
  int run_length = 0;
  double strength = 0;  // share of the strongest coupling below which one is weak
  bool by_sign = false; // whether positive entries are no couplings
};

/// Runs serve single unknowns with even couplings in bodies that the curve through the nodes does not leave,
/// where no row is long.
/// Along strong couplings aggregates are built where these lie in fewer directions than the space has (an
/// average of fewer than 2 d − 1 strong neighbours in d dimensions) and where diagonal entries jump between
/// neighbours or change by as much within runs. By the couplings' signs, for entries across a good direction
/// are positive and large, they are built where the matrix conducts unevenly, where signs alone tell that
/// nodes are coupled along one direction, to two neighbours that is, where the others of a row's entries
/// outweigh the diagonal nearly everywhere (cells that are stretched or skewed), and in slender bodies. Where
/// they do so here and there, among slivers, runs are shorter. Systems are aggregated around independent
/// sets, for rigid motions of runs that hold parts of different stiffness or shape are poorly coupled, and by
/// matched pairs where nodes are coupled along one direction.
///
/// \param scale   1/√d_i by rows.
/// \param constant_near_null  whether the near-null space is the constant vector.
template <class ExecutionSpace>
ChosenAggregation choose_aggregation(const Workspace<ExecutionSpace>& work, const MultigridOptions& options,
                                     const Matrix<ExecutionSpace>& matrix,
                                     const Floats<ExecutionSpace>& scale, bool constant_near_null,
                                     const RowPoints<ExecutionSpace>& points) {
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const int dimension = points.dimension();
  const int run_length = options.run_length.value_or(tuning::usual_run_length(dimension));
  ChosenAggregation chosen{
      .kind = options.aggregation, .run_length = run_length, .strength = options.strength, .by_sign = false};
  if (chosen.kind != Aggregation::automatic) return chosen;
  chosen.kind = Aggregation::independent_sets;
  if (dimension == 0 || has_long_rows(matrix.graph)) return chosen;
  const auto by_signs = [&] {
    chosen.strength = std::max(chosen.strength, tuning::least_strength_by_sign);
    chosen.by_sign = true;
    return chosen;
  };
  const bool flat = average_strong_neighbors(work.exec, matrix) < tuning::one_direction;
  if (!constant_near_null) {
    if (flat) chosen.kind = Aggregation::matched_pairs;
    return chosen;
  }
  if (conducts_unevenly(work, matrix, points)) return by_signs();
  const auto found =
      coupling_properties(work.exec, strength_graph(work, matrix, options.strength, false), scale);
  const bool slivers = found.share_of_slivers > tuning::has_slivers;
  const bool stretched = found.share_of_slivers > tuning::is_stretched;
  const bool jumps = found.share_of_jumps >= tuning::many_jumps(slivers);
  if (found.strong_neighbors < 2 * dimension - 1 || jumps) return chosen;
  const auto runs = run_properties(work.exec, matrix, points, scale, run_length);
  if (flat || stretched || runs.leaps > tuning::slender) return by_signs();
  if (!slivers && runs.uneven > tuning::varied) return chosen;
  chosen.kind = Aggregation::runs;
  if (slivers) chosen.run_length = tuning::run_length_among_slivers(run_length);
  return chosen;
}

/// Whether matched pairs gather enough nodes. On coarse levels of solids few couplings are negative.
template <class ExecutionSpace>
bool gather_enough(const Aggregates<ExecutionSpace>& pairs) {
  return pairs.count <= pairs.nodes / tuning::least_matched;
}

/// Aggregates of a level, named there; those of single unknowns along strong couplings come with the matrix
/// that smooths the prolongator. On the finest level of solids, whose aggregates have more unknowns than
/// nodes have, sets that leave a quarter of the unknowns are given up for matched pairs.
///
/// \param modes  near-null vectors.
/// \param constant_near_null  whether that is the constant vector.
template <class ExecutionSpace>
Aggregates<ExecutionSpace> aggregates_of(const Workspace<ExecutionSpace>& work, const ChosenAggregation& how,
                                         bool constant_near_null, int modes, Level<ExecutionSpace>& level) {
  const Ordinal nodes = level.matrix.nodes();
  if (constant_near_null && how.kind != Aggregation::independent_sets && has_long_rows(level.matrix.graph))
    level.filter(work, filtered_pattern(work, strength_graph(work, level.matrix, 0, false)));
  const auto runs = [&](int length) {
    level.aggregation = "runs of " + std::to_string(length);
    return runs_of_nodes<ExecutionSpace>(nodes, length);
  };
  const auto matched = [&] { return aggregates_by_matching(work, level.matrix, how.strength); };
  const auto named = [&](const char* name, const Aggregates<ExecutionSpace>& aggregates) {
    level.aggregation = name;
    return aggregates;
  };
  if (how.kind == Aggregation::runs) return runs(how.run_length);
  if (how.kind == Aggregation::matched_pairs) {
    const auto pairs = matched();
    return gather_enough(pairs) ? named("matched pairs", pairs) : runs(tuning::most_matched);
  }
  const auto graph = strength_graph(work, level.matrix, how.strength, how.by_sign);
  // Without its weak entries a matrix of several modes would not keep rotations.
  if (constant_near_null) level.filter(work, filtered_pattern(work, graph));
  const auto sets = aggregates_by_strength(work, graph);
  const bool many =
      tuning::few_left_by_sets * static_cast<Offset>(modes) * sets.count > static_cast<Offset>(level.rows());
  if (modes > level.matrix.block_rows && many)
    if (const auto pairs = matched(); gather_enough(pairs)) return named("matched pairs", pairs);
  return named("independent sets", sets);
}

} // namespace tessera::solvers::multigrid::detail

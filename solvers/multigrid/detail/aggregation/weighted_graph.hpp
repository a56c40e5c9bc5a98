// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sets of nodes and how strongly they are coupled, where signs and sums of entries tell more than sizes.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// Sets of nodes. Two sets are coupled by −Σ a_ij over their nodes' unknowns of the same component, as a
/// spring between them would be: on flat cells the positive and negative entries across the long edges
/// cancel.
template <class ExecutionSpace>
struct WeightedGraph {
  Graph<ExecutionSpace> graph;      // of sets, each a neighbour of its own
  Floats<ExecutionSpace> weights;   // entry: the coupling; a set's own: 0
  Ordinals<ExecutionSpace> sizes;   // set: nodes
  Floats<ExecutionSpace> strongest; // set: its largest coupling, 0 for none

  KOKKOS_FUNCTION Ordinal count() const { return graph.count(); }

  /// Calls visit(set, coupling) for a set's neighbours.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_neighbor(Ordinal set, const Visit& visit) const {
    for (Offset k = graph.row_map(set); k < graph.row_map(set + 1); ++k)
      if (graph.columns(k) != set) visit(graph.columns(k), weights(k));
  }
};

/// Room for the sets of a graph.
template <class ExecutionSpace>
WeightedGraph<ExecutionSpace> sets_on(const Workspace<ExecutionSpace>& work,
                                      const Graph<ExecutionSpace>& graph) {
  return {graph, make_temporary<Floats<ExecutionSpace>>(work, "set_weights", graph.columns.extent(0)),
          make_temporary<Ordinals<ExecutionSpace>>(work, "set_sizes", graph.count()),
          make_temporary<Floats<ExecutionSpace>>(work, "set_strongest", graph.count())};
}

/// Coupling of a node with the `place`-th of its list.
template <class ExecutionSpace>
KOKKOS_FORCEINLINE_FUNCTION float coupling_by_sign(const Matrix<ExecutionSpace>& matrix, Ordinal node,
                                                   Ordinal place) {
  if (matrix.graph.columns(matrix.graph.row_map(node) + place) == node) return 0;
  float sum = 0;
  for (int c = 0; c < matrix.block_rows; ++c)
    sum -= matrix.values(matrix.row_begin(node, c) + static_cast<Offset>(place) * matrix.block_columns + c);
  return sum;
}

/// A level's nodes, a set each.
template <class ExecutionSpace>
WeightedGraph<ExecutionSpace> weighted_graph(const Workspace<ExecutionSpace>& work,
                                             const Matrix<ExecutionSpace>& matrix) {
  const auto sets = sets_on(work, matrix.graph);
  Kokkos::parallel_for(
      "Tessera::Multigrid::weights", Range<ExecutionSpace>(work.exec, 0, sets.count()),
      KOKKOS_LAMBDA(const Ordinal node) {
        float most = 0;
        for (Ordinal k = 0; k < matrix.graph.length(node); ++k) {
          const float weight = coupling_by_sign(matrix, node, k);
          sets.weights(matrix.graph.row_map(node) + k) = weight;
          most = Kokkos::max(most, weight);
        }
        sets.sizes(node) = 1;
        sets.strongest(node) = most;
      });
  return sets;
}

/// Neighbours, on average of the nodes that have couplings, that are at least half as strongly coupled as the
/// strongest: about six among tetrahedra, two where cells are flat. On large levels of evenly spread nodes.
template <class ExecutionSpace>
double average_strong_neighbors(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix) {
  const Ordinal step = Kokkos::max(Ordinal(1), matrix.nodes() / tuning::sampled_signs);
  double strong = 0, coupled = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::strong_neighbors", Range<ExecutionSpace>(exec, 0, matrix.nodes() / step),
      KOKKOS_LAMBDA(const Ordinal item, double& strong_sum, double& coupled_sum) {
        const Ordinal node = item * step, length = matrix.graph.length(node);
        float most = 0;
        for (Ordinal k = 0; k < length; ++k) most = Kokkos::max(most, coupling_by_sign(matrix, node, k));
        if (most == 0) return;
        coupled_sum += 1;
        for (Ordinal k = 0; k < length; ++k)
          strong_sum += coupling_by_sign(matrix, node, k) >= tuning::half_as_strong * most ? 1 : 0;
      },
      strong, coupled);
  return coupled > 0 ? strong / coupled : 0;
}

/// Pairs of sets, and sets left alone, as the sets of the next graph.
template <class ExecutionSpace>
struct MergedSets {
  Ordinal count = 0;
  Ordinals<ExecutionSpace> of;            // set: its number in the next graph
  Ordinals<ExecutionSpace> first, second; // number: its sets; second −1: there is one
};

/// Neighbours of merged sets, for `unions`.
template <class ExecutionSpace>
struct MergedLists {
  WeightedGraph<ExecutionSpace> sets;
  MergedSets<ExecutionSpace> merged;

  KOKKOS_FUNCTION Ordinal items(Ordinal number) const {
    const Ordinal second = merged.second(number);
    return sets.graph.length(merged.first(number)) + (second < 0 ? 0 : sets.graph.length(second));
  }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal number, Ordinal item, const Insert& insert) const {
    const Ordinal first = merged.first(number), length = sets.graph.length(first);
    const Offset entry = item < length ? sets.graph.row_map(first) + item
                                       : sets.graph.row_map(merged.second(number)) + item - length;
    insert(merged.of(sets.graph.columns(entry)));
  }
};

/// The graph of merged sets, couplings added up.
template <class ExecutionSpace>
WeightedGraph<ExecutionSpace> merged_graph(const Workspace<ExecutionSpace>& work,
                                           const WeightedGraph<ExecutionSpace>& sets,
                                           const MergedSets<ExecutionSpace>& merged) {
  const auto next = sets_on(work, unions(work, "merged_graph", MergedLists<ExecutionSpace>{sets, merged},
                                         merged.count, merged.count, 32, 64));
  Kokkos::parallel_for(
      "Tessera::Multigrid::merged_weights", Range<ExecutionSpace>(work.exec, 0, merged.count),
      KOKKOS_LAMBDA(const Ordinal number) {
        const Offset first = next.graph.row_map(number);
        const Ordinal length = next.graph.length(number);
        const Ordinal* const list = next.graph.columns.data() + first;
        for (Ordinal k = 0; k < length; ++k) next.weights(first + k) = 0;
        Ordinal size = 0;
        for (const Ordinal set : {merged.first(number), merged.second(number)}) {
          if (set < 0) continue;
          size += sets.sizes(set);
          sets.each_neighbor(set, [&](Ordinal other, float weight) {
            const Ordinal to = merged.of(other);
            if (to != number) next.weights(first + tessera::detail::place_in(list, length, to)) += weight;
          });
        }
        float most = 0;
        for (Ordinal k = 0; k < length; ++k) most = Kokkos::max(most, next.weights(first + k));
        next.sizes(number) = size;
        next.strongest(number) = most;
      });
  return next;
}

} // namespace tessera::solvers::multigrid::detail

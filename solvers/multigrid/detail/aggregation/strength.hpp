// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A level's nodes and the couplings between them, strong and weak.

#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid::detail {

/// The graph of a level's nodes. Two nodes are coupled as strongly as their strongest entries, |a_ij| in a
/// matrix scaled by its diagonal, and the coupling is strong if its square is at least a share of the product
/// of both nodes' strongest: what counts is the size relative to the nodes' other couplings.
template <class ExecutionSpace>
struct StrengthGraph {
  Matrix<ExecutionSpace> matrix;
  Floats<ExecutionSpace> blocks;    // largest |entry| of each block; empty for single unknowns
  Floats<ExecutionSpace> strongest; // node: its largest entry outside its own block; infinity for a long row
  float share = 0;                  // square of the relative strength
  bool by_sign = false;             // whether positive entries are no couplings; for single unknowns

  KOKKOS_FUNCTION Ordinal count() const { return matrix.nodes(); }

  /// Of an entry between single unknowns.
  KOKKOS_FORCEINLINE_FUNCTION float coupling_of(float value) const {
    return by_sign ? Kokkos::max(0.0f, -value) : Kokkos::abs(value);
  }

  /// Of a node to the `place`-th of its list.
  KOKKOS_FORCEINLINE_FUNCTION float coupling(Ordinal node, Ordinal place) const {
    const Offset k = matrix.graph.row_map(node) + place;
    return matrix.scalar() ? coupling_of(matrix.values(k)) : blocks(k);
  }

  /// Calls visit(node, coupling) for a node's neighbours.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_neighbor(Ordinal node, const Visit& visit) const {
    const Offset first = matrix.graph.row_map(node);
    for (Ordinal k = 0; k < matrix.graph.length(node); ++k) {
      const Ordinal other = matrix.graph.columns(first + k);
      if (other != node) visit(other, coupling(node, k));
    }
  }

  /// Whether the others of a node's entries outweigh its diagonal, which scaling has left below one then: a
  /// corner of a sliver.
  KOKKOS_FORCEINLINE_FUNCTION bool outweighed(Ordinal node) const {
    const Ordinal row = node * matrix.block_rows;
    return matrix.any_entry(row, [&](Ordinal column, float value) {
      return column == row && value < tuning::outweighed_diagonal;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_long(Ordinal node) const { return Kokkos::isinf(strongest(node)); }

  /// Where one of both nodes has a long row, the coupling is strong if the other has few that are stronger:
  /// to a node with so many neighbours all are weak.
  KOKKOS_FORCEINLINE_FUNCTION bool strong(Ordinal node, Ordinal other, float entry) const {
    const float own = strongest(node), others = strongest(other);
    const float least = Kokkos::isinf(own) ? others : own,
                least_of_others = Kokkos::isinf(others) ? own : others;
    return entry > 0 && entry * entry >= share * least * least_of_others;
  }
};

/// Largest |entry| of each block.
template <class ExecutionSpace>
struct LargestOfBlocks {
  Matrix<ExecutionSpace> matrix;
  Floats<ExecutionSpace> largest; // by the blocks' places

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal node, int) const {
    const Offset begin = matrix.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, matrix.graph.length(node)), [&](Ordinal place) {
      float most = 0;
      for (int r = 0; r < matrix.block_rows; ++r) {
        const Offset first = matrix.row_begin(node, r) + static_cast<Offset>(place) * matrix.block_columns;
        for (int c = 0; c < matrix.block_columns; ++c)
          most = Kokkos::max(most, Kokkos::abs(matrix.values(first + c)));
      }
      largest(begin + place) = most;
    });
  }
};

/// The graph with each node's strongest coupling.
template <class ExecutionSpace>
StrengthGraph<ExecutionSpace> strength_graph(const Workspace<ExecutionSpace>& work,
                                             const Matrix<ExecutionSpace>& matrix, double strength,
                                             bool by_sign) {
  const std::size_t blocks = matrix.scalar() ? 0 : matrix.graph.columns.extent(0);
  const StrengthGraph<ExecutionSpace> graph{
      matrix, make_temporary<Floats<ExecutionSpace>>(work, "largest_of_blocks", blocks),
      make_temporary<Floats<ExecutionSpace>>(work, "strongest", matrix.nodes()),
      static_cast<float>(strength * strength), by_sign};
  if (blocks > 0)
    for_each_row(work.exec, "Tessera::Multigrid::largest_of_blocks", matrix.nodes(),
                 lanes_for(static_cast<Offset>(blocks), matrix.nodes()), 0,
                 LargestOfBlocks<ExecutionSpace>{matrix, graph.blocks});
  const Ordinal least_of_long = long_row(matrix.graph);
  Kokkos::parallel_for(
      "Tessera::Multigrid::strongest", Range<ExecutionSpace>(work.exec, 0, graph.count()),
      KOKKOS_LAMBDA(const Ordinal node) {
        float most = 0;
        if (runs_on_host<ExecutionSpace> && matrix.scalar() && !by_sign)
          most = weight_of(row_of(matrix, node), node).largest;
        else
          graph.each_neighbor(node, [&](Ordinal, float entry) { most = Kokkos::max(most, entry); });
        const bool is_long = matrix.graph.length(node) >= least_of_long;
        graph.strongest(node) = is_long ? Kokkos::Experimental::infinity_v<float> : most;
      });
  return graph;
}

/// What the couplings of a level look like.
struct CouplingProperties {
  double strong_neighbors = 0; ///< on average, of the nodes that have couplings
  double share_of_jumps =
      0; ///< of those nodes, with a neighbour of a far smaller diagonal entry, slivers apart
  double share_of_slivers = 0; ///< of those nodes, at a corner of a sliver
};

/// Counts strong couplings, jumps and slivers, on large levels of evenly spread nodes. `scale` is 1/√d_i by
/// rows.
template <class ExecutionSpace>
CouplingProperties coupling_properties(const ExecutionSpace& exec, const StrengthGraph<ExecutionSpace>& graph,
                                       const Floats<ExecutionSpace>& scale) {
  const Ordinal step = Kokkos::max(Ordinal(1), graph.count() / tuning::sampled_couplings);
  double strong = 0, jumps = 0, slivers = 0, coupled = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::couplings", Range<ExecutionSpace>(exec, 0, graph.count() / step),
      KOKKOS_LAMBDA(const Ordinal item, double& strong_sum, double& jump_sum, double& sliver_sum,
                    double& coupled_sum) {
        const Ordinal node = item * step;
        if (graph.strongest(node) == 0) return;
        const float own = scale(node * graph.matrix.block_rows);
        bool jumps_here = false;
        graph.each_neighbor(node, [&](Ordinal other, float entry) {
          if (entry == 0) return;
          const float ratio = scale(other * graph.matrix.block_rows) / own;
          jumps_here = jumps_here || ratio * ratio > tuning::jump;
          strong_sum += graph.strong(node, other, entry) ? 1 : 0;
        });
        const bool sliver = graph.outweighed(node);
        jump_sum += jumps_here && !sliver ? 1 : 0;
        sliver_sum += sliver ? 1 : 0;
        coupled_sum += 1;
      },
      strong, jumps, slivers, coupled);
  return coupled > 0 ? CouplingProperties{.strong_neighbors = strong / coupled,
                                          .share_of_jumps = jumps / coupled,
                                          .share_of_slivers = slivers / coupled}
                     : CouplingProperties{};
}

} // namespace tessera::solvers::multigrid::detail

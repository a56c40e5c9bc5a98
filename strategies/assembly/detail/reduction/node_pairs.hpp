// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The couplings of nodes behind a sparsity graph.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/common/node_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// The nodes around each node, itself included, ascending: the sparsity graph of one unknown per node without
/// constraints. A pair (n, k) stands for the entries of node n's rows in the columns of its k-th neighbor.
template <class ExecutionSpace>
struct NodePairs {
  Kokkos::View<const Offset*, ExecutionSpace> offsets; ///< node (+1)
  Kokkos::View<const Ordinal*, ExecutionSpace> neighbors;
  Kokkos::View<std::uint16_t*, ExecutionSpace>
      positions;             ///< of the first entry in the rows, if not k * components
  std::size_t own_bytes = 0; ///< memory that the graph does not hold already

  KOKKOS_FORCEINLINE_FUNCTION Ordinal degree(Ordinal node) const {
    return static_cast<Ordinal>(offsets(node + 1) - offsets(node));
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal neighbor(Ordinal node, Ordinal k) const {
    return neighbors(offsets(node) + k);
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset position(Ordinal node, Ordinal k, int components) const {
    return positions.extent(0) == 0 ? static_cast<Offset>(k) * components : positions(offsets(node) + k);
  }
  /// Which neighbor of `node` is `other`; it must be one.
  KOKKOS_FUNCTION Ordinal find(Ordinal node, Ordinal other) const {
    return tessera::detail::place_in(neighbors.data() + offsets(node), degree(node), other);
  }
};

/// Where the rows of a graph, which may have more entries than the pairs, hold each pair's first one.
template <class ExecutionSpace>
struct FindPairs {
  NodePairs<ExecutionSpace> pairs;
  SparsityGraph<ExecutionSpace> graph;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& longest) const {
    const auto& equations = graph.equations;
    if (equations.equations_of(node) == 0) return;
    const Ordinal row = equations.first_equation(node);
    const Offset begin = graph.row_map(row);
    const auto length = static_cast<Ordinal>(graph.row_map(row + 1) - begin);
    for (Offset p = pairs.offsets(node); p < pairs.offsets(node + 1); ++p)
      pairs.positions(p) = static_cast<std::uint16_t>(tessera::detail::place_in(
          graph.columns.data() + begin, length, equations.first_equation(pairs.neighbors(p))));
    longest = Kokkos::max(longest, length);
  }
};

/// The pairs of a space's mesh; shares the graph's arrays where they are the same.
/// \throws UnsupportedError for rows beyond 65535 entries where pairs do not follow each other in them
template <class Element, class ExecutionSpace>
NodePairs<ExecutionSpace>
node_pairs(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
           const SparsityGraph<ExecutionSpace>& graph, const NodeToElement<ExecutionSpace>& incidence) {
  const bool in_order = graph.own && !graph.equations.removed;
  if (space.components() == 1 && in_order) return {graph.row_map, graph.columns, {}, 0};
  const auto nodes = sparsity_graph(exec, FunctionSpace<Element, ExecutionSpace>(space.mesh(), 1), incidence);
  NodePairs<ExecutionSpace> pairs{
      nodes.row_map, nodes.columns, {}, bytes_of(nodes.row_map) + bytes_of(nodes.columns)};
  if (in_order) return pairs;
  pairs.positions =
      allocate<decltype(pairs.positions)>(exec, "Tessera::NodePairs::positions", nodes.num_entries());
  pairs.own_bytes += bytes_of(pairs.positions);
  Ordinal longest = 0;
  Kokkos::parallel_reduce("Tessera::NodePairs::positions",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.mesh().num_nodes()),
                          FindPairs<ExecutionSpace>{pairs, graph}, Kokkos::Max<Ordinal>(longest));
  if (longest > std::numeric_limits<std::uint16_t>::max())
    throw UnsupportedError("a row of the matrix has " + std::to_string(longest) +
                           " entries, more than 65535: some node belongs to too many elements");
  return pairs;
}

/// Adds the lists of surrounding nodes.
template <class ExecutionSpace>
void add_surrounding_nodes(const ExecutionSpace& exec, const NodePairs<ExecutionSpace>& pairs,
                           NodeBlocks<ExecutionSpace>& blocks) {
  blocks.surrounding =
      block_lists(exec, blocks.nodes.count, static_cast<Ordinal>(blocks.nodes.items.extent(0)),
                  tessera::detail::BlocksAroundNode<ExecutionSpace>{pairs.offsets, pairs.neighbors,
                                                                    blocks.nodes.block_of_item});
}

} // namespace TESSERA_KERNELS::assembly::detail

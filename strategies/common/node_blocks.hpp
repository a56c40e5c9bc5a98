// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Blocks of nodes with the elements around them and all nodes of those (paper 1, section 4.3).

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/block_lists.hpp>
#include <tessera/strategies/common/blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// A partition of the nodes N_k, the elements E_k of each block's nodes, and, where a strategy asks for them,
/// all nodes of those elements. Elements at the seams are in several blocks.
template <class ExecutionSpace>
struct NodeBlocks {
  ItemBlocks<ExecutionSpace> nodes;
  BlockLists<ExecutionSpace> elements;
  BlockLists<ExecutionSpace> surrounding; ///< nodes of the elements; includes the block's own
  Ordinal most_elements = 0;

  std::size_t bytes() const {
    return nodes.bytes() + bytes_of(elements.offsets) + bytes_of(elements.items) +
           bytes_of(surrounding.offsets) + bytes_of(surrounding.items);
  }
};

namespace detail {

/// Blocks of an element's nodes.
template <class ExecutionSpace>
struct BlocksOfElement {
  Kokkos::View<const Ordinal**, ExecutionSpace> connectivity;
  Kokkos::View<const Ordinal*, ExecutionSpace> block_of_node;
  KOKKOS_FUNCTION Ordinal count(Ordinal) const { return static_cast<Ordinal>(connectivity.extent(1)); }
  KOKKOS_FUNCTION Ordinal block(Ordinal e, Ordinal k) const { return block_of_node(connectivity(e, k)); }
};

/// Blocks that a node is read by: those of its elements, if it has several.
template <class ExecutionSpace>
struct BlocksOfSharedNode {
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<const Ordinal*, ExecutionSpace> block_of_element;
  Ordinal nothing_below = 2; ///< nodes of fewer elements are left out

  KOKKOS_FUNCTION Ordinal count(Ordinal node) const {
    const auto elements = static_cast<Ordinal>(incidence.offsets(node + 1) - incidence.offsets(node));
    return elements < nothing_below ? 0 : elements;
  }
  KOKKOS_FUNCTION Ordinal block(Ordinal node, Ordinal k) const {
    return block_of_element(incidence.elements(incidence.offsets(node) + k));
  }
};

/// Blocks of a node's neighbors: those whose elements have the node.
template <class ExecutionSpace>
struct BlocksAroundNode {
  Kokkos::View<const Offset*, ExecutionSpace> offsets; ///< of neighbors: node (+1)
  Kokkos::View<const Ordinal*, ExecutionSpace> neighbors;
  Kokkos::View<const Ordinal*, ExecutionSpace> block_of_node;
  KOKKOS_FUNCTION Ordinal count(Ordinal node) const {
    return static_cast<Ordinal>(offsets(node + 1) - offsets(node));
  }
  KOKKOS_FUNCTION Ordinal block(Ordinal node, Ordinal k) const {
    return block_of_node(neighbors(offsets(node) + k));
  }
};

} // namespace detail

/// Partitions the nodes into blocks of about as many elements as wanted: several attempts with more and more
/// blocks, until no block has more than `most_elements` or the attempts are used up.
///
/// METIS takes most of the time there is, so that its first attempt is meant to fit: how many elements lie at
/// the seams of blocks is seen from blocks along the curve, whose seams are longer but take next to no time.
template <class Element, class ExecutionSpace>
NodeBlocks<ExecutionSpace> node_blocks(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                                       Partitioner method, Ordinal most_elements, int attempts) {
  const std::int64_t nodes = mesh.num_nodes(), elements = mesh.num_elements();
  std::int64_t count = std::clamp<std::int64_t>((elements + most_elements - 1) / most_elements, 1,
                                                std::max<std::int64_t>(nodes, 1));
  const auto partitioned = [&](MeshPartitioner<Element, ExecutionSpace>& partitioner) {
    NodeBlocks<ExecutionSpace> result;
    result.nodes = nodes == 0 ? cut_into_blocks<ExecutionSpace>(exec, {}, 0)
                              : partitioner.nodes(static_cast<Ordinal>(count));
    result.elements =
        block_lists(exec, result.nodes.count, mesh.num_elements(),
                    detail::BlocksOfElement<ExecutionSpace>{mesh.connectivity(), result.nodes.block_of_item});
    result.most_elements = longest_list(exec, result.elements.offsets);
    return result;
  };
  if (method == Partitioner::metis && count > 1) {
    MeshPartitioner<Element, ExecutionSpace> curve(exec, mesh, Partitioner::curve);
    const double average = static_cast<double>(partitioned(curve).elements.items.extent(0)) / count;
    count =
        std::min<std::int64_t>(nodes, static_cast<std::int64_t>(count * average / most_elements * 1.05) + 1);
  }
  MeshPartitioner<Element, ExecutionSpace> partitioner(exec, mesh, method);
  for (int attempt = 1;; ++attempt) {
    NodeBlocks<ExecutionSpace> result = partitioned(partitioner);
    if (result.most_elements <= most_elements || attempt >= attempts || count >= nodes) return result;
    const double excess = static_cast<double>(result.most_elements) / most_elements;
    count =
        std::min<std::int64_t>(nodes, static_cast<std::int64_t>(count * std::min(4.0, 1.05 * excess)) + 1);
  }
}

} // namespace tessera

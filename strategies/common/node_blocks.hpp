#pragma once

/// \file
/// Blocks of nodes with the elements around them and all nodes of those (paper 1, section 4.3).

#include <tessera/core/incidence.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/common/block_lists.hpp>
#include <tessera/strategies/common/blocks.hpp>
#include <tessera/strategies/common/node_pairs.hpp>

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
  Blocks<ExecutionSpace> nodes;
  BlockLists<ExecutionSpace> elements;
  BlockLists<ExecutionSpace> surrounding; ///< nodes of the elements; includes the block's own
  Ordinal most_elements = 0;

  std::size_t bytes() const {
    return bytes_of(nodes.items) + bytes_of(nodes.offsets) + bytes_of(nodes.block_of_item) +
           bytes_of(elements.offsets) + bytes_of(elements.items) + bytes_of(surrounding.offsets) +
           bytes_of(surrounding.items);
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

/// Blocks of a node's neighbors: those whose elements have the node.
template <class ExecutionSpace>
struct BlocksAroundNode {
  NodePairs<ExecutionSpace> pairs;
  Kokkos::View<const Ordinal*, ExecutionSpace> block_of_node;
  KOKKOS_FUNCTION Ordinal count(Ordinal node) const { return pairs.degree(node); }
  KOKKOS_FUNCTION Ordinal block(Ordinal node, Ordinal k) const {
    return block_of_node(pairs.neighbor(node, k));
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

/// Adds the lists of surrounding nodes.
template <class ExecutionSpace>
void add_surrounding_nodes(const ExecutionSpace& exec, const NodePairs<ExecutionSpace>& pairs,
                           NodeBlocks<ExecutionSpace>& blocks) {
  blocks.surrounding =
      block_lists(exec, blocks.nodes.count, static_cast<Ordinal>(blocks.nodes.items.extent(0)),
                  detail::BlocksAroundNode<ExecutionSpace>{pairs, blocks.nodes.block_of_item});
}

/// A block's elements in passes of at most `size` elements. Groups number the passes of all blocks.
template <class ExecutionSpace>
struct ElementPasses {
  Ordinal size = 1;
  Ordinal groups = 0;
  Kokkos::View<Ordinal*, ExecutionSpace> first_group; ///< block (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> block_of_group;

  std::size_t bytes() const { return bytes_of(first_group) + bytes_of(block_of_group); }
  /// Position of a group's first element in its block's list.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal begin(Ordinal group) const {
    return (group - first_group(block_of_group(group))) * size;
  }
};

/// Cuts each block's elements into passes.
template <class ExecutionSpace>
ElementPasses<ExecutionSpace> element_passes(const ExecutionSpace& exec,
                                             const BlockLists<ExecutionSpace>& elements, Ordinal size) {
  const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), elements.offsets);
  const auto blocks = static_cast<Ordinal>(offsets.extent(0)) - 1;
  std::vector<Ordinal> first{0}, block_of_group;
  for (Ordinal block = 0; block < blocks; ++block) {
    const auto count = static_cast<Ordinal>(offsets(block + 1) - offsets(block));
    // Nodes without elements have a right-hand side to write, so that every block has a pass.
    block_of_group.insert(block_of_group.end(), std::max(1, (count + size - 1) / size), block);
    first.push_back(static_cast<Ordinal>(block_of_group.size()));
  }
  return {size, static_cast<Ordinal>(block_of_group.size()), detail::to_device(exec, "first_group", first),
          detail::to_device(exec, "block_of_group", block_of_group)};
}

/// Numbers of the elements of one pass of a block; the `local` of `reduction_array`.
template <class ExecutionSpace>
struct ElementOfGroup {
  BlockLists<ExecutionSpace> elements;
  ElementPasses<ExecutionSpace> passes;

  KOKKOS_FUNCTION Ordinal operator()(Ordinal group, Ordinal e) const {
    const Ordinal position = elements.find(passes.block_of_group(group), e);
    const Ordinal number = position - passes.begin(group);
    return position >= 0 && number >= 0 && number < passes.size ? number : -1;
  }
};

} // namespace tessera

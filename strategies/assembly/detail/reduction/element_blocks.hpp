// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Blocks of elements with the nodes that each block reads first (paper 1, section 4.2.2).

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/block_lists.hpp>
#include <tessera/strategies/common/blocks.hpp>
#include <tessera/strategies/common/node_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Elements sorted by block, and each block's element matrix E_k (paper 1, figure 5).
///
/// Slot s holds element `elements(s)`; its node n is number `codes(s, n)` of the block's list of nodes if
/// that is not negative, else node -codes(s, n) - 1 of the mesh: a node that no other element of the mesh
/// has, such as the interior ones of high orders, gains nothing from a prefetch (section 4.2.4).
template <class ExecutionSpace>
struct ElementBlocks {
  ItemBlocks<ExecutionSpace> blocks;             ///< of elements; `blocks.items` is `elements`
  Kokkos::View<Ordinal**, ExecutionSpace> codes; ///< slot x node
  BlockLists<ExecutionSpace> prefetched;         ///< nodes that each block holds in scratch
  Ordinal most_prefetched = 0;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal element(Offset slot) const { return blocks.items(slot); }
  /// The mesh's number of node n.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal block, Offset slot, int n) const {
    const Ordinal code = codes(slot, n);
    return code < 0 ? -code - 1 : prefetched.items(prefetched.offsets(block) + code);
  }
  std::size_t bytes() const {
    return blocks.bytes() + bytes_of(codes) + bytes_of(prefetched.offsets) + bytes_of(prefetched.items);
  }
};

template <class ExecutionSpace>
struct EncodeNodes {
  Kokkos::View<const Ordinal**, ExecutionSpace> connectivity;
  NodeToElement<ExecutionSpace> incidence;
  ElementBlocks<ExecutionSpace> target;
  bool prefetch;

  KOKKOS_FUNCTION void operator()(Ordinal slot) const {
    const Ordinal e = target.blocks.items(slot), block = target.blocks.block_of_item(e);
    for (Ordinal n = 0; n < static_cast<Ordinal>(connectivity.extent(1)); ++n) {
      const Ordinal node = connectivity(e, n);
      const bool shared = prefetch && incidence.offsets(node + 1) - incidence.offsets(node) > 1;
      target.codes(slot, n) = shared ? target.prefetched.find(block, node) : -node - 1;
    }
  }
};

/// Numbers the nodes of each block.
/// \param prefetch false: no block has a list of nodes, all are read from the mesh (paper 1, algorithm 3)
template <class ExecutionSpace, class Connectivity>
ElementBlocks<ExecutionSpace> element_blocks(const ExecutionSpace& exec, const Connectivity& connectivity,
                                             Ordinal num_nodes,
                                             const NodeToElement<ExecutionSpace>& incidence,
                                             const ItemBlocks<ExecutionSpace>& blocks, bool prefetch) {
  ElementBlocks<ExecutionSpace> result{blocks, {}, {}, 0};
  result.prefetched =
      block_lists(exec, blocks.count, prefetch ? num_nodes : 0,
                  tessera::detail::BlocksOfSharedNode<ExecutionSpace>{incidence, blocks.block_of_item});
  result.most_prefetched = longest_list(exec, result.prefetched.offsets);
  result.codes = allocate<decltype(result.codes)>(exec, "Tessera::ElementBlocks::codes",
                                                  connectivity.extent(0), connectivity.extent(1));
  Kokkos::parallel_for(
      "Tessera::ElementBlocks::encode",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(connectivity.extent(0))),
      EncodeNodes<ExecutionSpace>{connectivity, incidence, result, prefetch});
  exec.fence("Tessera::ElementBlocks::encode");
  return result;
}

} // namespace TESSERA_KERNELS::assembly::detail

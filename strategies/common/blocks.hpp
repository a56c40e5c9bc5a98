// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Partitions of a mesh's elements or nodes into blocks for teams of threads, on the device.

#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/partition/partition.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace tessera {

/// How elements or nodes are partitioned into blocks.
enum class Partitioner {
  curve, ///< stretches of the Hilbert curve: parallel, fast, any number of blocks
  metis, ///< METIS on the dual graph or the graph of nodes, as in paper 1: shorter boundaries, serial
};

/// Every item in one block.
template <class ExecutionSpace>
struct ItemBlocks {
  Ordinal count = 0;
  Kokkos::View<Ordinal*, ExecutionSpace> items; ///< sorted by block
  Kokkos::View<Ordinal*, ExecutionSpace> block_of_item;
  Kokkos::View<Ordinal*, ExecutionSpace> offsets; ///< block (+1): its first position in `items`
  std::vector<Ordinal> host_offsets;              ///< the same on the host

  std::size_t bytes() const { return bytes_of(items) + bytes_of(block_of_item) + bytes_of(offsets); }
};

namespace detail {

template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> to_device(const ExecutionSpace& exec, const std::string& label,
                                                 const std::vector<Ordinal>& host) {
  Kokkos::View<Ordinal*, ExecutionSpace> view(
      Kokkos::view_alloc(exec, "Tessera::ItemBlocks::" + label, Kokkos::WithoutInitializing), host.size());
  Kokkos::deep_copy(
      exec, view,
      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()));
  exec.fence("Tessera::ItemBlocks::to_device");
  return view;
}

/// The inverse of an order of all items.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> invert_order(const ExecutionSpace& exec,
                                                    const Kokkos::View<Ordinal*, ExecutionSpace>& order) {
  return make_permutation(exec, order).old_to_new;
}

template <class ExecutionSpace>
ItemBlocks<ExecutionSpace> from_partition(const ExecutionSpace& exec, const Partition& partition) {
  return {partition.parts, to_device(exec, "items", partition.items),
          to_device(exec, "block_of_item", partition.part_of_item),
          to_device(exec, "offsets", partition.offsets), partition.offsets};
}

} // namespace detail

/// Cuts an order of items into `count` stretches whose sizes differ by at most one.
template <class ExecutionSpace>
ItemBlocks<ExecutionSpace> cut_into_blocks(const ExecutionSpace& exec,
                                           const Kokkos::View<Ordinal*, ExecutionSpace>& order,
                                           Ordinal count) {
  const auto items = static_cast<Ordinal>(order.extent(0));
  ItemBlocks<ExecutionSpace> blocks{count, order, {}, {}, std::vector<Ordinal>(count + 1)};
  for (Ordinal block = 0; block <= count; ++block)
    blocks.host_offsets[block] =
        static_cast<Ordinal>(count == 0 ? 0 : static_cast<std::int64_t>(items) * block / count);
  blocks.offsets = detail::to_device(exec, "offsets", blocks.host_offsets);
  blocks.block_of_item = Kokkos::View<Ordinal*, ExecutionSpace>(
      Kokkos::view_alloc(exec, "Tessera::ItemBlocks::block_of_item", Kokkos::WithoutInitializing), items);
  const auto block_of_item = blocks.block_of_item;
  const auto offsets = blocks.offsets;
  Kokkos::parallel_for(
      "Tessera::ItemBlocks::invert", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal block) {
        for (Ordinal k = offsets(block); k < offsets(block + 1); ++k) block_of_item(order(k)) = block;
      });
  exec.fence("Tessera::ItemBlocks::invert");
  return blocks;
}

/// Partitions meshes into numbers of blocks that are tried one after the other: what does not depend on the
/// number is computed once.
template <class Element, class ExecutionSpace>
class MeshPartitioner {
public:
  using MeshType = Mesh<Element, ExecutionSpace>;

  MeshPartitioner(const ExecutionSpace& exec, const MeshType& mesh, Partitioner partitioner)
      : exec_(exec), mesh_(mesh), partitioner_(partitioner) {}

  /// The elements in `count` blocks, 1 <= count <= elements; METIS works on the dual graph.
  ItemBlocks<ExecutionSpace> elements(Ordinal count) {
    if (partitioner_ == Partitioner::metis)
      return detail::from_partition(
          exec_, partition_elements(exec_, mesh_.coordinates(), mesh_.connectivity(),
                                    detail::SidesOf<Element>::fewest_nodes, {.parts = count}));
    if (order_.extent(0) == 0)
      order_ = hilbert_order(exec_, element_centroids(exec_, mesh_.coordinates(), mesh_.connectivity()))
                   .new_to_old;
    return cut_into_blocks(exec_, order_, count);
  }

  /// The nodes in `count` blocks, 1 <= count <= nodes; METIS works on the graph of nodes that share an
  /// element.
  ItemBlocks<ExecutionSpace> nodes(Ordinal count) {
    if (partitioner_ == Partitioner::metis)
      return detail::from_partition(
          exec_, partition_nodes(exec_, mesh_.coordinates(), mesh_.connectivity(), {.parts = count}));
    if (order_.extent(0) == 0) order_ = hilbert_order(exec_, mesh_.coordinates()).new_to_old;
    return cut_into_blocks(exec_, order_, count);
  }

private:
  ExecutionSpace exec_;
  MeshType mesh_;
  Partitioner partitioner_;
  Kokkos::View<Ordinal*, ExecutionSpace> order_; // along the curve
};

} // namespace tessera

#pragma once

/// \file
/// Packed lists from a node to the elements that need it (paper 1, section 4.3.1, figure 9, algorithm 7).

#include <tessera/core/packing.hpp>
#include <tessera/strategies/common/node_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// One matrix of integers per group: column-major with a row per thread ("bin"). A list is a source, the node
/// number plus one, and the inverted places (-place - 1) that its position goes to; place = number of the
/// element in the group * nodes per element + local node. Zeros pad.
template <class ExecutionSpace>
struct ScatterArray {
  Ordinal bins = 1;
  Kokkos::View<Offset*, ExecutionSpace> offsets; ///< group (+1)
  Kokkos::View<std::int32_t*, ExecutionSpace> entries;

  std::size_t bytes() const { return bytes_of(offsets) + bytes_of(entries); }

  /// A team reads each node's position once and hands it to every place: `put(place, position)`. No barrier
  /// at the end.
  template <int Dimension, class Member, class Coordinates, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void scatter(const Member& member, Ordinal group,
                                           const Coordinates& coordinates, const Put& put) const {
    const Offset begin = offsets(group);
    const auto height = static_cast<Ordinal>((offsets(group + 1) - begin) / bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, bins), [&](Ordinal bin) {
      double position[Dimension] = {};
      for (Ordinal step = 0; step < height; ++step) {
        const std::int32_t code = entries(begin + static_cast<Offset>(step) * bins + bin);
        if (code > 0)
          for (int d = 0; d < Dimension; ++d) position[d] = coordinates(code - 1, d);
        else if (code < 0)
          put(-code - 1, position);
      }
    });
  }
};

namespace detail {

template <class ExecutionSpace>
struct ScatterBuilder {
  NodeToElement<ExecutionSpace> incidence;
  BlockLists<ExecutionSpace> nodes; ///< surrounding nodes of each block
  ElementOfGroup<ExecutionSpace> local;
  int nodes_per_element;
  Kokkos::View<Offset*, ExecutionSpace> first_list; ///< group (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> lengths;
  Packing<ExecutionSpace> packing;
  ScatterArray<ExecutionSpace> array;

  struct SizeGroups {};
  struct SizeArray {};
  struct CountTag {};
  struct FillTag {};
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  KOKKOS_FUNCTION void operator()(SizeGroups, Ordinal group, Offset& sum, bool final) const {
    const Offset lists = nodes.size(local.passes.block_of_group(group));
    if (final) {
      first_list(group) = sum;
      if (group + 1 == local.passes.groups) first_list(group + 1) = sum + lists;
    }
    sum += lists;
  }
  KOKKOS_FUNCTION void operator()(SizeArray, Ordinal group, Offset& sum, bool final) const {
    const Offset size = static_cast<Offset>(packing.height_of_block(group)) * array.bins;
    if (final) {
      array.offsets(group) = sum;
      if (group + 1 == local.passes.groups) array.offsets(group + 1) = sum + size;
    }
    sum += size;
  }

  /// Calls `visit(list, node)` for the surrounding nodes of the group's block.
  template <class Visit>
  KOKKOS_FUNCTION void each_node(const Member& member, const Visit& visit) const {
    const Ordinal group = member.league_rank(), block = local.passes.block_of_group(group);
    const Offset begin = nodes.offsets(block);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, nodes.size(block)),
                         [&](Ordinal k) { visit(first_list(group) + k, nodes.items(begin + k)); });
  }
  /// Calls `visit(place)` for every element of the group that has the node.
  template <class Visit>
  KOKKOS_FUNCTION void each_place(Ordinal group, Ordinal node, const Visit& visit) const {
    for (Offset p = incidence.offsets(node); p < incidence.offsets(node + 1); ++p) {
      const Ordinal number = local(group, incidence.elements(p));
      if (number >= 0) visit(number * nodes_per_element + incidence.local_nodes(p));
    }
  }

  KOKKOS_FUNCTION void operator()(CountTag, const Member& member) const {
    each_node(member, [&](Offset list, Ordinal node) {
      Ordinal places = 0;
      each_place(member.league_rank(), node, [&](Ordinal) { ++places; });
      lengths(list) = places == 0 ? 0 : places + 1;
    });
  }
  KOKKOS_FUNCTION void operator()(FillTag, const Member& member) const {
    each_node(member, [&](Offset list, Ordinal node) {
      if (lengths(list) == 0) return;
      Offset entry = array.offsets(member.league_rank()) + packing.bin_of_list(list) +
                     static_cast<Offset>(packing.start_of_list(list)) * array.bins;
      array.entries(entry) = node + 1;
      each_place(member.league_rank(), node,
                 [&](Ordinal place) { array.entries(entry += array.bins) = -place - 1; });
    });
  }

  ScatterArray<ExecutionSpace> build(const ExecutionSpace& exec) {
    using Kokkos::view_alloc;
    const Ordinal groups = local.passes.groups;
    first_list = decltype(first_list)(view_alloc(exec, "Tessera::ScatterArray::first_list"), groups + 1);
    Offset lists = 0;
    Kokkos::parallel_scan("Tessera::ScatterArray::size_groups",
                          Kokkos::RangePolicy<ExecutionSpace, SizeGroups>(exec, 0, groups), *this, lists);
    lengths = allocate<decltype(lengths)>(exec, "Tessera::ScatterArray::lengths", lists);
    run<CountTag>(exec, "Tessera::ScatterArray::count", groups);
    packing = lpt_pack(exec, first_list, lengths, array.bins);
    array.offsets = decltype(array.offsets)(view_alloc(exec, "Tessera::ScatterArray::offsets"), groups + 1);
    Offset size = 0;
    Kokkos::parallel_scan("Tessera::ScatterArray::size_array",
                          Kokkos::RangePolicy<ExecutionSpace, SizeArray>(exec, 0, groups), *this, size);
    array.entries = allocate<decltype(array.entries)>(exec, "Tessera::ScatterArray::entries", size);
    Kokkos::deep_copy(exec, array.entries, 0);
    run<FillTag>(exec, "Tessera::ScatterArray::fill", groups);
    exec.fence("Tessera::ScatterArray::fill");
    return array;
  }

  template <class Tag>
  void run(const ExecutionSpace& exec, const char* label, Ordinal groups) const {
    if (groups > 0)
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecutionSpace, Tag>(exec, groups, Kokkos::AUTO), *this);
  }
};

} // namespace detail

/// Builds and packs the lists of every group by LPT.
/// \param blocks with their surrounding nodes
/// \param bins threads that share a group's lists
template <class ExecutionSpace>
ScatterArray<ExecutionSpace>
scatter_array(const ExecutionSpace& exec, const NodeToElement<ExecutionSpace>& incidence,
              const NodeBlocks<ExecutionSpace>& blocks, const ElementPasses<ExecutionSpace>& passes,
              int nodes_per_element, int bins) {
  detail::ScatterBuilder<ExecutionSpace> builder{
      incidence, blocks.surrounding, {blocks.elements, passes}, nodes_per_element, {}, {},
      {},        {bins, {}, {}}};
  return builder.build(exec);
}

} // namespace tessera

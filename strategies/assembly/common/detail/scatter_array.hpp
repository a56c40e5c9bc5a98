// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Binned lists from a node to the elements that need it (paper 1, section 4.3.1, figure 9, algorithm 7).

#include <tessera/strategies/assembly/common/detail/binned_lists.hpp>
#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/node_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// A list: a source, the node number plus one, and the inverted places (-place - 1) that its position goes
/// to; place = number of the element in the group * nodes per element + local node.
template <class ExecutionSpace>
struct ScatterArray : BinnedLists<ExecutionSpace> {
  /// A team reads each node's position once and hands it to every place: `put(place, position)`. No barrier
  /// at the end.
  template <int Dimension, class Member, class Coordinates, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void scatter(const Member& member, Ordinal group,
                                           const Coordinates& coordinates, const Put& put) const {
    const Offset begin = this->offsets(group);
    const auto height = static_cast<Ordinal>((this->offsets(group + 1) - begin) / this->bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, this->bins), [&](Ordinal bin) {
      double position[Dimension] = {};
      for (Ordinal step = 0; step < height; ++step) {
        const std::int32_t code = this->entries(begin + static_cast<Offset>(step) * this->bins + bin);
        if (code > 0)
          for (int d = 0; d < Dimension; ++d) position[d] = coordinates(code - 1, d);
        else if (code < 0)
          put(-code - 1, position);
      }
    });
  }
};

template <class ExecutionSpace>
struct ScatterBuilder : BinnedListsBuilder<ScatterBuilder<ExecutionSpace>, ExecutionSpace> {
  using Base = BinnedListsBuilder<ScatterBuilder, ExecutionSpace>;
  using Base::array, Base::first_list, Base::lengths, Base::places;
  using typename Base::CountTag, typename Base::FillTag, typename Base::Member;
  using Base::operator();

  NodeToElement<ExecutionSpace> incidence;
  BlockLists<ExecutionSpace> nodes; ///< surrounding nodes of each block
  ElementOfGroup<ExecutionSpace> local;
  int nodes_per_element;

  KOKKOS_FUNCTION Offset num_lists(Ordinal group) const {
    return nodes.size(local.passes.block_of_group(group));
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
      Offset entry = array.offsets(member.league_rank()) + places.bin_of_list(list) +
                     static_cast<Offset>(places.start_of_list(list)) * array.bins;
      array.entries(entry) = node + 1;
      each_place(member.league_rank(), node,
                 [&](Ordinal place) { array.entries(entry += array.bins) = -place - 1; });
    });
  }
};

/// Builds the lists of every group and deals them to bins by LPT.
/// \param blocks with their surrounding nodes
/// \param bins threads that share a group's lists
template <class ExecutionSpace>
ScatterArray<ExecutionSpace>
scatter_array(const ExecutionSpace& exec, const NodeToElement<ExecutionSpace>& incidence,
              const NodeBlocks<ExecutionSpace>& blocks, const ElementPasses<ExecutionSpace>& passes,
              int nodes_per_element, int bins) {
  ScatterBuilder<ExecutionSpace> builder{{{}, {}, {}, {bins, {}, {}}},
                                         incidence,
                                         blocks.surrounding,
                                         {blocks.elements, passes},
                                         nodes_per_element};
  return {builder.build(exec, "Tessera::ScatterArray", passes.groups)};
}

} // namespace tessera::detail

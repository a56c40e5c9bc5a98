// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Binned reduction lists (paper 1, sections 4.2.3 and 4.3.2, figure 6, algorithms 5 and 6).

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/strategies/assembly/common/detail/binned_lists.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// A list: the sources (their numbers plus one) that add up to an entry, then the entry's list number,
/// inverted (-list - 1); for symmetric pairs of nodes of one block a second inverted number follows, of the
/// list of the transposed pair, which holds no sources of its own.
template <class ExecutionSpace>
struct ReductionArray : tessera::detail::BinnedLists<ExecutionSpace> {
  /// A team reads a group's lists: `source(number, sum)` adds a source's row of `Components` numbers to the
  /// sum, `target(list, sum, transposed)` takes a list's sum. No barrier at the end.
  template <int Components, class Scalar, class Member, class Source, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void reduce(const Member& member, Ordinal group, const Source& source,
                                          const Target& target) const {
    const Offset begin = this->offsets(group);
    const auto height = static_cast<Ordinal>((this->offsets(group + 1) - begin) / this->bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, this->bins), [&](Ordinal bin) {
      Scalar sum[Components] = {};
      bool saved = false;
      for (Ordinal step = 0; step < height; ++step) {
        const std::int32_t code = this->entries(begin + static_cast<Offset>(step) * this->bins + bin);
        if (code > 0) {
          if (saved)
            for (int b = 0; b < Components; ++b) sum[b] = 0;
          saved = false;
          source(static_cast<std::uint32_t>(code - 1), sum);
        } else if (code < 0) {
          target(-code - 1, sum, saved);
          saved = true;
        }
      }
    });
  }
};

/// Collects sources in two sweeps over the elements around each node: lengths, then numbers.
/// `LocalElement::operator()(group, e)` is the number of mesh element e within a group, -1 if it is not
/// there.
template <class ExecutionSpace, class LocalElement>
struct ReductionBuilder
    : tessera::detail::BinnedListsBuilder<ReductionBuilder<ExecutionSpace, LocalElement>, ExecutionSpace> {
  using Base = tessera::detail::BinnedListsBuilder<ReductionBuilder, ExecutionSpace>;
  using Base::array, Base::first_list, Base::lengths, Base::places;
  using typename Base::CountTag, typename Base::FillTag, typename Base::Member;
  using Base::operator();

  Kokkos::View<const Ordinal**, ExecutionSpace> connectivity;
  NodeToElement<ExecutionSpace> incidence;
  NodePairs<ExecutionSpace> pairs;
  RowBlocks<ExecutionSpace> rows;
  LocalElement local;
  Kokkos::View<const Ordinal*, ExecutionSpace> block_of_group; ///< empty: groups are blocks
  Kokkos::View<const Ordinal*, ExecutionSpace> place_of_node;  ///< empty: no pairs are merged

  KOKKOS_FUNCTION Ordinal block(Ordinal group) const {
    return block_of_group.extent(0) == 0 ? group : block_of_group(group);
  }

  KOKKOS_FUNCTION Offset num_lists(Ordinal group) const { return rows.lists(block(group)); }

  /// The list of pair (m, node) if pairs of the two nodes are merged and kept by `node`; -1 otherwise.
  KOKKOS_FUNCTION Ordinal twin(Ordinal block, Ordinal place, Ordinal node, Ordinal m) const {
    if (place_of_node.extent(0) == 0) return -1;
    const Ordinal other = place_of_node(m);
    if (other <= place || other >= rows.offsets(block + 1)) return -1;
    return static_cast<Ordinal>(rows.first_list(other) + pairs.find(m, node) - rows.begin(block));
  }
  /// Whether another node's list holds the sources of (node, m) and saves them here as well.
  KOKKOS_FUNCTION bool is_merged_away(Ordinal block, Ordinal place, Ordinal m) const {
    if (place_of_node.extent(0) == 0) return false;
    const Ordinal other = place_of_node(m);
    return other < place && other >= rows.offsets(block);
  }

  /// Calls `visit(k, source)` for every source of the node in this group; k is the degree for loads.
  template <class Visit>
  KOKKOS_FUNCTION void each_source(Ordinal group, Ordinal block, Ordinal place, const Visit& visit) const {
    const auto nodes = static_cast<Ordinal>(connectivity.extent(1));
    const Ordinal node = rows.node(place), sources = nodes * (nodes + 1);
    for (Offset p = incidence.offsets(node); p < incidence.offsets(node + 1); ++p) {
      const Ordinal e = incidence.elements(p), i = incidence.local_nodes(p), number = local(group, e);
      if (number < 0) continue;
      for (Ordinal j = 0; j < nodes; ++j) {
        const Ordinal m = connectivity(e, j);
        if (!is_merged_away(block, place, m)) visit(pairs.find(node, m), number * sources + i * nodes + j);
      }
      visit(pairs.degree(node), number * sources + nodes * nodes + i);
    }
  }

  template <class Each>
  KOKKOS_FUNCTION void each_place(const Member& member, const Each& each) const {
    const Ordinal group = member.league_rank(), block = this->block(group);
    const Ordinal begin = rows.offsets(block), end = rows.offsets(block + 1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, end - begin), [&](Ordinal i) {
      each(group, block, begin + i, first_list(group) + (rows.first_list(begin + i) - rows.begin(block)));
    });
  }

  KOKKOS_FUNCTION void operator()(CountTag, const Member& member) const {
    each_place(member, [&](Ordinal group, Ordinal block, Ordinal place, Offset first) {
      const Ordinal node = rows.node(place), degree = pairs.degree(node);
      for (Ordinal k = 0; k <= degree; ++k) lengths(first + k) = 0;
      each_source(group, block, place, [&](Ordinal k, Ordinal) { ++lengths(first + k); });
      for (Ordinal k = 0; k <= degree; ++k)
        if (lengths(first + k) > 0)
          lengths(first + k) += k < degree && twin(block, place, node, pairs.neighbor(node, k)) >= 0 ? 2 : 1;
    });
  }

  KOKKOS_FUNCTION void operator()(FillTag, const Member& member) const {
    each_place(member, [&](Ordinal group, Ordinal block, Ordinal place, Offset first) {
      const Ordinal node = rows.node(place), degree = pairs.degree(node);
      const auto append = [&](Ordinal k, std::int32_t code) {
        const auto step = static_cast<Offset>(places.start_of_list(first + k)++);
        array.entries(array.offsets(group) + step * array.bins + places.bin_of_list(first + k)) = code;
      };
      each_source(group, block, place, [&](Ordinal k, Ordinal source) { append(k, source + 1); });
      const auto list = static_cast<Ordinal>(rows.first_list(place) - rows.begin(block));
      for (Ordinal k = 0; k <= degree; ++k) {
        if (lengths(first + k) == 0) continue;
        append(k, -(list + k) - 1);
        const Ordinal second = k < degree ? twin(block, place, node, pairs.neighbor(node, k)) : -1;
        if (second >= 0) append(k, -second - 1);
      }
    });
  }
};

/// Builds the lists of every group and deals them to bins by LPT.
///
/// \param local see `ReductionBuilder`: which elements belong to a group, and their numbers there
/// \param block_of_group block of each group; empty: one group per block
/// \param place_of_node place of each node in `rows.nodes`, to sum entries of symmetric matrices once for
/// both
///   of their places; empty: every entry is summed by itself
/// \param bins threads that share a group's lists
template <class ExecutionSpace, class Connectivity, class LocalElement>
ReductionArray<ExecutionSpace>
reduction_array(const ExecutionSpace& exec, const Connectivity& connectivity,
                const NodeToElement<ExecutionSpace>& incidence, const NodePairs<ExecutionSpace>& pairs,
                const RowBlocks<ExecutionSpace>& rows, const LocalElement& local,
                const Kokkos::View<Ordinal*, ExecutionSpace>& block_of_group,
                const Kokkos::View<Ordinal*, ExecutionSpace>& place_of_node, Ordinal groups, int bins) {
  ReductionBuilder<ExecutionSpace, LocalElement> builder{{{}, {}, {}, {bins, {}, {}}},
                                                         connectivity,
                                                         incidence,
                                                         pairs,
                                                         rows,
                                                         local,
                                                         block_of_group,
                                                         place_of_node};
  return {builder.build(exec, "Tessera::ReductionArray", groups)};
}

} // namespace TESSERA_KERNELS::assembly::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Patches whose rows are summed pair by pair of nodes: numbers of the nodes within a patch, places of the
/// pairs.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/node_graph.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_lists.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Where one patch begins in the lists, and what it has.
struct PatchPart {
  Ordinal first, nodes; ///< its own nodes
  Ordinal halo_first, halo;
  Ordinal slot, slot_end;
  Ordinal pairs; ///< its own nodes' pairs with themselves included
};

/// What the kernel of pairs needs of patches.
///
/// A patch counts its own nodes from 0 on and then its *halo*, the nodes of other patches that share elements
/// with them: a node's number there is its *code*. Two neighbouring nodes, one of them its own at least, are
/// a *pair*, which has one *place* in scratch, whatever its direction: a node with itself the place of its
/// code, all others behind, sorted by the smaller code. Symmetry makes that enough: the block of the node
/// with the smaller code as the row is kept. Elements are computed by the patch of each of their nodes.
template <class Element, class ExecutionSpace>
struct PatchPairs {
  using Numbers = typename PatchLists<Element, ExecutionSpace>::Numbers;
  using Offsets = typename PatchLists<Element, ExecutionSpace>::Offsets;

  static constexpr int numbers =
      Element::nodes * (Element::nodes + 1) / 2; ///< codes and places of an element
  static constexpr int words = (numbers + 1) / 2;
  static constexpr Ordinal no_place = 0xffff;    ///< of pairs whose nodes are both in the halo
  static constexpr Ordinal most_places = 0x7fff; ///< of a patch
  static constexpr Ordinal turned = 0x8000;      ///< added where the entry's column has the smaller code

  /// Codes and places of an element.
  struct Codes {
    std::uint32_t word[words];
    KOKKOS_FORCEINLINE_FUNCTION Ordinal number(int k) const {
      return static_cast<Ordinal>(k % 2 == 0 ? word[k / 2] & 0xffffu : word[k / 2] >> 16);
    }
    KOKKOS_FORCEINLINE_FUNCTION Ordinal code(int n) const { return number(n); }
    /// Of nodes i > j.
    KOKKOS_FORCEINLINE_FUNCTION Ordinal place(int i, int j) const {
      return number(Element::nodes + i * (i - 1) / 2 + j);
    }
  };

  Ordinal patches = 0;
  NodeGraph<ExecutionSpace> graph;   ///< of the mesh's nodes, each its own neighbour
  Numbers nodes, node_offsets;       ///< as in `PatchLists`
  Numbers elements, element_offsets; ///< as in `PatchLists`
  Numbers halo_before;               ///< position in `nodes` (+1): halo nodes found from nodes before it
  Numbers halo;                      ///< the halos, patch after patch
  Offsets pairs_before; ///< position in `nodes` (+1): pairs of different nodes listed by nodes before it
  Kokkos::View<std::uint16_t*, ExecutionSpace> places; ///< of the graph's entries in the patch of their row
  Kokkos::View<std::uint32_t* [words], ExecutionSpace> words_of_slots;

  KOKKOS_FORCEINLINE_FUNCTION PatchPart part(Ordinal patch) const {
    PatchPart part{};
    part.first = node_offsets(patch);
    const Ordinal end = node_offsets(patch + 1);
    part.nodes = end - part.first;
    part.halo_first = halo_before(part.first);
    part.halo = halo_before(end) - part.halo_first;
    part.slot = element_offsets(patch);
    part.slot_end = element_offsets(patch + 1);
    part.pairs = part.nodes + static_cast<Ordinal>(pairs_before(end) - pairs_before(part.first));
    return part;
  }
  KOKKOS_FORCEINLINE_FUNCTION Codes codes(Ordinal slot) const {
    Codes codes;
    for (int w = 0; w < words; ++w) codes.word[w] = words_of_slots(slot, w);
    return codes;
  }

  /// \param system whose own graph of nodes is not counted
  std::size_t bytes(const SparsityGraph<ExecutionSpace>& system) const {
    const bool shared = graph.columns.data() == system.columns.data();
    return (shared ? 0 : bytes_of(graph.row_map) + bytes_of(graph.columns)) + bytes_of(nodes) +
           bytes_of(node_offsets) + bytes_of(elements) + bytes_of(element_offsets) + bytes_of(halo_before) +
           bytes_of(halo) + bytes_of(pairs_before) + bytes_of(places) + bytes_of(words_of_slots);
  }
};

template <class Element, class ExecutionSpace>
struct PatchPairsBuilder {
  using Pairs = PatchPairs<Element, ExecutionSpace>;

  Kokkos::View<const Ordinal*, ExecutionSpace> place_of_node; ///< position in `nodes`
  Kokkos::View<const Ordinal*, ExecutionSpace> patch_of_node;
  decltype(PatchLists<Element, ExecutionSpace>::codes) codes; ///< of slots, as in `PatchLists`
  Pairs pairs;

  struct Count {};
  struct ListHalo {};
  struct Places {};
  struct Encode {};

  struct Sums {
    Ordinal halo = 0;
    Offset pairs = 0;
    KOKKOS_FUNCTION Sums& operator+=(const Sums& other) {
      halo += other.halo;
      pairs += other.pairs;
      return *this;
    }
  };

  KOKKOS_FUNCTION Offset begin(Ordinal node) const { return pairs.graph.row_map(node); }

  /// The first of a patch's nodes, by position, among the neighbours of a node.
  KOKKOS_FUNCTION Ordinal first_neighbor(Ordinal node, Ordinal patch) const {
    Ordinal first = std::numeric_limits<Ordinal>::max();
    for (Offset entry = begin(node); entry < begin(node + 1); ++entry) {
      const Ordinal other = pairs.graph.columns(entry);
      if (patch_of_node(other) == patch) first = Kokkos::min(first, place_of_node(other));
    }
    return first;
  }
  /// Visits the nodes of the halo that have the node at position k as their first neighbour in the patch.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_of_halo(Ordinal k, const Visit& visit) const {
    const Ordinal node = pairs.nodes(k), patch = patch_of_node(node);
    for (Offset entry = begin(node); entry < begin(node + 1); ++entry) {
      const Ordinal other = pairs.graph.columns(entry);
      if (patch_of_node(other) != patch && first_neighbor(other, patch) == k) visit(other);
    }
  }
  /// Whether a pair is listed by the node at position k: that has the smaller code.
  KOKKOS_FUNCTION bool lists(Ordinal k, Ordinal other) const {
    return patch_of_node(other) != patch_of_node(pairs.nodes(k)) || place_of_node(other) > k;
  }
  /// Pairs that the node at position k lists before an entry of its row.
  KOKKOS_FUNCTION Ordinal listed_before(Ordinal k, Offset end) const {
    Ordinal count = 0;
    for (Offset entry = begin(pairs.nodes(k)); entry < end; ++entry)
      if (lists(k, pairs.graph.columns(entry))) ++count;
    return count;
  }
  KOKKOS_FUNCTION Offset entry_of(Ordinal row, Ordinal column) const {
    const auto length = static_cast<Ordinal>(begin(row + 1) - begin(row));
    return begin(row) + tessera::detail::place_in(pairs.graph.columns.data() + begin(row), length, column);
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal k, Sums& sum, bool final) const {
    if (final) {
      pairs.halo_before(k) = sum.halo;
      pairs.pairs_before(k) = sum.pairs;
    }
    for_each_of_halo(k, [&](Ordinal) { ++sum.halo; });
    sum.pairs += static_cast<Offset>(listed_before(k, begin(pairs.nodes(k) + 1)));
    if (final) {
      pairs.halo_before(k + 1) = sum.halo;
      pairs.pairs_before(k + 1) = sum.pairs;
    }
  }
  KOKKOS_FUNCTION void operator()(ListHalo, Ordinal k) const {
    Ordinal at = pairs.halo_before(k);
    for_each_of_halo(k, [&](Ordinal node) { pairs.halo(at++) = node; });
  }
  KOKKOS_FUNCTION void operator()(Places, Ordinal k) const {
    const Ordinal node = pairs.nodes(k), patch = patch_of_node(node);
    const Ordinal first = pairs.node_offsets(patch), own = pairs.node_offsets(patch + 1) - first;
    for (Offset entry = begin(node); entry < begin(node + 1); ++entry) {
      const Ordinal other = pairs.graph.columns(entry);
      Ordinal place = k - first;
      if (other != node) {
        const bool own_list = lists(k, other);
        const Ordinal lister = own_list ? k : place_of_node(other);
        const Offset at = own_list ? entry : entry_of(other, node);
        place = own + static_cast<Ordinal>(pairs.pairs_before(lister) - pairs.pairs_before(first)) +
                listed_before(lister, at) + (own_list ? 0 : Pairs::turned);
      }
      pairs.places(entry) = static_cast<std::uint16_t>(place);
    }
  }
  /// Code of a node in a patch's halo.
  KOKKOS_FUNCTION Ordinal halo_code(Ordinal patch, Ordinal node) const {
    const Ordinal first = pairs.node_offsets(patch);
    Ordinal at = pairs.halo_before(first_neighbor(node, patch));
    while (pairs.halo(at) != node) ++at;
    return pairs.node_offsets(patch + 1) - first + at - pairs.halo_before(first);
  }
  /// The slot's words: codes of its nodes, then places of their pairs.
  KOKKOS_FUNCTION void operator()(Encode, Ordinal slot) const {
    const Ordinal patch =
        tessera::detail::place_in(pairs.element_offsets.data(), pairs.patches + 1, slot + 1) - 1;
    Ordinal node[Element::nodes];
    typename Pairs::Codes encoded{};
    const auto put = [&](int k, Ordinal number) {
      encoded.word[k / 2] |= static_cast<std::uint32_t>(number) << (k % 2 * 16);
    };
    const auto own = [&](int n) { return codes(slot, n) >= 0; };
    for (int n = 0; n < Element::nodes; ++n) {
      const Ordinal code = codes(slot, n);
      node[n] = own(n) ? pairs.nodes(pairs.node_offsets(patch) + code) : -code - 1;
      put(n, own(n) ? code : halo_code(patch, node[n]));
    }
    for (int i = 1; i < Element::nodes; ++i)
      for (int j = 0; j < i; ++j) {
        Ordinal place = Pairs::no_place;
        if (own(i) || own(j)) {
          const Ordinal row = node[own(i) ? i : j], column = node[own(i) ? j : i];
          place = pairs.places(entry_of(row, column)) & Pairs::most_places;
        }
        put(Element::nodes + i * (i - 1) / 2 + j, place);
      }
    for (int w = 0; w < Pairs::words; ++w) pairs.words_of_slots(slot, w) = encoded.word[w];
  }
};

/// Numbers the nodes and pairs of a partition's patches.
/// \param lists of the same partition, elements recomputed; their codes are no longer needed afterwards
/// \param graph of the mesh's nodes, each its own neighbour
/// \throws OutOfMemoryError
///
/// Patches with more than `most_places` nodes or pairs get wrong places, which nothing may use.
template <class Element, class ExecutionSpace>
PatchPairs<Element, ExecutionSpace>
patch_pairs(const ExecutionSpace& exec, const PatchLists<Element, ExecutionSpace>& lists,
            const NodeGraph<ExecutionSpace>& graph, const DoublePartition<ExecutionSpace>& partition) {
  using Builder = PatchPairsBuilder<Element, ExecutionSpace>;
  using Pairs = PatchPairs<Element, ExecutionSpace>;
  const auto over = [&]<class Phase>(Phase, std::size_t items) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, static_cast<Ordinal>(items));
  };
  const auto make = [&]<class View>(View& view, const char* what, std::size_t extent) {
    view = allocate<View>(exec, std::string("Tessera::PatchPairs::") + what, extent);
  };
  const auto patch_of_node =
      tessera::detail::composed(exec, partition.patch_of_aggregate, partition.aggregate_of_node);
  Builder builder{partition.nodes.old_to_new, patch_of_node, lists.codes, {}};
  auto& pairs = builder.pairs;
  pairs.patches = lists.patches;
  pairs.graph = graph;
  pairs.nodes = lists.nodes;
  pairs.node_offsets = lists.node_offsets;
  pairs.elements = lists.elements;
  pairs.element_offsets = lists.element_offsets;
  const std::size_t nodes = lists.nodes.extent(0), slots = lists.elements.extent(0);
  pairs.halo_before =
      allocate_zeroed<typename Pairs::Numbers>(exec, "Tessera::PatchPairs::halo_before", nodes + 1);
  pairs.pairs_before =
      allocate_zeroed<typename Pairs::Offsets>(exec, "Tessera::PatchPairs::pairs_before", nodes + 1);
  make(pairs.places, "places", graph.columns.extent(0));
  make(pairs.words_of_slots, "words_of_slots", slots);
  typename Builder::Sums sums;
  Kokkos::parallel_scan("Tessera::PatchPairs::count", over(typename Builder::Count(), nodes), builder, sums);
  make(pairs.halo, "halo", sums.halo);
  Kokkos::parallel_for("Tessera::PatchPairs::list_halo", over(typename Builder::ListHalo(), nodes), builder);
  Kokkos::parallel_for("Tessera::PatchPairs::places", over(typename Builder::Places(), nodes), builder);
  Kokkos::parallel_for("Tessera::PatchPairs::encode", over(typename Builder::Encode(), slots), builder);
  exec.fence("Tessera::PatchPairs::encode");
  return pairs;
}

} // namespace TESSERA_KERNELS::assembly::detail

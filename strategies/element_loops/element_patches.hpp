// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Patches of neighbouring elements whose results are summed in scratch memory before they leave: nodes
/// inside a patch get their value there, those between patches from their patches' sums.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/element_loops/bank_order.hpp>
#include <tessera/strategies/element_loops/element_pairs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tessera {

/// Cells (pairs of elements, see `ElementPair`) along the Hilbert curve, `size` consecutive ones a patch, and
/// the lists by which a patch sums. Nodes and slots are ordered for the banks of scratch memory.
template <class Element, class ExecutionSpace>
struct ElementPatches {
  using Pair = ElementPair<Element>;
  /// A multiple of a warp's lanes: four cells a lane of simplices, which have few numbers each, and of others
  /// as many as 256 slots hold.
  static constexpr int most_cells = Element::affine_simplex ? 128 : std::max(256 / Pair::nodes / 32, 1) * 32;
  /// Slots of a patch: gaps let each node's start in a bank of its own.
  KOKKOS_FUNCTION static constexpr int slots_of(int cells) {
    const int used = cells * Pair::nodes, slots = used * 5 / 4;
    return used <= 256 && slots > 256 ? 256 : slots;
  }
  using Node = std::conditional_t<most_cells * Pair::nodes <= 640, std::uint8_t, std::uint16_t>;
  using Slot = std::conditional_t<slots_of(most_cells) <= 256, std::uint8_t, std::uint16_t>;
  static constexpr Ordinal node_limit = std::numeric_limits<Node>::max(); ///< of a patch
  static constexpr std::size_t index_bytes = Pair::nodes * (sizeof(Node) + sizeof(Slot));
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  /// A cell's nodes among its patch's, and the slots for its results.
  /// Aligned so that a thread reads all of it at once.
  struct alignas(index_bytes <= 16 ? std::bit_ceil(index_bytes) : 4) Places {
    Slot slot[Pair::nodes];
    Node node[Pair::nodes];
  };
  /// The slots of a node's results.
  struct Slots {
    Slot first, count;
  };

  ElementOrder<Element, ExecutionSpace> order; ///< element i of a cell: cell * Pair::elements + i
  int size = 0;                                ///< cells of a patch, at most `most_cells`
  Ordinal patches = 0;
  Numbers offsets;                              ///< patch (+1): its entries of `nodes`
  Numbers nodes;                                ///< node numbers, each patch's in the order of their places
  Kokkos::View<Slots*, ExecutionSpace> slots;   ///< entry of `nodes`
  Kokkos::View<Places*, ExecutionSpace> places; ///< cell
  Numbers sums;         ///< entry of `nodes`: place of its sum, -1 where no other patch has the node
  Numbers shared_nodes; ///< nodes of several patches or of none, ascending
  Numbers sum_offsets;  ///< entry of `shared_nodes` (+1): its sums, in the order of their patches
  Ordinal num_sums = 0;
  Ordinal most_nodes = 0; ///< of a patch

  /// Of the lists, without the order's.
  std::size_t bytes() const {
    return bytes_of(offsets) + bytes_of(nodes) + bytes_of(slots) + bytes_of(places) + bytes_of(shared_nodes) +
           bytes_of(sum_offsets) + bytes_of(sums);
  }
};

namespace detail {

/// Builds the lists from the cells around each node.
template <class Element, class ExecutionSpace>
struct BuildPatches {
  using Patches = ElementPatches<Element, ExecutionSpace>;
  using Pair = typename Patches::Pair;
  using Numbers = typename Patches::Numbers;
  using Node = typename Patches::Node;
  using Slot = typename Patches::Slot;

  Patches p;
  NodeToElement<ExecutionSpace> incidence;
  Numbers cursor;                                      ///< patch
  Numbers shared;                                      ///< node: entry of `shared_nodes`, -1 if there is none
  Numbers nodes;                                       ///< of patches, in the order of their places
  Kokkos::View<std::uint64_t*, ExecutionSpace> access; ///< entry of `nodes`: bits of `access_of`
  Ordinal num_nodes;

  struct Count {};
  struct ScanPatches {};
  struct ScanShared {};
  struct Fill {};
  struct Finish {};
  /// Shared nodes and their sums so far.
  struct Shared {
    Ordinal nodes = 0, sums = 0;
    KOKKOS_FUNCTION Shared& operator+=(const Shared& other) {
      nodes += other.nodes;
      sums += other.sums;
      return *this;
    }
    KOKKOS_FUNCTION friend Shared operator+(Shared a, const Shared& b) { return a += b; }
  };

  /// Calls visit(patch) for each patch of a node, ascending; returns how many.
  template <class Visit>
  KOKKOS_FUNCTION Ordinal for_each_patch(Ordinal node, const Visit& visit) const {
    Ordinal count = 0, last = -1;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      if (const Ordinal patch = incidence.elements(k) / p.size; patch != last) {
        visit(patch);
        last = patch;
        ++count;
      }
    return count;
  }
  /// Calls visit(cell, local node) for each cell of a patch around a node; returns how many.
  template <class Visit>
  KOKKOS_FUNCTION int for_each_cell(Ordinal patch, Ordinal node, const Visit& visit) const {
    int count = 0;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      if (incidence.elements(k) / p.size == patch) {
        visit(incidence.elements(k), incidence.local_nodes(k));
        ++count;
      }
    return count;
  }
  /// Half-warps read and write a local node of 16 cells at a time; they have numbers below 64, which elements
  /// of many nodes use several times.
  KOKKOS_FUNCTION int access_of(Ordinal cell, int local) const {
    const int halves = (p.size + bank_pairs - 1) / bank_pairs;
    return (local * halves + cell % p.size / bank_pairs) % 64;
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal node) const {
    for_each_patch(node, [&](Ordinal patch) { Kokkos::atomic_inc(&cursor(patch)); });
  }
  KOKKOS_FUNCTION void operator()(ScanPatches, Ordinal patch, Ordinal& sum, bool final) const {
    const Ordinal count = patch < p.patches ? cursor(patch) : 0;
    if (final) {
      p.offsets(patch) = sum;
      if (patch < p.patches) cursor(patch) = 0;
    }
    sum += count;
  }
  KOKKOS_FUNCTION void operator()(ScanShared, Ordinal node, Shared& sum, bool final) const {
    const Ordinal count = for_each_patch(node, [](Ordinal) {});
    if (final) {
      shared(node) = count == 1 ? -1 : sum.nodes;
      if (count != 1 && p.shared_nodes.extent(0) > 0) {
        p.shared_nodes(sum.nodes) = node;
        p.sum_offsets(sum.nodes) = sum.sums;
        p.sum_offsets(sum.nodes + 1) = sum.sums + count;
      }
    }
    if (count != 1) sum += Shared{1, count};
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    for_each_patch(node, [&](Ordinal patch) {
      const Ordinal entry = p.offsets(patch) + Kokkos::atomic_fetch_add(&cursor(patch), 1);
      std::uint64_t bits = 0;
      for_each_cell(patch, node,
                    [&](Ordinal cell, int local) { bits |= std::uint64_t(1) << access_of(cell, local); });
      nodes(entry) = node;
      access(entry) = bits;
    });
  }
  /// Places a patch's nodes and their slots; lists where their sums are; finds the largest patch.
  KOKKOS_FUNCTION void operator()(Finish, Ordinal patch, Ordinal& most) const {
    const Ordinal begin = p.offsets(patch), end = p.offsets(patch + 1);
    most = Kokkos::max(most, end - begin);
    sort(begin, end);
    place_nodes(patch, begin, end);
    place_slots(patch, begin, end);
    for (Ordinal i = begin; i < end; ++i) {
      const Ordinal own = shared(p.nodes(i));
      Ordinal rank = 0;
      if (own >= 0) for_each_patch(p.nodes(i), [&](Ordinal other) { rank += other < patch ? 1 : 0; });
      p.sums(i) = own >= 0 ? p.sum_offsets(own) + rank : -1;
    }
  }

private:
  /// By numbers, so that lanes which read consecutive places find them close in memory; of those that 32
  /// lanes read together, the ones in most accesses first, for they have the least choice.
  KOKKOS_FUNCTION void sort(Ordinal begin, Ordinal end) const {
    sort(begin, end, [&](Ordinal i, Ordinal node, std::uint64_t) { return nodes(i) < node; });
    for (Ordinal i = begin; i < end; i += 2 * bank_pairs)
      sort(i, Kokkos::min(i + 2 * bank_pairs, end), [&](Ordinal k, Ordinal node, std::uint64_t bits) {
        const int own = Kokkos::popcount(bits), other = Kokkos::popcount(access(k));
        return other > own || (other == own && nodes(k) < node);
      });
  }
  /// Shell's sort. \param before (i, node, accesses): whether entry i stays before a node
  template <class Before>
  KOKKOS_FUNCTION void sort(Ordinal begin, Ordinal end, const Before& before) const {
    for (Ordinal gap = (end - begin) / 2; gap > 0; gap /= 2)
      for (Ordinal i = begin + gap; i < end; ++i) {
        const Ordinal node = nodes(i);
        const std::uint64_t bits = access(i);
        Ordinal k = i;
        for (; k - gap >= begin && !before(k - gap, node, bits); k -= gap) {
          nodes(k) = nodes(k - gap);
          access(k) = access(k - gap);
        }
        nodes(k) = node;
        access(k) = bits;
      }
  }
  KOKKOS_FUNCTION void place_nodes(Ordinal patch, Ordinal begin, Ordinal end) const {
    BankPlaces places(end - begin);
    for (Ordinal i = begin; i < end; ++i) {
      const Ordinal node = nodes(i);
      const int place = places.next(access(i));
      p.nodes(begin + place) = node;
      const int count = for_each_cell(patch, node, [&](Ordinal cell, int local) {
        p.places(cell).node[local] = static_cast<Node>(place);
      });
      p.slots(begin + place).count = static_cast<Slot>(count);
    }
  }
  KOKKOS_FUNCTION void place_slots(Ordinal patch, Ordinal begin, Ordinal end) const {
    const Ordinal all = static_cast<Ordinal>(p.places.extent(0)) - patch * p.size;
    const int used = (all < p.size ? all : p.size) * Pair::nodes;
    BankLists lists(end - begin, Patches::slots_of(p.size) - used);
    BankSlots slots;
    for (Ordinal i = begin; i < end; ++i) {
      int first;
      const Ordinal entry = begin + lists.next(first);
      const int count = p.slots(entry).count;
      lists.advance(count);
      p.slots(entry).first = static_cast<Slot>(first);
      slots.start(first, count);
      for_each_cell(patch, p.nodes(entry), [&](Ordinal cell, int local) {
        p.places(cell).slot[local] = static_cast<Slot>(slots.next(access_of(cell, local)));
      });
    }
  }
};

} // namespace detail

/// Cuts a mesh into patches of `size` cells (the last may have fewer), on the device.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementPatches<Element, ExecutionSpace> element_patches(const ExecutionSpace& exec,
                                                        const Mesh<Element, ExecutionSpace>& mesh, int size) {
  using Builder = detail::BuildPatches<Element, ExecutionSpace>;
  using Numbers = typename Builder::Numbers;
  Builder b;
  auto& p = b.p;
  const auto paired = pair_elements(
      exec, mesh,
      hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity())).new_to_old);
  const auto cells = static_cast<Ordinal>(paired.cells.extent(0));
  p.order = permuted_order(exec, mesh, paired.numbers, {0, static_cast<Ordinal>(paired.numbers.extent(0))});
  p.order.mesh.connectivity = {}; // the patches' lists replace it
  p.order.bytes = bytes_of(p.order.mesh.materials) + bytes_of(p.order.mesh.numbers);
  p.size = size;
  p.patches = (cells + size - 1) / size;
  b.num_nodes = mesh.num_nodes();
  b.incidence = node_to_element(exec, paired.cells, mesh.num_nodes());
  b.cursor = allocate_zeroed<Numbers>(exec, "Tessera::ElementPatches::cursor", p.patches);
  b.shared = allocate<Numbers>(exec, "Tessera::ElementPatches::shared", mesh.num_nodes());
  p.offsets = allocate<Numbers>(exec, "Tessera::ElementPatches::offsets", p.patches + 1);
  const auto over = [&](auto tag, Ordinal count) {
    return Kokkos::RangePolicy<ExecutionSpace, decltype(tag)>(exec, 0, count);
  };
  Ordinal entries = 0;
  typename Builder::Shared shared;
  Kokkos::parallel_for("Tessera::ElementPatches::count", over(typename Builder::Count(), b.num_nodes), b);
  Kokkos::parallel_scan("Tessera::ElementPatches::scan_patches",
                        over(typename Builder::ScanPatches(), p.patches + 1), b, entries);
  Kokkos::parallel_scan("Tessera::ElementPatches::count_shared",
                        over(typename Builder::ScanShared(), b.num_nodes), b, shared);
  p.shared_nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::shared_nodes", shared.nodes);
  p.sum_offsets = allocate_zeroed<Numbers>(exec, "Tessera::ElementPatches::sum_offsets", shared.nodes + 1);
  p.num_sums = shared.sums;
  Kokkos::parallel_scan("Tessera::ElementPatches::fill_shared",
                        over(typename Builder::ScanShared(), b.num_nodes), b, shared);
  b.nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::sorted_nodes", entries);
  b.access = allocate<decltype(b.access)>(exec, "Tessera::ElementPatches::access", entries);
  p.nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::nodes", entries);
  p.slots = allocate<decltype(p.slots)>(exec, "Tessera::ElementPatches::slots", entries);
  p.sums = allocate<Numbers>(exec, "Tessera::ElementPatches::sums", entries);
  p.places = allocate<decltype(p.places)>(exec, "Tessera::ElementPatches::places", cells);
  Kokkos::parallel_for("Tessera::ElementPatches::fill", over(typename Builder::Fill(), b.num_nodes), b);
  Kokkos::parallel_reduce("Tessera::ElementPatches::finish", over(typename Builder::Finish(), p.patches), b,
                          Kokkos::Max<Ordinal>(p.most_nodes));
  p.most_nodes = std::max<Ordinal>(p.most_nodes, 1);
  return p;
}

} // namespace tessera

#pragma once

/// \file
/// Patches of neighbouring elements whose results are summed in scratch memory before they leave: one sum per
/// patch and node, and each node's value from its patches' sums.

#include <tessera/core/incidence.hpp>
#include <tessera/core/reorder.hpp>
#include <tessera/strategies/common/element_order.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

/// Elements along the Hilbert curve, `size` consecutive ones a patch, and the lists by which a patch sums.
template <class Element, class ExecutionSpace>
struct ElementPatches {
  /// A multiple of a warp's lanes; of small elements as many as 256 slots hold, which one byte numbers.
  static constexpr int most_elements = std::max(256 / Element::nodes / 32, 1) * 32;
  using Index = std::conditional_t<most_elements * Element::nodes <= 256, std::uint8_t, std::uint16_t>;
  static constexpr std::size_t index_bytes = 2 * Element::nodes * sizeof(Index);
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  /// An element's nodes among its patch's, and the slots for its results: those of a node follow each other.
  /// Aligned so that a thread reads all of it at once.
  struct alignas(index_bytes <= 16 ? std::bit_ceil(index_bytes) : 4) Places {
    Index node[Element::nodes];
    Index slot[Element::nodes];
  };

  ElementOrder<Element, ExecutionSpace> order;
  int size = 0; ///< elements of a patch, at most `most_elements`
  Ordinal patches = 0;
  Numbers offsets;                                  ///< patch (+1): its entries of `nodes`
  Numbers nodes;                                    ///< node numbers, ascending in each patch
  Kokkos::View<Index*, ExecutionSpace> first_slots; ///< entry of `nodes`: its first slot
  Kokkos::View<Places*, ExecutionSpace> places;     ///< element, in this order
  Numbers sum_offsets;                              ///< node (+1): its entries of `sums`
  Numbers sums;                                     ///< a node's entries of `nodes`, ascending
  Ordinal most_nodes = 0;                           ///< of a patch

  /// Of the lists, without the order's.
  std::size_t bytes() const {
    return bytes_of(offsets) + bytes_of(nodes) + bytes_of(first_slots) + bytes_of(places) +
           bytes_of(sum_offsets) + bytes_of(sums);
  }
};

namespace detail {

/// Builds the lists from the elements around each node, which are in the patches' order.
template <class Element, class ExecutionSpace>
struct BuildPatches {
  using Patches = ElementPatches<Element, ExecutionSpace>;
  using Numbers = typename Patches::Numbers;

  Patches p;
  NodeToElement<ExecutionSpace> incidence;
  Numbers cursor; ///< patch
  Ordinal num_nodes;

  struct Count {};
  struct ScanPatches {};
  struct ScanNodes {};
  struct Fill {};
  struct Finish {};

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
  KOKKOS_FUNCTION void operator()(ScanNodes, Ordinal node, Ordinal& sum, bool final) const {
    if (final) p.sum_offsets(node) = sum;
    if (node < num_nodes) sum += for_each_patch(node, [](Ordinal) {});
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    for_each_patch(node, [&](Ordinal patch) {
      p.nodes(p.offsets(patch) + Kokkos::atomic_fetch_add(&cursor(patch), 1)) = node;
    });
  }
  /// Sorts a patch's nodes, then lists their slots and where their sums are; finds the largest patch.
  KOKKOS_FUNCTION void operator()(Finish, Ordinal patch, Ordinal& most) const {
    using Index = typename Patches::Index;
    const Ordinal begin = p.offsets(patch), end = p.offsets(patch + 1);
    most = Kokkos::max(most, end - begin);
    for (Ordinal gap = (end - begin) / 2; gap > 0; gap /= 2) // Shell's sort
      for (Ordinal i = begin + gap; i < end; ++i) {
        const Ordinal node = p.nodes(i);
        Ordinal k = i;
        for (; k - gap >= begin && p.nodes(k - gap) > node; k -= gap) p.nodes(k) = p.nodes(k - gap);
        p.nodes(k) = node;
      }
    Ordinal slot = 0;
    for (Ordinal i = begin; i < end; ++i) {
      const Ordinal node = p.nodes(i);
      p.first_slots(i) = static_cast<Index>(slot);
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
        const Ordinal e = incidence.elements(k);
        if (e / p.size == patch) {
          p.places(e).node[incidence.local_nodes(k)] = static_cast<Index>(i - begin);
          p.places(e).slot[incidence.local_nodes(k)] = static_cast<Index>(slot++);
        }
      }
      Ordinal rank = 0;
      for_each_patch(node, [&](Ordinal other) { rank += other < patch ? 1 : 0; });
      p.sums(p.sum_offsets(node) + rank) = i;
    }
  }
};

} // namespace detail

/// Cuts a mesh into patches of `size` elements (the last may have fewer), on the device.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementPatches<Element, ExecutionSpace> element_patches(const ExecutionSpace& exec,
                                                        const Mesh<Element, ExecutionSpace>& mesh, int size) {
  using Builder = detail::BuildPatches<Element, ExecutionSpace>;
  using Numbers = typename Builder::Numbers;
  Builder b;
  auto& p = b.p;
  p.order = permuted_order(
      exec, mesh,
      hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity())).new_to_old,
      {0, mesh.num_elements()});
  p.size = size;
  p.patches = (mesh.num_elements() + size - 1) / size;
  b.num_nodes = mesh.num_nodes();
  b.incidence = node_to_element(exec, p.order.mesh.connectivity, mesh.num_nodes());
  b.cursor = allocate_zeroed<Numbers>(exec, "Tessera::ElementPatches::cursor", p.patches);
  p.offsets = allocate<Numbers>(exec, "Tessera::ElementPatches::offsets", p.patches + 1);
  p.sum_offsets = allocate<Numbers>(exec, "Tessera::ElementPatches::sum_offsets", mesh.num_nodes() + 1);
  const auto over = [&](auto tag, Ordinal count) {
    return Kokkos::RangePolicy<ExecutionSpace, decltype(tag)>(exec, 0, count);
  };
  Ordinal entries = 0;
  Kokkos::parallel_for("Tessera::ElementPatches::count", over(typename Builder::Count(), b.num_nodes), b);
  Kokkos::parallel_scan("Tessera::ElementPatches::scan_patches",
                        over(typename Builder::ScanPatches(), p.patches + 1), b, entries);
  Kokkos::parallel_scan("Tessera::ElementPatches::scan_nodes",
                        over(typename Builder::ScanNodes(), b.num_nodes + 1), b);
  p.nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::nodes", entries);
  p.sums = allocate<Numbers>(exec, "Tessera::ElementPatches::sums", entries);
  p.first_slots = allocate<decltype(p.first_slots)>(exec, "Tessera::ElementPatches::first_slots", entries);
  p.places = allocate<decltype(p.places)>(exec, "Tessera::ElementPatches::places", mesh.num_elements());
  Kokkos::parallel_for("Tessera::ElementPatches::fill", over(typename Builder::Fill(), b.num_nodes), b);
  Kokkos::parallel_reduce("Tessera::ElementPatches::finish", over(typename Builder::Finish(), p.patches), b,
                          Kokkos::Max<Ordinal>(p.most_nodes));
  p.most_nodes = std::max<Ordinal>(p.most_nodes, 1);
  p.order.mesh.connectivity = {}; // the patches' lists replace it
  p.order.bytes = bytes_of(p.order.mesh.materials) + bytes_of(p.order.mesh.numbers);
  return p;
}

} // namespace tessera

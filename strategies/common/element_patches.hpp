#pragma once

/// \file
/// Patches of neighbouring elements whose results are summed in scratch memory before they leave: each node
/// inside a patch is written once, by its patch, and each node between patches once, from their sums.

#include <tessera/core/incidence.hpp>
#include <tessera/core/reorder.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/node_values.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tessera {

/// Elements along the Hilbert curve, `size` consecutive ones a patch, and the lists by which a patch sums.
template <class Element, class ExecutionSpace>
struct ElementPatches {
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  ElementOrder<Element, ExecutionSpace> order;
  int size = 0; ///< elements of a patch
  Ordinal patches = 0;
  Numbers node_offsets; ///< patch (+1): its nodes
  Numbers nodes;        ///< node numbers, ascending in each patch
  Kokkos::View<std::uint16_t*, ExecutionSpace>
      slot_offsets; ///< entry of `nodes` + patch: first slot within the patch
  Kokkos::View<std::uint16_t*, ExecutionSpace>
      slots;              ///< patch * size * nodes + ...: local node * size + element
  Numbers targets;        ///< entry of `nodes`: where its sum goes if other patches share the node, else -1
  Numbers shared_nodes;   ///< nodes of several patches or of none
  Numbers shared_offsets; ///< entry of `shared_nodes` (+1): its sums
  Ordinal sums = 0;       ///< of all shared nodes
  /// (element in this order, node): position among the patch's nodes
  Kokkos::View<std::uint16_t * [Element::nodes], ExecutionSpace> local_nodes;
  Ordinal most_nodes = 0; ///< of a patch

  /// Of the lists, without the order's.
  std::size_t bytes() const {
    return bytes_of(node_offsets) + bytes_of(nodes) + bytes_of(slot_offsets) + bytes_of(slots) +
           bytes_of(targets) + bytes_of(shared_nodes) + bytes_of(shared_offsets) + bytes_of(local_nodes);
  }
};

namespace detail {

/// Builds the lists from the elements around each node, which are in the patches' order.
template <class Element, class ExecutionSpace>
struct BuildPatches {
  ElementPatches<Element, ExecutionSpace> p;
  NodeToElement<ExecutionSpace> incidence;
  typename ElementPatches<Element, ExecutionSpace>::Numbers cursor;       ///< patch
  typename ElementPatches<Element, ExecutionSpace>::Numbers shared_index; ///< node
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
  KOKKOS_FUNCTION void operator()(Count, Ordinal node) const {
    for_each_patch(node, [&](Ordinal patch) { Kokkos::atomic_inc(&cursor(patch)); });
  }
  KOKKOS_FUNCTION void operator()(ScanPatches, Ordinal patch, Ordinal& sum, bool final) const {
    const Ordinal count = patch < p.patches ? cursor(patch) : 0;
    if (final) {
      p.node_offsets(patch) = sum;
      if (patch < p.patches) cursor(patch) = 0;
    }
    sum += count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    for_each_patch(node, [&](Ordinal patch) {
      p.nodes(p.node_offsets(patch) + Kokkos::atomic_fetch_add(&cursor(patch), 1)) = node;
    });
  }
  KOKKOS_FUNCTION void operator()(ScanShared, Ordinal node, Shared& sum, bool final) const {
    const Ordinal count = for_each_patch(node, [](Ordinal) {});
    if (final) {
      shared_index(node) = count == 1 ? -1 : sum.nodes;
      if (count != 1 && p.shared_nodes.extent(0) > 0) {
        p.shared_nodes(sum.nodes) = node;
        p.shared_offsets(sum.nodes) = sum.sums;
        p.shared_offsets(sum.nodes + 1) = sum.sums + count;
      }
    }
    if (count != 1) sum += Shared{1, count};
  }
  /// Sorts a patch's nodes, then lists their slots and targets; finds the largest patch.
  KOKKOS_FUNCTION void operator()(Finish, Ordinal patch, Ordinal& most) const {
    const Ordinal begin = p.node_offsets(patch), end = p.node_offsets(patch + 1);
    most = Kokkos::max(most, end - begin);
    for (Ordinal gap = (end - begin) / 2; gap > 0; gap /= 2) // Shell's sort
      for (Ordinal i = begin + gap; i < end; ++i) {
        const Ordinal node = p.nodes(i);
        Ordinal k = i;
        for (; k - gap >= begin && p.nodes(k - gap) > node; k -= gap) p.nodes(k) = p.nodes(k - gap);
        p.nodes(k) = node;
      }
    const Ordinal first = patch * p.size;
    const Offset slots = static_cast<Offset>(first) * Element::nodes;
    Ordinal used = 0;
    for (Ordinal i = begin; i < end; ++i) {
      const Ordinal node = p.nodes(i);
      p.slot_offsets(i + patch) = static_cast<std::uint16_t>(used);
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
        const Ordinal e = incidence.elements(k);
        if (e / p.size == patch) {
          p.slots(slots + used++) =
              static_cast<std::uint16_t>(incidence.local_nodes(k) * p.size + (e - first));
          p.local_nodes(e, incidence.local_nodes(k)) = static_cast<std::uint16_t>(i - begin);
        }
      }
      p.targets(i) = -1;
      if (const Ordinal s = shared_index(node); s >= 0) {
        Ordinal rank = 0;
        for_each_patch(node, [&](Ordinal other) { rank += other < patch ? 1 : 0; });
        p.targets(i) = p.shared_offsets(s) + rank;
      }
    }
    p.slot_offsets(end + patch) = static_cast<std::uint16_t>(used);
  }
};

} // namespace detail

/// Cuts a mesh into patches of `size` elements (the last may have fewer), on the device.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementPatches<Element, ExecutionSpace> element_patches(const ExecutionSpace& exec,
                                                        const Mesh<Element, ExecutionSpace>& mesh, int size) {
  using Builder = detail::BuildPatches<Element, ExecutionSpace>;
  using Numbers = typename ElementPatches<Element, ExecutionSpace>::Numbers;
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
  const auto zeros = [&](const char* label, std::size_t extent) {
    return Numbers(Kokkos::view_alloc(exec, std::string(label)), extent);
  };
  b.cursor = zeros("Tessera::ElementPatches::cursor", p.patches);
  b.shared_index = zeros("Tessera::ElementPatches::shared_index", mesh.num_nodes());
  p.node_offsets = zeros("Tessera::ElementPatches::node_offsets", p.patches + 1);
  const auto over = [&](auto tag, Ordinal count) {
    return Kokkos::RangePolicy<ExecutionSpace, decltype(tag)>(exec, 0, count);
  };
  Ordinal entries = 0;
  typename Builder::Shared shared;
  Kokkos::parallel_for("Tessera::ElementPatches::count", over(typename Builder::Count(), b.num_nodes), b);
  Kokkos::parallel_scan("Tessera::ElementPatches::scan", over(typename Builder::ScanPatches(), p.patches + 1),
                        b, entries);
  p.nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::nodes", entries);
  p.targets = allocate<Numbers>(exec, "Tessera::ElementPatches::targets", entries);
  p.slot_offsets =
      allocate<decltype(p.slot_offsets)>(exec, "Tessera::ElementPatches::slot_offsets", entries + p.patches);
  p.slots = allocate<decltype(p.slots)>(exec, "Tessera::ElementPatches::slots",
                                        static_cast<Offset>(mesh.num_elements()) * Element::nodes);
  Kokkos::parallel_for("Tessera::ElementPatches::fill", over(typename Builder::Fill(), b.num_nodes), b);
  Kokkos::parallel_scan("Tessera::ElementPatches::count_shared",
                        over(typename Builder::ScanShared(), b.num_nodes), b, shared);
  p.sums = shared.sums;
  p.shared_nodes = allocate<Numbers>(exec, "Tessera::ElementPatches::shared_nodes", shared.nodes);
  p.shared_offsets = zeros("Tessera::ElementPatches::shared_offsets", shared.nodes + 1);
  Kokkos::parallel_scan("Tessera::ElementPatches::fill_shared",
                        over(typename Builder::ScanShared(), b.num_nodes), b, shared);
  p.local_nodes =
      allocate<decltype(p.local_nodes)>(exec, "Tessera::ElementPatches::local_nodes", mesh.num_elements());
  Kokkos::parallel_reduce("Tessera::ElementPatches::finish", over(typename Builder::Finish(), p.patches), b,
                          Kokkos::Max<Ordinal>(p.most_nodes));
  p.most_nodes = std::max<Ordinal>(p.most_nodes, 1);
  p.order.mesh.connectivity = {}; // the patches' lists replace it
  p.order.bytes = bytes_of(p.order.mesh.materials) + bytes_of(p.order.mesh.numbers);
  return p;
}

} // namespace tessera

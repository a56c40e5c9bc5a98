// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements that stand twice in a mesh.

#include <tessera/core/allocate.hpp>
#include <tessera/core/elements/shape.hpp>
#include <tessera/core/graphs/detail/scrambled.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace tessera::detail {

/// A table of the elements by their corners, with two places for each. An element takes the first free place
/// of a sequence that its corners decide, so that it meets the one that has the same. The sequence begins
/// near the place of one of its nodes, as if at random, for neighbours to lie close in memory; where that is
/// crowded it goes on anywhere, so that no mesh and no numbering of the nodes makes it long.
template <class Element, class Connectivity>
struct ElementTable {
  static constexpr int corners = vertices_of(Element::shape);
  /// So many places near a node are as good as each other, of which so many are tried.
  static constexpr std::uint32_t near_places = 128, near_steps = 8;

  Connectivity connectivity;
  std::uint64_t num_nodes;
  Kokkos::View<Ordinal*, typename Connectivity::execution_space> places; ///< element + 1; 0: free

  KOKKOS_FUNCTION bool have_same_corners(Ordinal e, Ordinal f) const {
    for (int n = 0; n < corners; ++n) {
      bool shared = false;
      for (int m = 0; m < corners; ++m) shared = shared || connectivity(e, n) == connectivity(f, m);
      if (!shared) return false;
    }
    return true;
  }

  /// Enters an element. Returns the larger number of it and one with the same corners, if there is one, else
  /// the largest number.
  KOKKOS_FUNCTION Ordinal enter(Ordinal e) const {
    std::uint32_t hash = 0, least = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t chosen = 0;
    for (int n = 0; n < corners; ++n) {
      const auto node = static_cast<std::uint32_t>(connectivity(e, n));
      const std::uint32_t of_node = scrambled(node);
      hash += of_node; // whatever their order is
      if (of_node > least) continue;
      least = of_node;
      chosen = node;
    }
    const std::uint64_t size = places.extent(0), first = chosen * size / num_nodes;
    for (std::uint32_t step = 0;; ++step) {
      const std::uint64_t place =
          step < near_steps ? first + scrambled(hash + step) % near_places
                            : (std::uint64_t{scrambled(hash + step)} * size) >> 32; // even for 2^32 places
      Ordinal* const entry = &places(place % size);
      Ordinal found = Kokkos::atomic_load(entry);
      if (found == 0) found = Kokkos::atomic_compare_exchange(entry, Ordinal{0}, e + 1);
      if (found == 0) return std::numeric_limits<Ordinal>::max();
      if (have_same_corners(e, found - 1)) return Kokkos::max(e, found - 1);
    }
  }
};

/// The smallest number of an element of which another one, of a smaller number, has the corners; the largest
/// number if there is none. Of elements that stand more than twice it may be any but the first.
///
/// \param connectivity of elements that name no node twice, and none that is not there
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace, class Connectivity>
Ordinal repeated_element(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal num_nodes) {
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  using Table = ElementTable<Element, Connectivity>;
  const Table table{connectivity, static_cast<std::uint64_t>(num_nodes),
                    allocate_zeros<decltype(Table::places)>(exec, "Tessera::Mesh::element_table",
                                                            2 * static_cast<std::size_t>(elements))};
  Ordinal repeated = std::numeric_limits<Ordinal>::max();
  Kokkos::parallel_reduce(
      "Tessera::Mesh::check_repeated_elements", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
      KOKKOS_LAMBDA(Ordinal e, Ordinal & smallest) { smallest = Kokkos::min(smallest, table.enter(e)); },
      Kokkos::Min<Ordinal>(repeated));
  return repeated;
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Builds the star of every node of a mesh of linear simplices.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/detail/row_owner/neighbor_list.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/node_windows.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_layout.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace TESSERA_KERNELS::assembly::detail {

/// Writes the lists of seated nodes.
template <class Element, class ExecutionSpace>
struct NodeListsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr int width = Stars::width, window = Stars::window;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Stars stars;

  struct Scan {};
  struct Fill {};

  struct Begins {
    Offset neighbors = 0, elements = 0;
    KOKKOS_FUNCTION Begins& operator+=(const Begins& other) {
      neighbors += other.neighbors;
      elements += other.elements;
      return *this;
    }
  };

  KOKKOS_FUNCTION void operator()(Scan, Ordinal slice, Begins& sum, bool final) const {
    int degree = 0, valence = 0;
    for (Ordinal seat = slice * width; seat < (slice + 1) * width; ++seat) {
      degree = Kokkos::max(degree, static_cast<int>(stars.degree(seat)));
      valence = Kokkos::max(valence, static_cast<int>(stars.valence(seat)));
    }
    if (final && slice == 0) stars.neighbor_begin(0) = stars.element_begin(0) = 0;
    sum.neighbors += static_cast<Offset>(degree) * width;
    sum.elements += static_cast<Offset>(valence) * width;
    if (!final) return;
    stars.neighbor_begin(slice + 1) = sum.neighbors;
    stars.element_begin(slice + 1) = sum.elements;
  }

  /// The node that takes a seat, -1 for none.
  KOKKOS_FUNCTION Ordinal node(Ordinal seat) const {
    const auto [first, nodes] = stars.windows(seat / window);
    const Ordinal i = stars.node_in_window(seat);
    return i < nodes ? first + i : -1;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal seat) const {
    const Ordinal slice = seat / width, node = this->node(seat);
    Offset neighbor = stars.neighbor_begin(slice) + seat % width;
    Offset element = stars.element_begin(slice) + seat % width;
    stars.position(seat) = 0;
    if (stars.folded) stars.row(seat) = slice % 2 == 1 ? stars.degree(seat - width) : 0;
    if (node >= 0) {
      const NeighborList list(connectivity, Element::nodes, incidence, node);
      stars.position(seat) = static_cast<std::uint8_t>(list.position(node));
      for (int k = 0; k < list.count; ++k, neighbor += width) stars.neighbors(neighbor) = list.nodes[k];
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k, element += width)
        stars.corners(element) = corners(list, k);
    }
    for (; neighbor < stars.neighbor_begin(slice + 1); neighbor += width) stars.neighbors(neighbor) = 0;
    for (; element < stars.element_begin(slice + 1); element += width) stars.corners(element) = 0;
  }

  /// The element's other nodes in the order that an even permutation gives which brings the node to the
  /// front.
  KOKKOS_FUNCTION typename Stars::Corners corners(const NeighborList& list, Offset source) const {
    const Ordinal element = incidence.elements(source);
    const int own = incidence.local_nodes(source);
    unsigned word = 0;
    for (int n = 1; n < Element::nodes; ++n) {
      const Ordinal neighbor = connectivity(element, star_corner<Element>(own, n));
      word |= static_cast<unsigned>(list.position(neighbor)) << (Stars::position_bits * (n - 1));
    }
    return static_cast<typename Stars::Corners>(word);
  }
};

/// The most neighbours, padding included, that a team has in the windows from `first` to `last`, the latter
/// excluded.
template <class Element, class ExecutionSpace>
int most_neighbors(const ExecutionSpace& exec, const NodeStars<Element, ExecutionSpace>& stars, Ordinal first,
                   Ordinal last) {
  int most = 0;
  constexpr int width = NodeStars<Element, ExecutionSpace>::width;
  Kokkos::parallel_reduce(
      "Tessera::NodeStars::most_neighbors",
      Kokkos::RangePolicy<ExecutionSpace>(exec, first * stars.window, last * stars.window),
      KOKKOS_LAMBDA(const Ordinal seat, int& largest) {
        largest = Kokkos::max(largest, stars.first_place(seat) - seat % width + stars.degree(seat) * width);
      },
      Kokkos::Max<int>(most));
  return std::max(most, 0); // the maximum of no windows is the least integer
}

/// Builds the stars on the device.
/// \throws UnsupportedError naming a node with more than 256 neighbours; OutOfMemoryError with the bytes
/// wanted
template <class Element, class ExecutionSpace>
NodeStars<Element, ExecutionSpace> node_stars(const ExecutionSpace& exec,
                                              const Mesh<Element, ExecutionSpace>& mesh,
                                              const std::vector<StarRoom>& rooms) {
  using Builder = NodeListsBuilder<Element, ExecutionSpace>;
  NodeStars<Element, ExecutionSpace> stars;
  const auto incidence = node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes());
  seat_nodes(exec, mesh, incidence, rooms, stars);

  const Ordinal slices = stars.num_windows() * stars.slices;
  make_list(exec, stars.neighbor_begin, "neighbor_begin", slices + 1);
  make_list(exec, stars.element_begin, "element_begin", slices + 1);
  Builder builder{mesh.kernel().connectivity, incidence, stars};
  typename Builder::Begins total;
  Kokkos::parallel_scan("Tessera::NodeStars::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, slices), builder,
                        total);
  exec.fence("Tessera::NodeStars::scan");
  make_list(exec, stars.neighbors, "neighbors", total.neighbors);
  make_list(exec, stars.corners, "corners", total.elements);
  builder.stars = stars;
  Kokkos::parallel_for(
      "Tessera::NodeStars::fill",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, stars.num_seats()), builder);
  exec.fence("Tessera::NodeStars::fill");
  return stars;
}

} // namespace TESSERA_KERNELS::assembly::detail

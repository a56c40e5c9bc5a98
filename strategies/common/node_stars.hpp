#pragma once

/// \file
/// The star of every node of a mesh of linear simplices, laid out for one thread (or vector lane) per node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/incidence.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/common/neighbor_list.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera {

/// Neighbours and elements of each node, in slices of `width` nodes whose lists are interleaved, so that the
/// threads of a warp read neighbouring words (the sliced ELLPACK layout: A. Monakov, A. Lokhmotov, A.
/// Avetisyan, "Automatically tuning sparse matrix-vector multiplication for GPU architectures", HiPEAC 2010).
/// Within every window of `window` consecutive nodes the slices follow the number of elements around a node:
/// lists of one slice have nearly the same length, which keeps the padding small and the lanes busy.
///
/// A "seat" is a place in this order: seat / width is its slice, seat % width its lane.
template <class Element, class ExecutionSpace>
struct NodeStars {
  static_assert(Element::affine_simplex, "NodeStars: linear triangles and tetrahedra");
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;
  static constexpr int width = on_host ? 8 : 32;
  static constexpr int window = 64;
  /// Positions of the other nodes of an element in the list of neighbours, a byte each.
  using Corners = std::conditional_t<Element::dimension == 2, std::uint16_t, std::uint32_t>;

  Ordinal num_nodes = 0;
  Kokkos::View<std::uint8_t*, ExecutionSpace> node_in_window; ///< seat: node number minus its window's first
  Kokkos::View<std::uint16_t*, ExecutionSpace> degree;        ///< seat: neighbours, the node itself included
  Kokkos::View<std::uint16_t*, ExecutionSpace> valence;       ///< seat: elements around the node
  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin;       ///< slice (+1)
  Kokkos::View<Offset*, ExecutionSpace> element_begin;        ///< slice (+1)
  Kokkos::View<Ordinal*, ExecutionSpace>
      neighbors; ///< neighbor_begin(slice) + k * width + lane: ascending in k
  Kokkos::View<Corners*, ExecutionSpace> corners;  ///< element_begin(slice) + k * width + lane
  Kokkos::View<Ordinal*, ExecutionSpace> elements; ///< the same places: element numbers

  Ordinal num_seats() const { return (num_nodes + window - 1) / window * window; }

  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal seat) const {
    return seat / window * window + node_in_window(seat);
  }
  std::size_t bytes() const {
    return bytes_of(node_in_window) + bytes_of(degree) + bytes_of(valence) + bytes_of(neighbor_begin) +
           bytes_of(element_begin) + bytes_of(neighbors) + bytes_of(corners) + bytes_of(elements);
  }
};

namespace detail {

template <class Element, class ExecutionSpace>
struct NodeStarsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr int width = Stars::width, window = Stars::window;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Stars stars;
  Kokkos::View<Ordinal*, ExecutionSpace> crowded; ///< entry 0: a node with too many neighbours

  struct Seat {};
  struct Count {};
  struct Scan {};
  struct Fill {};

  KOKKOS_FUNCTION Ordinal valence(Ordinal node) const {
    return node < stars.num_nodes
               ? static_cast<Ordinal>(incidence.offsets(node + 1) - incidence.offsets(node))
               : -1; // seats behind the last node come last
  }

  /// A node's seat: its rank by descending valence, then by number, among the nodes of its window.
  KOKKOS_FUNCTION void operator()(Seat, Ordinal node) const {
    const Ordinal first = node / window * window, own = valence(node);
    int rank = 0;
    for (Ordinal other = first; other < first + window; ++other) {
      const Ordinal count = valence(other);
      rank += count > own || (count == own && other < node);
    }
    stars.node_in_window(first + rank) = static_cast<std::uint8_t>(node - first);
  }

  KOKKOS_FUNCTION NeighborList neighbors(Ordinal node) const {
    return NeighborList(connectivity, Element::nodes, incidence, node);
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal seat) const {
    const Ordinal node = stars.node(seat);
    if (node >= stars.num_nodes) {
      stars.degree(seat) = stars.valence(seat) = 0;
      return;
    }
    const int degree = neighbors(node).count;
    if (degree > NeighborList::capacity) crowded(0) = node;
    stars.degree(seat) = static_cast<std::uint16_t>(degree);
    stars.valence(seat) = static_cast<std::uint16_t>(valence(node));
  }

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

  KOKKOS_FUNCTION void operator()(Fill, Ordinal seat) const {
    const Ordinal slice = seat / width, node = stars.node(seat);
    Offset neighbor = stars.neighbor_begin(slice) + seat % width;
    Offset element = stars.element_begin(slice) + seat % width;
    if (node < stars.num_nodes) {
      const NeighborList list = neighbors(node);
      for (int k = 0; k < list.count; ++k, neighbor += width) stars.neighbors(neighbor) = list.nodes[k];
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k, element += width) {
        stars.elements(element) = incidence.elements(k);
        stars.corners(element) = corners(list, k);
      }
    }
    for (; neighbor < stars.neighbor_begin(slice + 1); neighbor += width) stars.neighbors(neighbor) = 0;
    for (; element < stars.element_begin(slice + 1); element += width)
      stars.elements(element) = stars.corners(element) = 0;
  }

  /// The element's other nodes in the order that an even permutation gives which brings the node to the
  /// front.
  KOKKOS_FUNCTION typename Stars::Corners corners(const NeighborList& list, Offset source) const {
    const int own = incidence.local_nodes(source);
    unsigned packed = 0;
    for (int n = 1; n < Element::nodes; ++n) {
      const int other = Element::dimension == 2 ? (own + n) % 3 : own ^ n;
      const Ordinal neighbor = connectivity(incidence.elements(source), other);
      packed |= static_cast<unsigned>(list.position(neighbor)) << (8 * (n - 1));
    }
    return static_cast<typename Stars::Corners>(packed);
  }
};

template <class ExecutionSpace>
struct SliceNeighbors {
  Kokkos::View<const Offset*, ExecutionSpace> begin;
  int count;
  KOKKOS_FUNCTION void operator()(Ordinal i, Offset& most) const {
    most = Kokkos::max(most, begin((i + 1) * count) - begin(i * count));
  }
};

} // namespace detail

/// The most that `count` consecutive slices of neighbours hold, padding included, counted in steps of
/// `count`.
template <class Element, class ExecutionSpace>
int most_neighbors(const ExecutionSpace& exec, const NodeStars<Element, ExecutionSpace>& stars, int count) {
  Offset most = 0;
  Kokkos::parallel_reduce(
      "Tessera::NodeStars::most_neighbors",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, stars.num_seats() / stars.width / count),
      detail::SliceNeighbors<ExecutionSpace>{stars.neighbor_begin, count}, Kokkos::Max<Offset>(most));
  return static_cast<int>(most);
}

/// Builds the stars on the device.
/// \throws UnsupportedError naming a node with more than 256 neighbours; OutOfMemoryError with the bytes
/// wanted
template <class Element, class ExecutionSpace>
NodeStars<Element, ExecutionSpace> node_stars(const ExecutionSpace& exec,
                                              const Mesh<Element, ExecutionSpace>& mesh) {
  using Builder = detail::NodeStarsBuilder<Element, ExecutionSpace>;
  using Stars = NodeStars<Element, ExecutionSpace>;
  const auto connectivity = mesh.kernel().connectivity;

  Stars stars;
  stars.num_nodes = mesh.num_nodes();
  const Ordinal seats = stars.num_seats(), slices = seats / Stars::width;
  const auto make = [&](auto& view, const char* member, Offset extent) {
    view = allocate<std::decay_t<decltype(view)>>(exec, std::string("Tessera::NodeStars::") + member, extent);
  };
  make(stars.node_in_window, "node_in_window", seats);
  make(stars.degree, "degree", seats);
  make(stars.valence, "valence", seats);
  make(stars.neighbor_begin, "neighbor_begin", slices + 1);
  make(stars.element_begin, "element_begin", slices + 1);

  Builder builder{connectivity, node_to_element(exec, connectivity, mesh.num_nodes()), stars,
                  Kokkos::View<Ordinal*, ExecutionSpace>(
                      Kokkos::view_alloc(exec, std::string("Tessera::NodeStars::crowded")), 1)};
  Kokkos::deep_copy(exec, builder.crowded, -1);
  const auto run = [&]<class Phase>(const char* label, Phase) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, seats), builder);
  };
  run("Tessera::NodeStars::seat", typename Builder::Seat{});
  run("Tessera::NodeStars::count", typename Builder::Count{});
  Ordinal crowded = -1;
  Kokkos::deep_copy(exec, crowded, Kokkos::subview(builder.crowded, 0));
  typename Builder::Begins total;
  Kokkos::parallel_scan("Tessera::NodeStars::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, slices), builder,
                        total);
  exec.fence("Tessera::NodeStars::scan");
  if (crowded >= 0)
    throw UnsupportedError("node " + std::to_string(crowded) + " has more than " +
                           std::to_string(NeighborList::capacity) + " neighbours, itself included");
  make(stars.neighbors, "neighbors", total.neighbors);
  make(stars.corners, "corners", total.elements);
  make(stars.elements, "elements", total.elements);
  builder.stars = stars;
  run("Tessera::NodeStars::fill", typename Builder::Fill{});
  exec.fence("Tessera::NodeStars::fill");
  return stars;
}

} // namespace tessera

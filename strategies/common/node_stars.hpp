#pragma once

/// \file
/// The star of every node of a mesh of linear simplices, laid out for one thread (or vector lane) per node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/incidence.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/common/neighbor_list.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace tessera {

/// Neighbours and elements of each node, in slices of `width` nodes whose lists are interleaved, so that the
/// threads of a warp read neighbouring words (the sliced ELLPACK layout: A. Monakov, A. Lokhmotov, A.
/// Avetisyan, "Automatically tuning sparse matrix-vector multiplication for GPU architectures", HiPEAC 2010).
///
/// A window is a run of at most `window` consecutive nodes, as many as leave a team's lists of neighbours,
/// padding included, within what the caller allows; a team takes a window, on the host a slice. A node that
/// does not fit even alone is crowded: it has a window to itself, behind all others. Within a window the
/// nodes follow the lengths of their lists: those of one slice have nearly the same length, which keeps the
/// padding small and the lanes busy.
///
/// A "seat" is a place in this order: seat / window is its window, seat / width its slice, seat % width its
/// lane. Every window has `window` seats, those of its nodes first.
template <class Element, class ExecutionSpace>
struct NodeStars {
  static_assert(Element::affine_simplex, "NodeStars: linear triangles and tetrahedra");
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  /// Half a warp: its coordinates of a neighbour fill all banks, and half as wide a slice needs less padding.
  static constexpr int width = on_host ? 8 : 16;
  static constexpr int dimension = Element::dimension;
  /// Scratch holds about as much for this many nodes in either dimension.
  static constexpr int window = on_host || dimension == 2 ? 64 : 32;
  static constexpr int slices = window / width;            ///< of a window
  static constexpr int team_slices = on_host ? 1 : slices; ///< of a team
  /// Positions of the other nodes of an element in the list of neighbours, a byte each.
  using Corners = std::conditional_t<Element::dimension == 2, std::uint16_t, std::uint32_t>;

  struct Window {
    Ordinal first; ///< node
    Ordinal nodes;
  };

  Ordinal num_fitting = 0; ///< windows; crowded nodes follow
  Kokkos::View<Window*, ExecutionSpace> windows;
  Kokkos::View<std::uint8_t*, ExecutionSpace> node_in_window; ///< seat: node number minus its window's first
  Kokkos::View<std::uint16_t*, ExecutionSpace> degree;        ///< seat: neighbours, the node itself included
  Kokkos::View<std::uint16_t*, ExecutionSpace> valence;       ///< seat: elements around the node
  Kokkos::View<std::uint8_t*, ExecutionSpace> position;       ///< seat: of the node among its neighbours
  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin;       ///< slice (+1)
  Kokkos::View<Offset*, ExecutionSpace> element_begin;        ///< slice (+1)
  Kokkos::View<Ordinal*, ExecutionSpace>
      neighbors; ///< neighbor_begin(slice) + k * width + lane: ascending in k
  /// element_begin(slice) + k * width + lane: ascending by element number in k
  Kokkos::View<Corners*, ExecutionSpace> corners;

  Ordinal num_windows() const { return static_cast<Ordinal>(windows.extent(0)); }
  Ordinal num_seats() const { return num_windows() * window; }

  std::size_t bytes() const {
    return bytes_of(windows) + bytes_of(node_in_window) + bytes_of(degree) + bytes_of(valence) +
           bytes_of(position) + bytes_of(neighbor_begin) + bytes_of(element_begin) + bytes_of(neighbors) +
           bytes_of(corners);
  }
};

namespace detail {

/// Cuts the nodes into windows and seats them.
template <class Element, class ExecutionSpace>
struct NodeWindowsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr int width = Stars::width, window = Stars::window;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Ordinal num_nodes;
  int most; ///< neighbours of a team, padding included
  Stars stars;
  Kokkos::View<std::uint32_t*, ExecutionSpace> lengths; ///< node: neighbours * 2^16 + elements
  Kokkos::View<std::uint64_t*, ExecutionSpace> begins;  ///< bit i of group g: a window begins at its node i
  Kokkos::View<std::uint64_t*, ExecutionSpace> crowded; ///< the same for crowded nodes
  Kokkos::View<Ordinal, ExecutionSpace> refused;        ///< a node with too many neighbours

  struct Measure {};
  struct Cut {};
  struct Count {};
  struct Number {};
  struct Seat {};

  KOKKOS_FUNCTION void operator()(Measure, Ordinal node) const {
    const int degree = NeighborList(connectivity, Element::nodes, incidence, node).count;
    if (degree > NeighborList::capacity) refused() = node;
    const Offset valence = incidence.offsets(node + 1) - incidence.offsets(node);
    lengths(node) = static_cast<std::uint32_t>(degree) << 16 | static_cast<std::uint32_t>(valence);
  }

  /// A node's rank by descending length, then by number, among `nodes` nodes.
  KOKKOS_FUNCTION int rank(Ordinal first, Ordinal nodes, Ordinal node) const {
    const std::uint32_t own = lengths(node);
    int rank = 0;
    for (Ordinal other = first; other < first + nodes; ++other)
      rank += lengths(other) > own || (lengths(other) == own && other < node);
    return rank;
  }

  /// Neighbours of a team in a window of `nodes` nodes, padding included.
  KOKKOS_FUNCTION int room(Ordinal first, Ordinal nodes) const {
    int most = 0, sum = 0;
    for (Ordinal node = first; node < first + nodes; ++node) {
      if (rank(first, nodes, node) % width > 0) continue;
      const int slice = static_cast<int>(lengths(node) >> 16) * width;
      most = Kokkos::max(most, slice);
      sum += slice;
    }
    return Stars::team_slices == 1 ? most : sum;
  }

  KOKKOS_FUNCTION void operator()(Cut, Ordinal group) const {
    begins(group) = crowded(group) = 0;
    const Ordinal end = Kokkos::min((group + 1) * window, num_nodes);
    for (Ordinal first = group * window, nodes; first < end; first += nodes) {
      nodes = end - first;
      while (nodes > 1 && room(first, nodes) > most) nodes = (nodes + 1) / 2;
      auto& bits = room(first, nodes) > most ? crowded : begins;
      bits(group) |= std::uint64_t{1} << (first - group * window);
    }
  }

  struct Counts {
    Ordinal fitting = 0, crowded = 0;
    KOKKOS_FUNCTION Counts& operator+=(const Counts& other) {
      fitting += other.fitting;
      crowded += other.crowded;
      return *this;
    }
  };

  KOKKOS_FUNCTION void operator()(Count, Ordinal group, Counts& sum) const {
    sum.fitting += Kokkos::popcount(begins(group));
    sum.crowded += Kokkos::popcount(crowded(group));
  }

  KOKKOS_FUNCTION void operator()(Number, Ordinal group, Counts& sum, bool final) const {
    if (final) {
      Counts at = sum;
      const Ordinal first = group * window, end = Kokkos::min(first + window, num_nodes);
      for (Ordinal node = first; node < end; ++node) {
        const std::uint64_t bit = std::uint64_t{1} << (node - first);
        const bool is_crowded = crowded(group) & bit;
        if (!is_crowded && !(begins(group) & bit)) continue;
        Ordinal last = node + 1;
        while (last < end && !((begins(group) | crowded(group)) >> (last - first) & 1)) ++last;
        stars.windows(is_crowded ? stars.num_fitting + at.crowded++ : at.fitting++) = {node, last - node};
      }
    }
    (*this)(Count{}, group, sum);
  }

  KOKKOS_FUNCTION void operator()(Seat, Ordinal place) const {
    const auto [first, nodes] = stars.windows(place / window);
    const Ordinal i = place % window;
    const Ordinal seat = i < nodes ? place - i + rank(first, nodes, first + i) : place;
    const std::uint32_t length = i < nodes ? lengths(first + i) : 0;
    stars.node_in_window(seat) = static_cast<std::uint8_t>(i);
    stars.degree(seat) = static_cast<std::uint16_t>(length >> 16);
    stars.valence(seat) = static_cast<std::uint16_t>(length & 0xffff);
  }
};

/// Writes the lists of seated nodes.
template <class Element, class ExecutionSpace>
struct NodeListsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr int width = Stars::width, window = Stars::window;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Stars stars;
  Kokkos::View<Ordinal*, ExecutionSpace> elements;

  struct Scan {};
  struct Fill {};
  struct Elements {};

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

  KOKKOS_FUNCTION void operator()(Elements, Ordinal seat) const {
    const Ordinal slice = seat / width, node = this->node(seat);
    Offset at = stars.element_begin(slice) + seat % width;
    if (node >= 0)
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k, at += width)
        elements(at) = incidence.elements(k);
    for (; at < stars.element_begin(slice + 1); at += width) elements(at) = 0;
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

/// An uninitialised member of the stars.
template <class View, class ExecutionSpace>
void make_list(const ExecutionSpace& exec, View& view, const char* member, Offset extent) {
  view = allocate<View>(exec, std::string("Tessera::NodeStars::") + member, extent);
}

/// Measures every node, cuts the windows and seats their nodes.
template <class Element, class ExecutionSpace>
void seat_nodes(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                const NodeToElement<ExecutionSpace>& incidence, int most,
                NodeStars<Element, ExecutionSpace>& stars) {
  using Builder = NodeWindowsBuilder<Element, ExecutionSpace>;
  const Ordinal nodes = mesh.num_nodes(), groups = (nodes + Builder::window - 1) / Builder::window;
  Builder builder{mesh.kernel().connectivity, incidence, nodes, most, stars, {}, {}, {}, {}};
  make_list(exec, builder.lengths, "lengths", nodes);
  make_list(exec, builder.begins, "begins", groups);
  make_list(exec, builder.crowded, "crowded", groups);
  builder.refused = allocate<decltype(builder.refused)>(exec, "Tessera::NodeStars::refused");
  Kokkos::deep_copy(exec, builder.refused, -1);
  const auto policy = [&]<class Phase>(Phase, Ordinal end) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, end);
  };
  Kokkos::parallel_for("Tessera::NodeStars::measure", policy(typename Builder::Measure{}, nodes), builder);
  Ordinal refused = -1;
  Kokkos::deep_copy(exec, refused, builder.refused);
  exec.fence("Tessera::NodeStars::measure");
  if (refused >= 0)
    throw UnsupportedError("node " + std::to_string(refused) + " has more than " +
                           std::to_string(NeighborList::capacity) + " neighbours, itself included");
  Kokkos::parallel_for("Tessera::NodeStars::cut", policy(typename Builder::Cut{}, groups), builder);
  typename Builder::Counts counts;
  Kokkos::parallel_reduce("Tessera::NodeStars::count", policy(typename Builder::Count{}, groups), builder,
                          counts);
  exec.fence("Tessera::NodeStars::count");
  stars.num_fitting = counts.fitting;
  make_list(exec, stars.windows, "windows", counts.fitting + counts.crowded);
  make_list(exec, stars.node_in_window, "node_in_window", stars.num_seats());
  make_list(exec, stars.degree, "degree", stars.num_seats());
  make_list(exec, stars.valence, "valence", stars.num_seats());
  make_list(exec, stars.position, "position", stars.num_seats());
  builder.stars = stars;
  Kokkos::parallel_scan("Tessera::NodeStars::number", policy(typename Builder::Number{}, groups), builder);
  Kokkos::parallel_for("Tessera::NodeStars::seat", policy(typename Builder::Seat{}, stars.num_seats()),
                       builder);
}

} // namespace detail

/// The most neighbours, padding included, that a team has in the windows from `first` to `last`, the latter
/// excluded.
template <class Element, class ExecutionSpace>
int most_neighbors(const ExecutionSpace& exec, const NodeStars<Element, ExecutionSpace>& stars, Ordinal first,
                   Ordinal last) {
  Offset most = 0;
  using Stars = NodeStars<Element, ExecutionSpace>;
  constexpr int slices = Stars::team_slices, teams = Stars::slices / slices;
  Kokkos::parallel_reduce("Tessera::NodeStars::most_neighbors",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, first * teams, last * teams),
                          detail::SliceNeighbors<ExecutionSpace>{stars.neighbor_begin, slices},
                          Kokkos::Max<Offset>(most));
  return static_cast<int>(most);
}

/// Builds the stars on the device.
/// \param most neighbours of a team, padding included
/// \throws UnsupportedError naming a node with more than 256 neighbours; OutOfMemoryError with the bytes
/// wanted
template <class Element, class ExecutionSpace>
NodeStars<Element, ExecutionSpace> node_stars(const ExecutionSpace& exec,
                                              const Mesh<Element, ExecutionSpace>& mesh, int most) {
  using Builder = detail::NodeListsBuilder<Element, ExecutionSpace>;
  NodeStars<Element, ExecutionSpace> stars;
  const auto incidence = node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes());
  detail::seat_nodes(exec, mesh, incidence, most, stars);

  const Ordinal slices = stars.num_windows() * stars.slices;
  detail::make_list(exec, stars.neighbor_begin, "neighbor_begin", slices + 1);
  detail::make_list(exec, stars.element_begin, "element_begin", slices + 1);
  Builder builder{mesh.kernel().connectivity, incidence, stars, {}};
  typename Builder::Begins total;
  Kokkos::parallel_scan("Tessera::NodeStars::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, slices), builder,
                        total);
  exec.fence("Tessera::NodeStars::scan");
  detail::make_list(exec, stars.neighbors, "neighbors", total.neighbors);
  detail::make_list(exec, stars.corners, "corners", total.elements);
  builder.stars = stars;
  Kokkos::parallel_for(
      "Tessera::NodeStars::fill",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, stars.num_seats()), builder);
  exec.fence("Tessera::NodeStars::fill");
  return stars;
}

/// Numbers of the elements of stars of `mesh`, in the places of their corners.
/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> star_elements(const ExecutionSpace& exec,
                                                     const Mesh<Element, ExecutionSpace>& mesh,
                                                     const NodeStars<Element, ExecutionSpace>& stars) {
  using Builder = detail::NodeListsBuilder<Element, ExecutionSpace>;
  const auto connectivity = mesh.kernel().connectivity;
  Builder builder{connectivity, node_to_element(exec, connectivity, mesh.num_nodes()), stars, {}};
  detail::make_list(exec, builder.elements, "elements", stars.corners.extent(0));
  Kokkos::parallel_for(
      "Tessera::NodeStars::elements",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::Elements>(exec, 0, stars.num_seats()), builder);
  exec.fence("Tessera::NodeStars::elements");
  return builder.elements;
}

} // namespace tessera

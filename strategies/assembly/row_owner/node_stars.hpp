#pragma once

/// \file
/// Builds the star of every node of a mesh of linear simplices.

#include <tessera/core/incidence.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/assembly/row_owner/element_claims.hpp>
#include <tessera/strategies/assembly/row_owner/neighbor_list.hpp>
#include <tessera/strategies/assembly/row_owner/star_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace tessera {

/// What a team has room for in its scratch.
struct StarLimits {
  int neighbors; ///< padding included
  /// What neighbours and a window's elements may take together.
  std::size_t bytes = 0, bytes_per_neighbor = 0, bytes_per_element = 0;
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
  StarLimits limits;
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

  /// Whether a window of `nodes` nodes keeps to the limits, and to what `Corners` can hold.
  KOKKOS_FUNCTION bool fits(Ordinal first, Ordinal nodes) const {
    const int neighbors = room(first, nodes);
    if (neighbors > limits.neighbors) return false;
    std::size_t elements = 0;
    for (Ordinal node = first; node < first + nodes; ++node) {
      if (static_cast<int>(lengths(node) >> 16) > Stars::max_degree) return false;
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
        elements += first_node<Element>(connectivity, incidence.elements(k), {first, nodes}) == node;
    }
    return elements <= static_cast<std::size_t>(Stars::max_elements) &&
           neighbors * limits.bytes_per_neighbor + elements * limits.bytes_per_element <= limits.bytes;
  }

  KOKKOS_FUNCTION void operator()(Cut, Ordinal group) const {
    begins(group) = crowded(group) = 0;
    const Ordinal end = Kokkos::min((group + 1) * window, num_nodes);
    for (Ordinal first = group * window, nodes; first < end; first += nodes) {
      nodes = end - first;
      bool fitting = fits(first, nodes);
      for (; !fitting && nodes > 1; fitting = fits(first, nodes)) nodes = (nodes + 1) / 2;
      auto& bits = fitting ? begins : crowded;
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
  ElementClaims<Element, ExecutionSpace> claims; ///< where corners hold elements' places

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
    if (node >= 0) {
      const NeighborList list(connectivity, Element::nodes, incidence, node);
      stars.position(seat) = static_cast<std::uint8_t>(list.position(node));
      for (int k = 0; k < list.count; ++k, neighbor += width) stars.neighbors(neighbor) = list.nodes[k];
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k, element += width)
        stars.corners(element) = corners(list, seat, k);
    }
    for (; neighbor < stars.neighbor_begin(slice + 1); neighbor += width) stars.neighbors(neighbor) = 0;
    for (; element < stars.element_begin(slice + 1); element += width) stars.corners(element) = 0;
  }

  /// The element's other nodes in the order that an even permutation gives which brings the node to the
  /// front.
  KOKKOS_FUNCTION typename Stars::Corners corners(const NeighborList& list, Ordinal seat,
                                                  Offset source) const {
    const Ordinal element = incidence.elements(source), window = seat / Stars::window;
    const bool crowded = window >= stars.num_fitting;
    const int own = incidence.local_nodes(source),
              bits = crowded ? Stars::crowded_bits : Stars::position_bits;
    unsigned packed = 0;
    for (int n = 1; n < Element::nodes; ++n) {
      const Ordinal neighbor = connectivity(element, star_corner<Element>(own, n));
      packed |= static_cast<unsigned>(list.position(neighbor)) << (bits * (n - 1));
    }
    if (Stars::holds_places && !crowded)
      packed |= static_cast<unsigned>(claims.place(stars.windows(window), element))
                << (bits * Element::dimension);
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

/// Measures every node, cuts the windows and seats their nodes.
template <class Element, class ExecutionSpace>
void seat_nodes(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                const NodeToElement<ExecutionSpace>& incidence, const StarLimits& limits,
                NodeStars<Element, ExecutionSpace>& stars) {
  using Builder = NodeWindowsBuilder<Element, ExecutionSpace>;
  const Ordinal nodes = mesh.num_nodes(), groups = (nodes + Builder::window - 1) / Builder::window;
  Builder builder{mesh.kernel().connectivity, incidence, nodes, limits, stars, {}, {}, {}, {}};
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
/// \throws UnsupportedError naming a node with more than 256 neighbours; OutOfMemoryError with the bytes
/// wanted
template <class Element, class ExecutionSpace>
NodeStars<Element, ExecutionSpace>
node_stars(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, const StarLimits& limits) {
  using Builder = detail::NodeListsBuilder<Element, ExecutionSpace>;
  NodeStars<Element, ExecutionSpace> stars;
  const auto incidence = node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes());
  detail::seat_nodes(exec, mesh, incidence, limits, stars);

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
  if constexpr (stars.holds_places) builder.claims = detail::claim_elements(exec, mesh, incidence, stars);
  Kokkos::parallel_for(
      "Tessera::NodeStars::fill",
      Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, stars.num_seats()), builder);
  exec.fence("Tessera::NodeStars::fill");
  return stars;
}

} // namespace tessera

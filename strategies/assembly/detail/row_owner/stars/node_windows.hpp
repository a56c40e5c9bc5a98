// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cuts the nodes of a mesh of linear simplices into windows and seats them.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/detail/row_owner/neighbor_list.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_layout.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace TESSERA_KERNELS::assembly::detail {

/// What a team has room for in its scratch if `teams` share a multiprocessor.
struct StarRoom {
  int neighbors; ///< padding included
  int teams = 1;
};

/// Cuts the nodes into windows and seats them.
template <class Element, class ExecutionSpace>
struct NodeWindowsBuilder {
  using Stars = NodeStars<Element, ExecutionSpace>;
  static constexpr int width = Stars::width, window = Stars::window;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Ordinal num_nodes;
  int most_neighbors; ///< of a team, padding included
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

  /// Whether the neighbours of each team in a window of `nodes` nodes keep to the limit, padding included.
  KOKKOS_FUNCTION bool fits(Ordinal first, Ordinal nodes) const {
    int most = 0, of_team = 0, of_lane[width] = {};
    for (Ordinal node = first; node < first + nodes; ++node) {
      const int degree = static_cast<int>(lengths(node) >> 16), rank = this->rank(first, nodes, node);
      if (Stars::folded)
        most = Kokkos::max(most, of_lane[Stars::seat_of_rank(rank) % width] += degree);
      else if (rank % width == 0) // the first of a slice
        most = Kokkos::max(most, Stars::team_slices > 1 ? of_team += degree : degree);
    }
    return most * width <= most_neighbors;
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
    const Ordinal seat = place - i + Stars::seat_of_rank(i < nodes ? rank(first, nodes, first + i) : i);
    const std::uint32_t length = i < nodes ? lengths(first + i) : 0;
    stars.node_in_window(seat) = static_cast<std::uint8_t>(i);
    stars.degree(seat) = static_cast<std::uint16_t>(length >> 16);
    stars.valence(seat) = static_cast<std::uint16_t>(length & 0xffff);
  }
};

/// Measures every node, cuts the windows and seats their nodes.
/// \param rooms which of them is taken leaves the fewest windows to each of the teams that work at a time
template <class Element, class ExecutionSpace>
void seat_nodes(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                const NodeToElement<ExecutionSpace>& incidence, const std::vector<StarRoom>& rooms,
                NodeStars<Element, ExecutionSpace>& stars) {
  using Builder = NodeWindowsBuilder<Element, ExecutionSpace>;
  const Ordinal nodes = mesh.num_nodes(), groups = (nodes + Builder::window - 1) / Builder::window;
  Builder builder{mesh.kernel().connectivity, incidence, nodes, 0, stars, {}, {}, {}, {}};
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
  const auto cut = [&](const StarRoom& room) {
    builder.most_neighbors = room.neighbors;
    Kokkos::parallel_for("Tessera::NodeStars::cut", policy(typename Builder::Cut{}, groups), builder);
    typename Builder::Counts counts;
    Kokkos::parallel_reduce("Tessera::NodeStars::count", policy(typename Builder::Count{}, groups), builder,
                            counts);
    exec.fence("Tessera::NodeStars::count");
    return counts;
  };
  const StarRoom* best = rooms.data();
  double fewest = std::numeric_limits<double>::max();
  for (const StarRoom& room : rooms) {
    const auto counts = cut(room);
    const double turns = static_cast<double>(counts.fitting + counts.crowded) / room.teams;
    if (turns < fewest) best = &room;
    fewest = std::min(fewest, turns);
  }
  const auto counts = cut(*best);
  stars.num_fitting = counts.fitting;
  make_list(exec, stars.windows, "windows", counts.fitting + counts.crowded);
  make_list(exec, stars.node_in_window, "node_in_window", stars.num_seats());
  make_list(exec, stars.degree, "degree", stars.num_seats());
  make_list(exec, stars.valence, "valence", stars.num_seats());
  make_list(exec, stars.position, "position", stars.num_seats());
  if (stars.folded) make_list(exec, stars.row, "row", stars.num_seats());
  builder.stars = stars;
  Kokkos::parallel_scan("Tessera::NodeStars::number", policy(typename Builder::Number{}, groups), builder);
  Kokkos::parallel_for("Tessera::NodeStars::seat", policy(typename Builder::Seat{}, stars.num_seats()),
                       builder);
}

} // namespace TESSERA_KERNELS::assembly::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element coloring: elements of one color share no node, so they can be assembled in parallel without
/// atomics (paper 1, section 4.1; paper 2, section 3.4).

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/detail/any_connectivity.hpp>
#include <tessera/core/graphs/detail/balance_coloring.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/core/graphs/detail/random_coloring.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// How the colors are found.
enum class ColoringAlgorithm {
  /// `sequential` where the execution space runs on the host, `parallel` elsewhere.
  automatic,
  /// First fit in the elements' order, in one host thread; for execution spaces of the host. Memory bandwidth
  /// bounds it: fastest on a CPU. Fewest colors for a mesh in good order (8 for a structured box of
  /// hexahedra).
  sequential,
  /// Random picks settled by hashed priorities, then recoloring by first fit. For devices; more colors than
  /// `sequential` on a mesh in good order, fewer on a shuffled one.
  parallel
};

/// Options of `color_elements`.
struct ColoringOptions {
  ColoringAlgorithm algorithm = ColoringAlgorithm::automatic;
  /// At least this many colors, none of them empty (paper 1, figure 3 varies the number). 0: as few as found.
  Ordinal minimum_colors = 0;
  /// Elements move from large to small colors until the largest color holds at most this many times the
  /// average and the smallest at least the average divided by it, or nothing more can move. 0: no balancing,
  /// unless `minimum_colors` asks for more colors than were found.
  double imbalance = 1.1;
};

/// A coloring of the elements of a mesh.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct Coloring {
  /// Number of colors; 0 only for a mesh without elements. No color is empty.
  Ordinal colors = 0;
  /// Color of each element, 0 … colors−1. Device memory.
  Kokkos::View<Ordinal*, ExecutionSpace> color_of_element;
  /// First position of each color in `elements`. Host memory, extent colors + 1.
  std::vector<Ordinal> offsets{0};
  /// Elements sorted by color, ascending within a color. Device memory.
  Kokkos::View<Ordinal*, ExecutionSpace> elements;

  /// Number of elements of one color.
  Ordinal size(Ordinal color) const { return offsets[color + 1] - offsets[color]; }

  /// Size of the largest color; 0 without elements.
  Ordinal largest() const {
    Ordinal size_max = 0;
    for (Ordinal color = 0; color < colors; ++color) size_max = std::max(size_max, size(color));
    return size_max;
  }

  /// Size of the smallest color; 0 without elements.
  Ordinal smallest() const {
    Ordinal size_min = colors == 0 ? 0 : size(0);
    for (Ordinal color = 1; color < colors; ++color) size_min = std::min(size_min, size(color));
    return size_min;
  }
};

/// Elements around one node that `color_elements` takes at most. Each of them needs a color of its own, and
/// every node memory for all colors.
inline constexpr Ordinal most_elements_around_a_node = 8192;

namespace detail {

/// Largest number of elements around a node. \throws MeshError if a node number is outside 0 … nodes−1;
/// UnsupportedError for a node with more than most_elements_around_a_node.
template <class ExecutionSpace, class Connectivity>
Ordinal checked_valence(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  const auto element_nodes = static_cast<Ordinal>(connectivity.extent(1));
  const auto valence =
      allocate_zeroed<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Coloring::valence", nodes);
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_element = none;
  Kokkos::parallel_reduce(
      "Tessera::Coloring::count_valence", Range(exec, 0, elements),
      KOKKOS_LAMBDA(const Ordinal element, Ordinal& first_bad) {
        for (Ordinal i = 0; i < element_nodes; ++i) {
          const auto node = static_cast<std::int64_t>(connectivity(element, i));
          if (node < 0 || node >= nodes)
            first_bad = Kokkos::min(first_bad, element);
          else
            Kokkos::atomic_inc(&valence(node));
        }
      },
      Kokkos::Min<Ordinal>(bad_element));
  if (bad_element != none)
    throw MeshError("color_elements: element " + std::to_string(bad_element) +
                    " has a node number outside 0 to " + std::to_string(nodes - 1));
  using Most = Kokkos::MaxLoc<Ordinal, Ordinal>;
  typename Most::value_type most;
  Kokkos::parallel_reduce(
      "Tessera::Coloring::max_valence", Range(exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node, typename Most::value_type& max) {
        if (valence(node) > max.val) max = {valence(node), node};
      },
      Most(most));
  if (most.val > most_elements_around_a_node)
    throw UnsupportedError("color_elements: node " + std::to_string(most.loc) + " belongs to " +
                           std::to_string(most.val) + " elements, which need as many colors; at most " +
                           std::to_string(most_elements_around_a_node) +
                           " are supported: take a strategy without colors");
  return std::max(most.val, 0); // without nodes there is no most
}

/// Finds some coloring by the algorithm asked for. \return the number of colors.
template <class ExecutionSpace, class Connectivity>
Ordinal find_colors(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                    Ordinal valence, ColoringAlgorithm algorithm,
                    const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  if (algorithm == ColoringAlgorithm::automatic)
    algorithm = runs_on_host<ExecutionSpace> ? ColoringAlgorithm::sequential : ColoringAlgorithm::parallel;
  if (algorithm == ColoringAlgorithm::sequential) {
    if constexpr (runs_on_host<ExecutionSpace>)
      return color_in_order(exec, connectivity, nodes, colors);
    else
      throw UnsupportedError(
          std::string("color_elements: ColoringAlgorithm::sequential runs on the host alone, "
                      "not on ") +
          ExecutionSpace::name() + "; use automatic or parallel");
  }
  // The window of half as many colors again as the lower bound settles most elements in the first rounds; two
  // passes of recoloring then take most of the surplus colors out (Kuhn's tetrahedra, valence 24: 44, 38,
  // 36).
  constexpr int recoloring_passes = 2;
  Ordinal color_count = color_at_random(exec, connectivity, nodes, valence + valence / 2 + 1, colors);
  for (int pass = 0; pass < recoloring_passes && color_count > valence; ++pass)
    color_count = recolor_first_fit(exec, connectivity, nodes, color_count, colors);
  return color_count;
}

/// color_elements of views whose type says nothing of the element.
template <class ExecutionSpace, class Connectivity>
Coloring<ExecutionSpace> color_elements(const ExecutionSpace& exec, const Connectivity& connectivity,
                                        std::size_t nodes, const ColoringOptions& options) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - 1;
  if (connectivity.extent(0) > most || nodes > most)
    throw ArgumentError("color_elements: " + std::to_string(connectivity.extent(0)) + " elements and " +
                        std::to_string(nodes) + " nodes do not fit 32-bit numbers");
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  if (options.minimum_colors < 0 || options.minimum_colors > elements)
    throw ArgumentError("color_elements: minimum_colors must lie between 0 and the number of elements, " +
                        std::to_string(elements) + ", got " + std::to_string(options.minimum_colors));
  if (!(options.imbalance >= 1 || options.imbalance == 0))
    throw ArgumentError("color_elements: imbalance must be 0 or at least 1, got " +
                        std::to_string(options.imbalance));

  Coloring<ExecutionSpace> coloring;
  coloring.color_of_element =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Coloring::color_of_element", elements);
  const auto node_count = static_cast<Ordinal>(nodes);
  const Ordinal valence = checked_valence(exec, connectivity, node_count);
  if (elements > 0) {
    const Ordinal found =
        find_colors(exec, connectivity, node_count, valence, options.algorithm, coloring.color_of_element);
    coloring.colors = std::max(found, options.minimum_colors);
    if (options.imbalance > 0 || coloring.colors > found)
      balance_colors(exec, connectivity, node_count, coloring.colors, std::max(1.0, options.imbalance),
                     coloring.color_of_element);
  }
  auto sorted = sort_by_key(exec, coloring.color_of_element, coloring.colors);
  coloring.offsets = std::move(sorted.offsets);
  coloring.elements = sorted.items;
  return coloring;
}

} // namespace detail

/// Colors the elements such that no two elements that share a node have the same color.
///
/// \param exec          instance that runs the kernels; the call returns after they have ended.
/// \param connectivity  node numbers, element × node, of any layout, in memory of the execution space.
/// \param nodes         number of nodes.
/// \param options       algorithm, number of colors, balance.
/// \throws MeshError if a node number is outside 0 … nodes−1 (the message names the element).
/// \throws ArgumentError if `minimum_colors` is negative or exceeds the number of elements, if `imbalance` is
/// neither
///         0 nor at least 1, or if there are more than 2^31−2 elements or nodes.
/// \throws UnsupportedError if the algorithm cannot run in this build or on this execution space, or for
///         more than `most_elements_around_a_node` elements around a node.
///
/// `sequential` and `parallel` give the same coloring in every run, on every execution space and with any
/// number of threads. Work: each pass over the elements reads the color masks of their nodes; memory: 8 bytes
/// a node and 64 colors, and for `parallel` about the size of the connectivity besides.
template <class ExecutionSpace, class Connectivity>
Coloring<ExecutionSpace> color_elements(const ExecutionSpace& exec, const Connectivity& connectivity,
                                        std::size_t nodes, const ColoringOptions& options = {}) {
  static_assert(Kokkos::is_view_v<Connectivity> && Connectivity::rank() == 2 &&
                    std::is_integral_v<typename Connectivity::non_const_value_type>,
                "tessera::color_elements: connectivity must be a Kokkos view of rank 2 of integers.");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename Connectivity::memory_space>::accessible,
                "tessera::color_elements: connectivity must lie in memory of the execution space.");
  return detail::color_elements(exec, detail::AnyConnectivity<Connectivity>(connectivity), nodes, options);
}

} // namespace tessera

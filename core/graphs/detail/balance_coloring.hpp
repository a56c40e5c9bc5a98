// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Moves elements between the colors of a coloring until the colors' sizes are about equal.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/core/graphs/detail/greedy_coloring.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tessera::detail {

/// The sizes that the colors should have: equal, the remainder given to those that are largest already.
inline std::vector<Ordinal> balanced_sizes(const std::vector<Ordinal>& sizes) {
  const auto colors = static_cast<Ordinal>(sizes.size());
  const Ordinal elements = std::accumulate(sizes.begin(), sizes.end(), Ordinal{0});
  std::vector<Ordinal> order(sizes.size()), goals(sizes.size(), elements / colors);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Ordinal a, Ordinal b) { return sizes[to_size(a)] > sizes[to_size(b)]; });
  for (Ordinal i = 0; i < elements % colors; ++i) ++goals[to_size(order[to_size(i)])];
  return goals;
}

/// How many elements each color accepts, given how many ask for it, the capacity that it has, and how many
/// the giving color has to spare: everything that fits, cut in proportion where more would move than can be
/// spared.
inline std::vector<Ordinal> accepted_moves(const std::vector<Ordinal>& asking,
                                           const std::vector<Ordinal>& capacity, Ordinal spare) {
  std::vector<Ordinal> accepted(asking.size());
  std::int64_t sum = 0;
  for (std::size_t color = 0; color < asking.size(); ++color) {
    accepted[color] = std::min(asking[color], capacity[color]);
    sum += accepted[color];
  }
  if (sum <= spare) return accepted;
  std::int64_t before = 0; // the running sums are scaled, so that the total is exact
  for (Ordinal& moves : accepted) {
    const std::int64_t after = before + moves;
    moves = static_cast<Ordinal>(after * spare / sum - before * spare / sum);
    before = after;
  }
  return accepted;
}

/// One color's elements choose among the colors that have capacity left and are free around them; the first
/// of those that ask for a color move, up to its capacity. A color's elements share no node, so that they
/// move independently.
///
/// \param members  the color's elements, ascending.
/// \param capacity     elements that each color can still take; reduced by those that moved.
/// \param spare    elements that the color gives at most.
/// \return the number of elements moved.
template <class ExecutionSpace, class Connectivity, class Members>
Ordinal move_surplus(const ExecutionSpace& exec, const Connectivity& connectivity,
                     const NodeColors<ExecutionSpace>& taken, const Members& members,
                     std::vector<Ordinal>& capacity, Ordinal spare, std::uint32_t seed,
                     const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Word = typename NodeColors<ExecutionSpace>::Word;
  const auto color_count = static_cast<Ordinal>(capacity.size());
  const auto size = static_cast<Ordinal>(members.extent(0));

  std::vector<Word> open(taken.words, 0);
  for (Ordinal color = 0; color < color_count; ++color)
    if (capacity[to_size(color)] > 0) open[color / 64] |= Word{1} << (color % 64);
  const auto open_colors =
      allocate<Kokkos::View<Word*, ExecutionSpace>>(exec, "Tessera::Coloring::open_colors", open.size());
  Kokkos::deep_copy(
      exec, open_colors,
      Kokkos::View<const Word*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(open.data(), open.size()));

  const auto choices =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Coloring::choices", size);
  Kokkos::parallel_for(
      "Tessera::Coloring::choose", Range(exec, 0, size), KOKKOS_LAMBDA(const Ordinal i) {
        const Ordinal element = members(i);
        Ordinal count = 0;
        for (Ordinal w = 0; w < taken.words; ++w)
          count +=
              Kokkos::popcount(taken.free_colors(connectivity, element, w, color_count) & open_colors(w));
        choices(i) = color_count; // asks for nothing
        if (count == 0) return;
        auto nth = static_cast<Ordinal>(scrambled(static_cast<std::uint32_t>(element) ^ seed) %
                                        static_cast<std::uint32_t>(count));
        for (Ordinal w = 0; w < taken.words; ++w) {
          const Word free = taken.free_colors(connectivity, element, w, color_count) & open_colors(w);
          const Ordinal in_word = Kokkos::popcount(free);
          if (nth < in_word) {
            choices(i) = 64 * w + nth_set_bit(free, nth);
            return;
          }
          nth -= in_word;
        }
      });
  const SortedByKey<ExecutionSpace> asking = sort_by_key(exec, choices, color_count + 1);
  std::vector<Ordinal> asking_count(to_size(color_count));
  for (Ordinal color = 0; color < color_count; ++color)
    asking_count[color] = asking.offsets[color + 1] - asking.offsets[color];
  const std::vector<Ordinal> accepted = accepted_moves(asking_count, capacity, spare);
  std::vector<Ordinal> end_of_accepted(to_size(color_count));
  Ordinal moved = 0;
  for (Ordinal color = 0; color < color_count; ++color) {
    end_of_accepted[color] = asking.offsets[color] + accepted[color];
    capacity[to_size(color)] -= accepted[to_size(color)];
    moved += accepted[to_size(color)];
  }
  if (moved == 0) return 0;
  const auto limits =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Coloring::limits", color_count);
  Kokkos::deep_copy(exec, limits,
                    Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        end_of_accepted.data(), end_of_accepted.size()));
  const auto items = asking.items;
  Kokkos::parallel_for(
      "Tessera::Coloring::move", Range(exec, 0, asking.offsets[color_count]), KOKKOS_LAMBDA(const Ordinal p) {
        const Ordinal color = choices(items(p));
        if (p >= limits(color)) return;
        const Ordinal element = members(items(p));
        taken.give_back(connectivity, element, colors(element));
        taken.take(connectivity, element, color);
        colors(element) = color;
      });
  exec.fence("Tessera::Coloring::move");
  return moved;
}

/// Balances `color_count` colors, of which some may be empty: passes over the colors that are too large,
/// until the largest is at most `imbalance` times and the smallest at least 1/`imbalance` times its goal, or
/// nothing moves. Any element may move to an empty color, so that none is left empty if there are as many
/// elements as colors.
template <class ExecutionSpace, class Connectivity>
void balance_colors(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                    Ordinal color_count, double imbalance,
                    const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  using Word = typename NodeColors<ExecutionSpace>::Word;
  constexpr int max_passes = 10;
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  const auto element_nodes = static_cast<Ordinal>(connectivity.extent(1));
  const NodeColors<ExecutionSpace> taken(exec, nodes, color_count);
  Kokkos::parallel_for(
      "Tessera::Coloring::mark_nodes",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, elements),
      KOKKOS_LAMBDA(const Ordinal element) {
        const Ordinal color = colors(element);
        for (Ordinal i = 0; i < element_nodes; ++i)
          Kokkos::atomic_or(&taken.word(color / 64, connectivity(element, i)), Word{1} << (color % 64));
      });
  for (int pass = 0;; ++pass) {
    const SortedByKey<ExecutionSpace> sorted = sort_by_key(exec, colors, color_count);
    std::vector<Ordinal> sizes(to_size(color_count)), capacity(to_size(color_count)),
        order(to_size(color_count));
    for (Ordinal color = 0; color < color_count; ++color)
      sizes[color] = sorted.offsets[color + 1] - sorted.offsets[color];
    const std::vector<Ordinal> goals = balanced_sizes(sizes);
    bool balanced = true, empty = false;
    for (Ordinal color = 0; color < color_count; ++color) {
      capacity[to_size(color)] = std::max(0, goals[to_size(color)] - sizes[to_size(color)]);
      balanced = balanced && sizes[to_size(color)] <= imbalance * goals[to_size(color)] &&
                 imbalance * sizes[to_size(color)] >= goals[to_size(color)];
      empty = empty || sizes[to_size(color)] == 0;
    }
    if (balanced || (pass >= max_passes && !empty)) return;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Ordinal a, Ordinal b) { return sizes[to_size(a)] > sizes[to_size(b)]; });
    Ordinal moved = 0;
    for (const Ordinal color : order) {
      if (sizes[to_size(color)] <= goals[to_size(color)]) continue;
      const auto members = Kokkos::subview(
          sorted.items, Kokkos::pair<Ordinal, Ordinal>(sorted.offsets[color], sorted.offsets[color + 1]));
      moved += move_surplus(exec, connectivity, taken, members, capacity, sizes[color] - goals[color],
                            scrambled(static_cast<std::uint32_t>(pass * color_count + color)), colors);
    }
    if (moved == 0) return;
  }
}

} // namespace tessera::detail

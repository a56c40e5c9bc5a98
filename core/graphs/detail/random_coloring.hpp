// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Coloring at random, in parallel: elements claim colors at their nodes, one claim per color.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/detail/greedy_coloring.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace tessera::detail {

/// Who claims which color at which node, in a round of `color_at_random`.
template <class ExecutionSpace, class Connectivity>
struct ColorContest {
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;

  Connectivity connectivity;
  List colors;
  NodeColors<ExecutionSpace> taken;
  Ordinal slots; ///< of claims at a node
  Kokkos::View<std::uint32_t*, ExecutionSpace> claims;
  List uncolored, still_uncolored, picks;

  ColorContest(const ExecutionSpace& exec, const Connectivity& nodes_of, Ordinal nodes, Ordinal window,
               const List& result)
      : connectivity(nodes_of), colors(result), taken(exec, nodes, window) {
    const auto elements = static_cast<Ordinal>(connectivity.extent(0));
    // About as many slots as the average node has elements: the table is then as large as the connectivity.
    const auto average_valence =
        static_cast<double>(elements) * static_cast<Ordinal>(connectivity.extent(1)) / nodes;
    slots = static_cast<Ordinal>(
        std::bit_ceil(static_cast<std::uint32_t>(std::clamp(average_valence, 4.0, 32.0))));
    claims = allocate_zeroed<decltype(claims)>(
        exec, "Tessera::Coloring::claims", static_cast<std::size_t>(nodes) * static_cast<std::size_t>(slots));
    uncolored = allocate<List>(exec, "Tessera::Coloring::uncolored", elements);
    still_uncolored = allocate<List>(exec, "Tessera::Coloring::still_uncolored", elements);
    picks = allocate<List>(exec, "Tessera::Coloring::picks", elements);
  }

  /// An element's priority, never 0.
  KOKKOS_FUNCTION static std::uint32_t key(Ordinal element) {
    return scrambled(static_cast<std::uint32_t>(element) + 1);
  }
  KOKKOS_FUNCTION std::uint32_t& claim(Ordinal element, Ordinal node, Ordinal color) const {
    return claims(static_cast<std::size_t>(connectivity(element, node)) * slots +
                  static_cast<std::size_t>(color % slots));
  }
  KOKKOS_FUNCTION Ordinal element_nodes() const { return static_cast<Ordinal>(connectivity.extent(1)); }
};

/// Each element still uncolored claims a color. \return how many find none that is free
template <class ExecutionSpace, class Contest>
Ordinal claim_colors(const ExecutionSpace& exec, const Contest& contest, Ordinal left, std::uint32_t round,
                     Ordinal window) {
  Ordinal without_color = 0;
  Kokkos::parallel_reduce(
      "Tessera::Coloring::claim",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, left),
      KOKKOS_LAMBDA(const Ordinal i, Ordinal& stuck) {
        const Ordinal element = contest.uncolored(i),
                      color = contest.taken.random_free(contest.connectivity, element, window,
                                                        scrambled(Contest::key(element) ^ round));
        contest.picks(i) = color;
        if (color < 0) {
          ++stuck;
          return;
        }
        for (Ordinal j = 0; j < contest.element_nodes(); ++j)
          Kokkos::atomic_max(&contest.claim(element, j, color), Contest::key(element));
      },
      without_color);
  return without_color;
}

/// Colors the elements whose claims won at all their nodes.
template <class ExecutionSpace, class Contest>
void settle_colors(const ExecutionSpace& exec, const Contest& contest, Ordinal left) {
  Kokkos::parallel_for(
      "Tessera::Coloring::settle",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, left),
      KOKKOS_LAMBDA(const Ordinal i) {
        using Word = typename NodeColors<ExecutionSpace>::Word;
        const Ordinal element = contest.uncolored(i), color = contest.picks(i);
        if (color < 0) return;
        for (Ordinal j = 0; j < contest.element_nodes(); ++j)
          if (contest.claim(element, j, color) != Contest::key(element)) return;
        contest.colors(element) = color;
        // Winners of different colors may meet in a word.
        for (Ordinal j = 0; j < contest.element_nodes(); ++j)
          Kokkos::atomic_or(&contest.taken.word(color / 64, contest.connectivity(element, j)),
                            Word{1} << (color % 64));
      });
}

/// Lists the elements that lost and takes all claims back. \return how many lost
template <class ExecutionSpace, class Contest>
Ordinal keep_losers(const ExecutionSpace& exec, const Contest& contest, Ordinal left) {
  Ordinal losers = 0;
  Kokkos::parallel_scan(
      "Tessera::Coloring::keep_losers",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, left),
      KOKKOS_LAMBDA(const Ordinal i, Ordinal& position, const bool final) {
        const Ordinal element = contest.uncolored(i);
        const bool lost = contest.colors(element) < 0;
        if (final) {
          if (lost) contest.still_uncolored(position) = element;
          if (contest.picks(i) >= 0)
            for (Ordinal j = 0; j < contest.element_nodes(); ++j)
              contest.claim(element, j, contest.picks(i)) = 0;
        }
        if (lost) ++position;
      },
      losers);
  return losers;
}

/// Colors all elements, at random within a window of `window` colors that widens where elements find none
/// free.
///
/// Rounds as of M. T. Jones and P. E. Plassmann, "A parallel graph coloring heuristic", SIAM J. Sci. Comput.
/// 14 (1993), with one contest per color: each element still uncolored picks a free color at random and
/// claims it at its nodes; the claim of highest (hashed) priority wins a node, and the element that wins all
/// its nodes is colored. Priorities and picks are functions of the element's number and the round, so the
/// coloring is the same on every execution space. Claims of colors that are equal modulo the number of slots
/// per node compete as well, which costs rounds, not correctness.
///
/// \return the number of colors of the window at the end; not all of them need be used.
template <class ExecutionSpace, class Connectivity>
Ordinal color_at_random(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                        Ordinal window, const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  ColorContest contest(exec, connectivity, nodes, window, colors);
  auto left = static_cast<Ordinal>(connectivity.extent(0));
  const auto uncolored = contest.uncolored;
  Kokkos::parallel_for(
      "Tessera::Coloring::start",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, left),
      KOKKOS_LAMBDA(const Ordinal element) {
        uncolored(element) = element;
        colors(element) = -1;
      });
  for (std::uint32_t round = 0; left > 0; ++round) {
    const Ordinal without_color = claim_colors(exec, contest, left, round, window);
    settle_colors(exec, contest, left);
    left = keep_losers(exec, contest, left);
    std::swap(contest.uncolored, contest.still_uncolored);
    if (without_color > 0) {
      window += std::max<Ordinal>(2, window / 16);
      if (window > 64 * contest.taken.words) contest.taken.grow(exec, window);
    }
  }
  return window;
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Greedy coloring of elements in parallel, without the elements' adjacency: what two elements must know of
/// each other passes through their nodes, as one bit per color in a mask (the colors taken there).

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/core/graphs/detail/scrambled.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace tessera::detail {

/// Position of the n-th (0-based) set bit of `bits`.
KOKKOS_INLINE_FUNCTION Ordinal nth_set_bit(std::uint64_t bits, Ordinal n) {
  for (; n > 0; --n) bits &= bits - 1;
  return Kokkos::countr_zero(bits);
}

/// Colors taken by the elements around each node, one bit per color in `words` words of 64 colors.
template <class ExecutionSpace>
struct NodeColors {
  using Word = std::uint64_t;

  Kokkos::View<Word*, ExecutionSpace> bits; // word * nodes + node
  Ordinal nodes = 0;
  Ordinal words = 0;

  NodeColors(const ExecutionSpace& exec, Ordinal nodes_, Ordinal colors)
      : bits(no_colors(exec, nodes_, colors)), nodes(nodes_), words((colors + 63) / 64) {}

  /// Makes room for `colors` colors and keeps the bits.
  void grow(const ExecutionSpace& exec, Ordinal colors) {
    const auto larger = no_colors(exec, nodes, colors);
    Kokkos::deep_copy(
        exec, Kokkos::subview(larger, Kokkos::pair<std::size_t, std::size_t>(0, bits.extent(0))), bits);
    bits = larger;
    words = (colors + 63) / 64;
  }

  static Kokkos::View<Word*, ExecutionSpace> no_colors(const ExecutionSpace& exec, Ordinal nodes,
                                                       Ordinal colors) {
    return allocate_zeroed<Kokkos::View<Word*, ExecutionSpace>>(
        exec, "Tessera::Coloring::node_colors",
        static_cast<std::size_t>(nodes) * static_cast<std::size_t>((colors + 63) / 64));
  }

  KOKKOS_FUNCTION Word& word(Ordinal word, Ordinal node) const {
    return bits(static_cast<std::size_t>(word) * nodes + node);
  }

  /// Colors of word `w` below `colors` that no element around the nodes of `element` has.
  template <class Connectivity>
  KOKKOS_FUNCTION Word free_colors(const Connectivity& connectivity, Ordinal element, Ordinal w,
                                   Ordinal colors) const {
    Word taken = 0;
    for (Ordinal i = 0; i < static_cast<Ordinal>(connectivity.extent(1)); ++i)
      taken |= word(w, connectivity(element, i));
    const Ordinal in_word = colors - 64 * w;
    return ~taken & (in_word >= 64 ? ~Word{0} : (Word{1} << in_word) - 1);
  }

  /// A color below `colors` that no element around the nodes of `element` has, by a random number; −1 if
  /// there is none. Of few words each free color is as likely as the others. To look at many would take each
  /// of the elements around a crowded node as long as there are of them: there the first word from a random
  /// one on has it.
  template <class Connectivity>
  KOKKOS_FUNCTION Ordinal random_free(const Connectivity& connectivity, Ordinal element, Ordinal colors,
                                      std::uint32_t random) const {
    constexpr Ordinal few = 4;
    const auto count = static_cast<std::uint32_t>(words);
    if (words > few) {
      for (std::uint32_t k = 0; k < count; ++k) {
        const auto w = static_cast<Ordinal>((random % count + k) % count);
        const Word free = free_colors(connectivity, element, w, colors);
        if (free == 0) continue;
        const auto in_word = static_cast<std::uint32_t>(Kokkos::popcount(free));
        return 64 * w + nth_set_bit(free, static_cast<Ordinal>(random / count % in_word));
      }
      return -1;
    }
    Ordinal free_count = 0;
    for (Ordinal w = 0; w < words; ++w)
      free_count += Kokkos::popcount(free_colors(connectivity, element, w, colors));
    if (free_count == 0) return -1;
    auto nth = static_cast<Ordinal>(random % static_cast<std::uint32_t>(free_count));
    Ordinal w = 0;
    for (;; ++w) {
      const Word free = free_colors(connectivity, element, w, colors);
      const Ordinal in_word = Kokkos::popcount(free);
      if (nth < in_word) return 64 * w + nth_set_bit(free, nth);
      nth -= in_word;
    }
  }

  template <class Connectivity>
  KOKKOS_FUNCTION void take(const Connectivity& connectivity, Ordinal element, Ordinal color) const {
    for (Ordinal i = 0; i < static_cast<Ordinal>(connectivity.extent(1)); ++i)
      word(color / 64, connectivity(element, i)) |= Word{1} << (color % 64);
  }

  template <class Connectivity>
  KOKKOS_FUNCTION void give_back(const Connectivity& connectivity, Ordinal element, Ordinal color) const {
    for (Ordinal i = 0; i < static_cast<Ordinal>(connectivity.extent(1)); ++i)
      word(color / 64, connectivity(element, i)) &= ~(Word{1} << (color % 64));
  }
};

/// Colors the elements in their order, each with the first color free around it, in one thread of the host.
/// Memory bandwidth bounds it, so it beats the parallel coloring on any CPU, and a mesh in good order needs
/// fewer colors.
///
/// \return the number of colors.
template <class ExecutionSpace, class Connectivity>
Ordinal color_in_order(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                       const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  NodeColors<ExecutionSpace> taken(exec, nodes, 64);
  exec.fence("Tessera::Coloring::color_in_order");
  Ordinal color_count = 0;
  for (Ordinal element = 0; element < static_cast<Ordinal>(connectivity.extent(0)); ++element) {
    Ordinal w = 0;
    auto free = taken.free_colors(connectivity, element, w, 64 * taken.words);
    while (free == 0) {
      if (++w == taken.words) {
        taken.grow(exec, 2 * 64 * w); // a step of one word would copy all the others each time
        exec.fence("Tessera::Coloring::color_in_order");
      }
      free = taken.free_colors(connectivity, element, w, 64 * taken.words);
    }
    const Ordinal color = 64 * w + std::countr_zero(free);
    taken.take(connectivity, element, color);
    colors(element) = color;
    color_count = std::max(color_count, color + 1);
  }
  return color_count;
}

/// Colors the elements anew, color by color from the last to the first, each with the first color free around
/// it. Elements of one old color share no node, so a color's elements are colored in parallel and every
/// result equals the sequential one. The number of colors never grows (J. C. Culberson, "Iterated greedy
/// graph coloring and the difficulty landscape", University of Alberta TR 92-07, 1992).
///
/// \return the number of colors.
template <class ExecutionSpace, class Connectivity>
Ordinal recolor_first_fit(const ExecutionSpace& exec, const Connectivity& connectivity, Ordinal nodes,
                          Ordinal color_count, const Kokkos::View<Ordinal*, ExecutionSpace>& colors) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const SortedByKey<ExecutionSpace> sorted = sort_by_key(exec, colors, color_count);
  const auto members = sorted.items;
  const NodeColors<ExecutionSpace> taken(exec, nodes, color_count);
  for (Ordinal old_color = color_count - 1; old_color >= 0; --old_color) {
    const Ordinal begin = sorted.offsets[old_color], end = sorted.offsets[old_color + 1];
    if (begin == end) continue;
    Kokkos::parallel_for(
        "Tessera::Coloring::recolor", Range(exec, begin, end), KOKKOS_LAMBDA(const Ordinal i) {
          const Ordinal element = members(i);
          Ordinal w = 0;
          auto free = taken.free_colors(connectivity, element, w, color_count);
          while (free == 0) free = taken.free_colors(connectivity, element, ++w, color_count);
          const Ordinal color = 64 * w + Kokkos::countr_zero(free);
          taken.take(connectivity, element, color);
          colors(element) = color;
        });
  }
  Ordinal last = -1;
  Kokkos::parallel_reduce(
      "Tessera::Coloring::last_color", Range(exec, 0, static_cast<Ordinal>(colors.extent(0))),
      KOKKOS_LAMBDA(const Ordinal element, Ordinal& max) { max = Kokkos::max(max, colors(element)); },
      Kokkos::Max<Ordinal>(last));
  return last + 1;
}

} // namespace tessera::detail

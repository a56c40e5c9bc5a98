// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Dealing lists of different lengths to equal bins by longest processing time first (LPT), as the
/// reduction and scatter arrays of assembly by nonzeros need it (paper 1, section 4.2.3): one block of lists
/// becomes a matrix with one bin per thread, whose height is the load of the fullest bin.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera {

/// Where every list of every block lies. All views live in the execution space's memory.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct BinPlaces {
  /// Bin of each list within its block, 0 … bins−1. Extent: number of lists.
  Kokkos::View<Ordinal*, ExecutionSpace> bin_of_list;
  /// Position in its bin at which each list starts: the sum of the lengths placed there before it.
  Kokkos::View<Ordinal*, ExecutionSpace> start_of_list;
  /// Load of the fullest bin of each block. Extent: number of blocks.
  Kokkos::View<Ordinal*, ExecutionSpace> height_of_block;
};

namespace detail {

/// True where list a comes before list b: longer first, then the lower number.
template <class Lengths>
KOKKOS_INLINE_FUNCTION bool comes_before(const Lengths& lengths, Offset first, Ordinal a, Ordinal b) {
  const auto length_a = lengths(first + a), length_b = lengths(first + b);
  return length_a != length_b ? length_a > length_b : a < b;
}

/// Fills `order[0 … lists)` with the lists of a block sorted by `comes_before`. Lengths below `bins` (the
/// rule: a node's valence against a thread block's size) are sorted by counting in `counters`, which has
/// `bins` entries; others by heap sort, which needs no memory.
template <class Lengths>
KOKKOS_INLINE_FUNCTION void sort_by_length(const Lengths& lengths, Offset first, Ordinal lists, Ordinal bins,
                                           std::uint64_t* counters, Ordinal* order) {
  Ordinal longest = 0;
  for (Ordinal list = 0; list < lists; ++list)
    longest = Kokkos::max(longest, static_cast<Ordinal>(lengths(first + list)));
  if (longest < bins) {
    for (Ordinal length = 0; length <= longest; ++length) counters[length] = 0;
    for (Ordinal list = 0; list < lists; ++list) ++counters[lengths(first + list)];
    std::uint64_t start = 0;
    for (Ordinal length = longest; length >= 0; --length) {
      const std::uint64_t count = counters[length];
      counters[length] = start;
      start += count;
    }
    for (Ordinal list = 0; list < lists; ++list) order[counters[lengths(first + list)]++] = list;
    return;
  }
  // Heap with the last in order on top; each step moves the top behind the shrinking heap.
  const auto sift = [&](Ordinal hole, Ordinal size, Ordinal list) {
    for (Ordinal child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && comes_before(lengths, first, order[child], order[child + 1])) ++child;
      if (!comes_before(lengths, first, list, order[child])) break;
      order[hole] = order[child];
      hole = child;
    }
    order[hole] = list;
  };
  for (Ordinal list = 0; list < lists; ++list) order[list] = list;
  for (Ordinal hole = lists / 2 - 1; hole >= 0; --hole) sift(hole, lists, order[hole]);
  for (Ordinal size = lists - 1; size > 0; --size) {
    const Ordinal list = order[size];
    order[size] = order[0];
    sift(0, size, list);
  }
}

/// Deals the lists of the blocks, one block per work item: there are thousands of blocks of a few thousand
/// lists each.
template <class ExecutionSpace, class BlockOffsets, class Lengths>
struct FillBins {
  BlockOffsets block_offsets;
  Lengths lengths;
  Ordinal bins;
  Kokkos::View<Ordinal*, ExecutionSpace> order;       // lists
  Kokkos::View<std::uint64_t*, ExecutionSpace> heaps; // blocks * bins
  BinPlaces<ExecutionSpace> places;

  KOKKOS_FUNCTION void operator()(const Ordinal block) const {
    const Offset first = block_offsets(block);
    const auto lists = static_cast<Ordinal>(block_offsets(block + 1) - first);
    std::uint64_t* const heap = heaps.data() + static_cast<Offset>(block) * bins;
    Ordinal* const sorted = order.data() + first;
    sort_by_length(lengths, first, lists, bins, heap, sorted);

    // A heap of keys (load, bin) with the least loaded bin on top, the lowest-numbered of several.
    for (Ordinal bin = 0; bin < bins; ++bin) heap[bin] = static_cast<std::uint64_t>(bin);
    std::uint64_t height = 0;
    for (Ordinal k = 0; k < lists; ++k) {
      const Ordinal list = sorted[k];
      const std::uint64_t load = heap[0] >> 32;
      places.bin_of_list(first + list) = static_cast<Ordinal>(heap[0] & 0xffffffffu);
      places.start_of_list(first + list) = static_cast<Ordinal>(load);
      const std::uint64_t key = heap[0] + (static_cast<std::uint64_t>(lengths(first + list)) << 32);
      height = Kokkos::max(height, key >> 32);
      Ordinal hole = 0;
      for (Ordinal child = 1; child < bins; child = 2 * hole + 1) {
        if (child + 1 < bins && heap[child + 1] < heap[child]) ++child;
        if (key <= heap[child]) break;
        heap[hole] = heap[child];
        hole = child;
      }
      heap[hole] = key;
    }
    places.height_of_block(block) = static_cast<Ordinal>(height);
  }
};

/// Finds the first block that cannot be dealt: offsets that decrease, a negative length, or a sum of lengths
/// that passes 32 bits (the loads are kept in 32 bits).
template <class BlockOffsets, class Lengths>
struct FindBadBlock {
  BlockOffsets block_offsets;
  Lengths lengths;

  KOKKOS_FUNCTION void operator()(const Ordinal block, Ordinal& first_bad) const {
    const auto begin = static_cast<std::int64_t>(block_offsets(block));
    const auto end = static_cast<std::int64_t>(block_offsets(block + 1));
    bool bad = begin < 0 || end < begin || end > static_cast<std::int64_t>(lengths.extent(0)) ||
               end - begin > Kokkos::Experimental::finite_max_v<Ordinal>;
    std::int64_t sum = 0;
    for (std::int64_t list = begin; list < end && !bad; ++list) {
      const auto length = static_cast<std::int64_t>(lengths(list));
      sum += length;
      bad = length < 0 || sum > Kokkos::Experimental::finite_max_v<Ordinal>;
    }
    if (bad) first_bad = Kokkos::min(first_bad, block);
  }
};

} // namespace detail

/// Deals the lists of each block to `bins` bins by longest processing time first: lists by decreasing
/// length, equal lengths by increasing number, each to the bin with the smallest load, the lowest-numbered of
/// several.
///
/// \param exec           instance that runs the kernels; the call returns after they have ended.
/// \param block_offsets  first list of each block, extent blocks + 1, integers; the lists of block b are
///                       block_offsets(b) … block_offsets(b+1)−1.
/// \param lengths        length of each list, extent block_offsets(blocks), integers >= 0.
/// \param bins           bins per block, >= 1 (the thread block's size).
/// \throws ArgumentError if bins < 1, the offsets decrease, a length is negative, or a block's lengths sum to
/// more
///         than 2^31−1; the message names the block.
///
/// The height of each block is at most (4/3 − 1/(3·bins)) times the smallest one possible (R. L. Graham,
/// "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969). Deterministic, equal on every
/// execution space. Work O(lists · log bins) with one work item per block; memory 12 bytes a list and 8 bytes
/// a bin and block.
template <class ExecutionSpace, class BlockOffsets, class Lengths>
BinPlaces<ExecutionSpace> fill_bins(const ExecutionSpace& exec, const BlockOffsets& block_offsets,
                                    const Lengths& lengths, Ordinal bins) {
  static_assert(Kokkos::is_view_v<BlockOffsets> && Kokkos::is_view_v<Lengths>,
                "tessera::fill_bins: block_offsets and lengths must be Kokkos views.");
  static_assert(BlockOffsets::rank() == 1 && Lengths::rank() == 1,
                "tessera::fill_bins: block_offsets and lengths must have rank 1.");
  static_assert(std::is_integral_v<typename BlockOffsets::non_const_value_type> &&
                    std::is_integral_v<typename Lengths::non_const_value_type>,
                "tessera::fill_bins: block_offsets and lengths must hold integers.");
  if (bins < 1)
    throw ArgumentError("fill_bins: the number of bins must be at least 1, got " + std::to_string(bins));
  if (block_offsets.extent(0) > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError("fill_bins: " + std::to_string(block_offsets.extent(0) - 1) +
                        " blocks do not fit 32-bit numbers");
  const auto blocks = block_offsets.extent(0) == 0 ? 0 : static_cast<Ordinal>(block_offsets.extent(0) - 1);
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> all_blocks(exec, 0, blocks);

  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal first_bad = none;
  Kokkos::parallel_reduce("Tessera::BinPlaces::check", all_blocks,
                          detail::FindBadBlock<BlockOffsets, Lengths>{block_offsets, lengths},
                          Kokkos::Min<Ordinal>(first_bad));
  if (first_bad < none)
    throw ArgumentError("fill_bins: block " + std::to_string(first_bad) +
                        " needs increasing offsets within the " + std::to_string(lengths.extent(0)) +
                        " lists, lengths >= 0 and a sum of lengths below 2^31");

  const std::size_t lists = lengths.extent(0);
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  BinPlaces<ExecutionSpace> places;
  places.bin_of_list = allocate<Numbers>(exec, "Tessera::BinPlaces::bin_of_list", lists);
  places.start_of_list = allocate<Numbers>(exec, "Tessera::BinPlaces::start_of_list", lists);
  places.height_of_block = allocate<Numbers>(exec, "Tessera::BinPlaces::height_of_block", blocks);
  const auto order =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::BinPlaces::order", lists);
  const auto heaps = allocate<Kokkos::View<std::uint64_t*, ExecutionSpace>>(
      exec, "Tessera::BinPlaces::heaps", static_cast<std::size_t>(blocks) * static_cast<std::size_t>(bins));
  Kokkos::parallel_for("Tessera::BinPlaces::fill", all_blocks,
                       detail::FillBins<ExecutionSpace, BlockOffsets, Lengths>{block_offsets, lengths, bins,
                                                                               order, heaps, places});
  exec.fence("Tessera::BinPlaces::fill");
  return places;
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which items (nodes, elements) each block of threads needs.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

/// Items of each block, ascending and without repetition; an item may be in several blocks.
template <class ExecutionSpace>
struct BlockLists {
  Kokkos::View<Offset*, ExecutionSpace> offsets; ///< block (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> items;

  /// Position of an item in its block's list; -1 if it is not there.
  KOKKOS_FUNCTION Ordinal find(Ordinal block, Ordinal item) const {
    const Ordinal* const list = items.data() + offsets(block);
    const Ordinal place = detail::place_in(list, size(block), item);
    return place < size(block) && list[place] == item ? place : -1;
  }
  KOKKOS_FUNCTION Ordinal size(Ordinal block) const {
    return static_cast<Ordinal>(offsets(block + 1) - offsets(block));
  }
};

namespace detail {

template <class ExecutionSpace, class Touches>
struct BlockListBuilder {
  Touches touches;
  BlockLists<ExecutionSpace> lists;
  Kokkos::View<Ordinal*, ExecutionSpace> cursor;

  struct Count {};
  struct Scan {};
  struct Fill {};
  struct Sort {};

  /// Calls `visit(block)` once for each block that the item touches.
  template <class Visit>
  KOKKOS_FUNCTION void each_block(Ordinal item, const Visit& visit) const {
    const Ordinal count = touches.count(item);
    for (Ordinal k = 0; k < count; ++k) {
      const Ordinal block = touches.block(item, k);
      bool seen = block < 0;
      for (Ordinal before = 0; before < k && !seen; ++before) seen = touches.block(item, before) == block;
      if (!seen) visit(block);
    }
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal item) const {
    each_block(item, [&](Ordinal block) { Kokkos::atomic_inc(&cursor(block)); });
  }
  KOKKOS_FUNCTION void operator()(Scan, Ordinal block, Offset& sum, bool final) const {
    const Ordinal count = cursor(block);
    if (final) {
      lists.offsets(block) = sum;
      cursor(block) = 0;
      if (block + 1 == static_cast<Ordinal>(cursor.extent(0))) lists.offsets(block + 1) = sum + count;
    }
    sum += count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal item) const {
    each_block(item, [&](Ordinal block) {
      lists.items(lists.offsets(block) + Kokkos::atomic_fetch_add(&cursor(block), 1)) = item;
    });
  }
  /// In order already where one thread filled the lists; else heap sort.
  KOKKOS_FUNCTION void operator()(Sort, Ordinal block) const {
    Ordinal* const list = lists.items.data() + lists.offsets(block);
    const Ordinal size = lists.size(block);
    bool sorted = true;
    for (Ordinal i = 1; i < size && sorted; ++i) sorted = list[i - 1] < list[i];
    if (sorted) return;
    for (Ordinal hole = size / 2 - 1; hole >= 0; --hole) sift(list, hole, size, list[hole]);
    for (Ordinal end = size - 1; end > 0; --end) {
      const Ordinal item = list[end];
      list[end] = list[0];
      sift(list, 0, end, item);
    }
  }
  KOKKOS_FUNCTION static void sift(Ordinal* list, Ordinal hole, Ordinal size, Ordinal item) {
    for (Ordinal child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && list[child] < list[child + 1]) ++child;
      if (item >= list[child]) break;
      list[hole] = list[child];
      hole = child;
    }
    list[hole] = item;
  }
};

} // namespace detail

/// Collects the items of each block.
///
/// \param blocks number of blocks
/// \param items number of items
/// \param touches `count(item)` and `block(item, k)`, k < count: the blocks that need the item, with
///   repetitions; -1 for none
template <class ExecutionSpace, class Touches>
BlockLists<ExecutionSpace> block_lists(const ExecutionSpace& exec, Ordinal blocks, Ordinal items,
                                       const Touches& touches) {
  using Builder = detail::BlockListBuilder<ExecutionSpace, Touches>;
  using Kokkos::view_alloc;
  BlockLists<ExecutionSpace> lists;
  lists.offsets = decltype(lists.offsets)(view_alloc(exec, "Tessera::BlockLists::offsets"), blocks + 1);
  Builder builder{touches, lists, {}};
  builder.cursor = decltype(builder.cursor)(view_alloc(exec, "Tessera::BlockLists::cursor"), blocks);
  Kokkos::parallel_for("Tessera::BlockLists::count",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, items), builder);
  Offset entries = 0;
  Kokkos::parallel_scan("Tessera::BlockLists::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, blocks), builder,
                        entries);
  lists.items = allocate<decltype(lists.items)>(exec, "Tessera::BlockLists::items", entries);
  builder.lists = lists;
  Kokkos::parallel_for("Tessera::BlockLists::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, items), builder);
  Kokkos::parallel_for("Tessera::BlockLists::sort",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Sort>(exec, 0, blocks), builder);
  exec.fence("Tessera::BlockLists::sort");
  return lists;
}

/// Size of the longest list.
template <class ExecutionSpace, class Offsets>
Ordinal longest_list(const ExecutionSpace& exec, const Offsets& offsets) {
  Ordinal longest = 0;
  const auto blocks = static_cast<Ordinal>(offsets.extent(0)) - 1;
  Kokkos::parallel_reduce(
      "Tessera::BlockLists::longest", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, blocks > 0 ? blocks : 0),
      KOKKOS_LAMBDA(const Ordinal block, Ordinal& most) {
        most = Kokkos::max(most, static_cast<Ordinal>(offsets(block + 1) - offsets(block)));
      },
      Kokkos::Max<Ordinal>(longest));
  return longest > 0 ? longest : 0;
}

} // namespace tessera

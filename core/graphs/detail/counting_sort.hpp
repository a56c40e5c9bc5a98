// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Stable sorts of item numbers by integer keys, on the device. The result depends on the keys alone, not on
/// the execution space nor on the number of threads.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Counts of keys by chunk, key × chunk. On hosts a chunk's lie together: threads that count side by side
/// would take the lines from each other. On devices a key's do, for the threads of a warp to write them
/// together.
template <class ExecutionSpace>
using KeyCounts =
    Kokkos::View<Ordinal**,
                 std::conditional_t<runs_on_host<ExecutionSpace>, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
                 ExecutionSpace>;

/// Reorders `items` into `sorted` by `key_of(item)`, which must lie in 0 … key_count−1; equal keys keep their
/// order.
///
/// The items are cut into chunks, one per work item, that count their keys and later write their items from
/// the scanned counts on: stable, hence equal whatever the number of chunks. Two passes over the keys; the
/// counts take at most 4 bytes an item.
///
/// \return the counts' view, key × chunk, with the end of each chunk's run of each key: the entry of a key's
/// last
///         chunk is the end of the key.
template <class ExecutionSpace, class KeyOf>
KeyCounts<ExecutionSpace> counting_sort(const ExecutionSpace& exec, const KeyOf& key_of, Ordinal key_count,
                                        const Kokkos::View<Ordinal*, ExecutionSpace>& items,
                                        const Kokkos::View<Ordinal*, ExecutionSpace>& sorted) {
  const auto count = static_cast<Ordinal>(items.extent(0));
  const Ordinal chunk_size = std::max({Ordinal{128}, key_count, count / std::max(1, 4 * exec.concurrency())});
  const Ordinal chunks = count / chunk_size + (count % chunk_size > 0 ? 1 : 0);
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> all_chunks(exec, 0, chunks);
  const auto positions =
      allocate_zeroed<KeyCounts<ExecutionSpace>>(exec, "Tessera::CountingSort::positions", key_count, chunks);
  Kokkos::parallel_for(
      "Tessera::CountingSort::count", all_chunks, KOKKOS_LAMBDA(const Ordinal chunk) {
        const Ordinal begin = chunk * chunk_size;
        const Ordinal end = count - begin < chunk_size ? count : begin + chunk_size;
        for (Ordinal i = begin; i < end; ++i) ++positions(key_of(items(i)), chunk);
      });
  Kokkos::parallel_scan(
      "Tessera::CountingSort::scan",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(positions.size())),
      KOKKOS_LAMBDA(const std::int64_t i, Ordinal& sum, const bool final) {
        Ordinal& position = positions(i / chunks, i % chunks);
        const Ordinal run = position;
        if (final) position = sum;
        sum += run;
      });
  Kokkos::parallel_for(
      "Tessera::CountingSort::write", all_chunks, KOKKOS_LAMBDA(const Ordinal chunk) {
        const Ordinal begin = chunk * chunk_size;
        const Ordinal end = count - begin < chunk_size ? count : begin + chunk_size;
        for (Ordinal i = begin; i < end; ++i) sorted(positions(key_of(items(i)), chunk)++) = items(i);
      });
  return positions;
}

/// The items 0 … count−1 in order.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> all_items(const ExecutionSpace& exec, Ordinal count) {
  const auto items =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::CountingSort::items", count);
  Kokkos::parallel_for(
      "Tessera::CountingSort::all_items",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal item) { items(item) = item; });
  return items;
}

/// Item numbers grouped by key.
template <class ExecutionSpace>
struct SortedByKey {
  /// First position of each key in `items`, on the host. Extent: keys + 1.
  std::vector<Ordinal> offsets;
  /// Item numbers, ascending within a key. Extent: number of items.
  Kokkos::View<Ordinal*, ExecutionSpace> items;
};

/// Reads a key per item from a view.
template <class Keys>
struct KeyFromView {
  Keys keys;
  KOKKOS_FUNCTION Ordinal operator()(Ordinal item) const { return keys(item); }
};

/// Groups the items 0 … extent−1 by `keys(item)`, which must lie in 0 … key_count−1. Fences the instance.
template <class ExecutionSpace, class Keys>
SortedByKey<ExecutionSpace> sort_by_key(const ExecutionSpace& exec, const Keys& keys, Ordinal key_count) {
  const auto count = static_cast<Ordinal>(keys.extent(0));
  const auto sorted_items =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::CountingSort::sorted", count);
  const auto positions =
      counting_sort(exec, KeyFromView<Keys>{keys}, key_count, all_items(exec, count), sorted_items);

  const auto offsets =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::CountingSort::offsets", key_count + 1);
  const auto chunks = static_cast<Ordinal>(positions.extent(1));
  Kokkos::parallel_for(
      "Tessera::CountingSort::offsets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, key_count + 1),
      KOKKOS_LAMBDA(const Ordinal key) {
        offsets(key) = key == 0 || chunks == 0 ? 0 : positions(key - 1, chunks - 1);
      });
  SortedByKey<ExecutionSpace> sorted{std::vector<Ordinal>(key_count + 1), sorted_items};
  Kokkos::deep_copy(exec,
                    Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(sorted.offsets.data(),
                                                                                       sorted.offsets.size()),
                    offsets);
  exec.fence("Tessera::CountingSort::sort_by_key");
  return sorted;
}

/// Reads eight bits of a key per item from a view.
template <class Keys>
struct DigitFromView {
  Keys keys;
  int shift;
  KOKKOS_FUNCTION Ordinal operator()(Ordinal item) const {
    return static_cast<Ordinal>((keys(item) >> shift) & 0xffu);
  }
};

/// The items 0 … extent−1 sorted by the lowest `bits` bits of the unsigned `keys(item)`, equal keys by
/// number: radix sort by eight bits at a time.
template <class ExecutionSpace, class Key>
Kokkos::View<Ordinal*, ExecutionSpace> radix_sort(const ExecutionSpace& exec,
                                                  const Kokkos::View<Key*, ExecutionSpace>& keys, int bits) {
  const auto count = static_cast<Ordinal>(keys.extent(0));
  Kokkos::View<Ordinal*, ExecutionSpace> items = all_items(exec, count);
  auto sorted =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::CountingSort::sorted", count);
  for (int shift = 0; shift < bits; shift += 8) {
    counting_sort(exec, DigitFromView<Kokkos::View<Key*, ExecutionSpace>>{keys, shift}, 256, items, sorted);
    std::swap(items, sorted);
  }
  exec.fence("Tessera::CountingSort::radix_sort");
  return items;
}

} // namespace tessera::detail

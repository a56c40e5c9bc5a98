#pragma once

/// \file
/// Stable sort of item numbers by small integer keys, on the device.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::detail {

/// Item numbers grouped by key.
template <class ExecutionSpace>
struct SortedByKey {
  /// First position of each key in `items`, on the host. Extent: keys + 1.
  std::vector<Ordinal> offsets;
  /// Item numbers, ascending within a key. Extent: number of items.
  Kokkos::View<Ordinal*, ExecutionSpace> items;
};

/// Groups the items 0 … extent−1 by `keys(item)`, which must lie in 0 … key_count−1.
///
/// The items are cut into chunks, one per work item, that count their keys and later write their items from
/// the scanned counts on: stable, hence equal whatever the number of chunks. Two passes over the keys; memory
/// 4·key_count bytes a chunk.
template <class ExecutionSpace, class Keys>
SortedByKey<ExecutionSpace> sort_by_key(const ExecutionSpace& exec, const Keys& keys, Ordinal key_count) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  const auto items = static_cast<Ordinal>(keys.extent(0));
  const Ordinal chunk_size = std::max<Ordinal>(128, items / std::max(1, 4 * exec.concurrency()));
  const Ordinal chunks = (items + chunk_size - 1) / chunk_size;
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> all_chunks(exec, 0, chunks);

  // Row `key`, column `chunk`: the scan of this order is the stable sort's.
  const Kokkos::View<Ordinal*, ExecutionSpace> positions(view_alloc(exec, "Tessera::SortByKey::positions"),
                                                         static_cast<std::size_t>(key_count) *
                                                             static_cast<std::size_t>(chunks));
  Kokkos::parallel_for(
      "Tessera::SortByKey::count", all_chunks, KOKKOS_LAMBDA(const Ordinal chunk) {
        const Ordinal end = Kokkos::min(items, (chunk + 1) * chunk_size);
        for (Ordinal item = chunk * chunk_size; item < end; ++item)
          ++positions(static_cast<std::size_t>(keys(item)) * chunks + chunk);
      });
  Kokkos::parallel_scan(
      "Tessera::SortByKey::scan",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(positions.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t i, Ordinal& sum, const bool final) {
        const Ordinal count = positions(i);
        if (final) positions(i) = sum;
        sum += count;
      });

  SortedByKey<ExecutionSpace> sorted;
  const Kokkos::View<Ordinal*, ExecutionSpace> offsets(
      view_alloc(exec, WithoutInitializing, "Tessera::SortByKey::offsets"), key_count + 1);
  Kokkos::parallel_for(
      "Tessera::SortByKey::offsets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, key_count + 1),
      KOKKOS_LAMBDA(const Ordinal key) {
        offsets(key) =
            key == key_count || chunks == 0 ? items : positions(static_cast<std::size_t>(key) * chunks);
      });
  sorted.offsets.resize(key_count + 1);
  Kokkos::deep_copy(exec,
                    Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(sorted.offsets.data(),
                                                                                       sorted.offsets.size()),
                    offsets);
  const Kokkos::View<Ordinal*, ExecutionSpace> order(
      view_alloc(exec, WithoutInitializing, "Tessera::SortByKey::items"), items);
  Kokkos::parallel_for(
      "Tessera::SortByKey::write", all_chunks, KOKKOS_LAMBDA(const Ordinal chunk) {
        const Ordinal end = Kokkos::min(items, (chunk + 1) * chunk_size);
        for (Ordinal item = chunk * chunk_size; item < end; ++item)
          order(positions(static_cast<std::size_t>(keys(item)) * chunks + chunk)++) = item;
      });
  exec.fence("Tessera::SortByKey");
  sorted.items = order;
  return sorted;
}

} // namespace tessera::detail

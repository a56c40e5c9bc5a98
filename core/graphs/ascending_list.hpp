// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Ascending lists of numbers, kept by one thread.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// Place of `value` in an ascending list, or where it would be.
KOKKOS_INLINE_FUNCTION Ordinal place_in(const Ordinal* list, Ordinal count, Ordinal value) {
  Ordinal low = 0, high = count;
  while (low < high) {
    const Ordinal middle = low + (high - low) / 2;
    if (list[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Inserts into a short ascending list, which has room for it, unless it is there.
KOKKOS_INLINE_FUNCTION void insert_ascending(Ordinal* list, Ordinal& count, Ordinal value) {
  const Ordinal at = place_in(list, count, value);
  if (at < count && list[at] == value) return;
  for (Ordinal i = count; i > at; --i) list[i] = list[i - 1];
  list[at] = value;
  ++count;
}

/// Lets list[root] sink in the heap of its first `count` entries.
KOKKOS_INLINE_FUNCTION void sift_down(Ordinal* list, Ordinal root, Ordinal count) {
  const Ordinal value = list[root];
  for (Ordinal child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && list[child] < list[child + 1]) ++child;
    if (list[child] <= value) break;
    list[root] = list[child];
    root = child;
  }
  list[root] = value;
}

/// Sorts a list of any length in place (heapsort: J. W. J. Williams, "Algorithm 232", Comm. ACM 7, 1964).
KOKKOS_INLINE_FUNCTION void sort_ascending(Ordinal* list, Ordinal count) {
  for (Ordinal root = count / 2; root-- > 0;) sift_down(list, root, count);
  for (Ordinal last = count - 1; last > 0; --last) {
    const Ordinal largest = list[0];
    list[0] = list[last];
    list[last] = largest;
    sift_down(list, 0, last);
  }
}

/// Sorts a list and leaves out what occurs again.
/// \return how many there are
KOKKOS_INLINE_FUNCTION Ordinal sort_distinct(Ordinal* list, Ordinal count) {
  sort_ascending(list, count);
  Ordinal distinct = 0;
  for (Ordinal i = 0; i < count; ++i)
    if (i == 0 || list[i] != list[distinct - 1]) list[distinct++] = list[i];
  return distinct;
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Lists that outgrow their storage: most have about the same length and get equal storage; the few that are
/// far longer are made again, in larger storage.

#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::sparse::detail {

/// The length of a list that has no room: more than all lists together have, and few enough for sums.
inline constexpr Offset overflow = Offset{1} << 36;

/// Some of the items that have lists, or all.
template <class ExecutionSpace>
struct SomeItems {
  Ordinal count = 0;
  Ordinals<ExecutionSpace> items; // in any order; empty: all

  KOKKOS_FUNCTION Ordinal item(Ordinal k) const { return items.extent(0) > 0 ? items(k) : k; }
};

/// Takes the items down whose lists have no room.
template <class ExecutionSpace>
struct Overflows {
  Ordinals<ExecutionSpace> items;
  Kokkos::View<Ordinal, ExecutionSpace> count;

  /// \param most  of them.
  Overflows(const Workspace<ExecutionSpace>& work, Ordinal most)
      : items(make_temporary<decltype(items)>(work, "overflows", most)),
        count(make_temporary<decltype(count)>(work, "count")) {
    Kokkos::deep_copy(work.exec, count, 0);
  }

  KOKKOS_FUNCTION void add(Ordinal item) const { items(Kokkos::atomic_fetch_add(&count(), 1)) = item; }

  /// \param lengths  sum of all lists, of which no other is as long as those without room.
  SomeItems<ExecutionSpace> all(Offset lengths) const {
    return {static_cast<Ordinal>(lengths / overflow), items};
  }
};

/// Offsets of lists, whose lengths are kept until all have room.
template <class ExecutionSpace>
Lengths offsets_of(const Workspace<ExecutionSpace>& work, const Offsets<ExecutionSpace>& row_map,
                   const Offsets<ExecutionSpace>& list_lengths) {
  return scan_lengths(work, row_map, KOKKOS_LAMBDA(const Ordinal item) { return list_lengths(item + 1); });
}

} // namespace tessera::solvers::sparse::detail

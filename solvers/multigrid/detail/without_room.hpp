#pragma once

/// \file
/// Lists that have no room: most are about as long as others and share rooms of equal size; the few that are
/// far longer are made again, in larger ones.

#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid {

/// The length of a list that has no room: more than any list has.
inline constexpr Offset no_room = Offset{1} << 40;

/// Some of the items that have lists, or all.
template <class ExecutionSpace>
struct SomeItems {
  Ordinal count = 0;
  Ordinals<ExecutionSpace> items; // ascending; empty: all

  KOKKOS_FUNCTION Ordinal item(Ordinal k) const { return items.extent(0) > 0 ? items(k) : k; }
};

/// Numbers the items whose lists have no room.
template <class ExecutionSpace>
struct NumberWithoutRoom {
  static constexpr int kinds = 1;
  Offsets<ExecutionSpace> list_lengths; // in the entry after an item's own
  Ordinals<ExecutionSpace> items;       // by number

  KOKKOS_FUNCTION bool without(Ordinal item) const { return list_lengths(item + 1) >= no_room; }
  KOKKOS_FUNCTION tessera::detail::LengthSums<1> lengths(Ordinal item) const {
    return {{without(item) ? Offset{1} : Offset{0}}, {}};
  }
  KOKKOS_FUNCTION void store(Ordinal item, const Kokkos::Array<Offset, 1>& through) const {
    if (without(item)) items(static_cast<Ordinal>(through[0]) - 1) = item;
  }
};

/// The items whose lists have no room.
/// \param list_lengths  in the entry after an item's own.
template <class ExecutionSpace>
SomeItems<ExecutionSpace> items_without_room(const ExecutionSpace& exec,
                                             const Offsets<ExecutionSpace>& list_lengths) {
  const auto all = static_cast<Ordinal>(list_lengths.extent(0) - 1);
  const auto items = make_temporary<Ordinals<ExecutionSpace>>(exec, "items", all);
  const auto total = scan_total(exec, "Tessera::Multigrid::without_room",
                                NumberWithoutRoom<ExecutionSpace>{list_lengths, items}, all);
  return {static_cast<Ordinal>(total.sum[0]), items};
}

/// Offsets of lists, whose lengths are kept until all have room.
template <class ExecutionSpace>
Lengths offsets_of(const ExecutionSpace& exec, const Offsets<ExecutionSpace>& row_map,
                   const Offsets<ExecutionSpace>& list_lengths) {
  return scan_lengths(exec, row_map, KOKKOS_LAMBDA(const Ordinal item) { return list_lengths(item + 1); });
}

} // namespace tessera::solvers::multigrid

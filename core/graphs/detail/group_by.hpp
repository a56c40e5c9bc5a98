// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Items grouped by a number that each of them has, on the device.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace tessera::detail {

/// Items sorted by group, ascending within a group, and where each group begins.
template <class ExecutionSpace>
struct Groups {
  Kokkos::View<Ordinal*, ExecutionSpace> items;
  Kokkos::View<Ordinal*, ExecutionSpace> offsets; ///< group (+1); groups may be empty
};

/// Groups the items 0 … extent−1 by `group_of_item`, each in 0 … groups−1. Made for many groups.
template <class ExecutionSpace>
Groups<ExecutionSpace> group_by(const ExecutionSpace& exec,
                                const Kokkos::View<Ordinal*, ExecutionSpace>& group_of_item, Ordinal groups) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const auto count = static_cast<Ordinal>(group_of_item.extent(0));
  const auto keys =
      allocate<Kokkos::View<std::uint64_t*, ExecutionSpace>>(exec, "Tessera::GroupBy::keys", count);
  Kokkos::parallel_for(
      "Tessera::GroupBy::keys", Range(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal item) { keys(item) = static_cast<std::uint64_t>(group_of_item(item)); });
  Groups<ExecutionSpace> result;
  result.items = radix_sort(exec, keys, std::bit_width(static_cast<std::uint32_t>(groups)));
  result.offsets =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::GroupBy::offsets", groups + 1);
  const auto items = result.items;
  const auto offsets = result.offsets;
  Kokkos::parallel_for(
      "Tessera::GroupBy::offsets", Range(exec, 0, count + 1), KOKKOS_LAMBDA(const Ordinal place) {
        const Ordinal before = place == 0 ? -1 : group_of_item(items(place - 1));
        const Ordinal at = place == count ? groups : group_of_item(items(place));
        for (Ordinal group = before + 1; group <= at; ++group) offsets(group) = place;
      });
  exec.fence("Tessera::GroupBy::offsets");
  return result;
}

} // namespace tessera::detail

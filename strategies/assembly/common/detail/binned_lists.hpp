// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Lists of integers dealt to bins side by side, for one thread each to read (paper 1, figures 6 and 9).

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/fill_bins.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace tessera::detail {

/// One matrix of integers per group: column-major with a row per thread ("bin"), read side by side. A bin
/// holds lists one after the other; zeros pad. A group is a block, or one of several passes over the elements
/// of a block.
template <class ExecutionSpace>
struct BinnedLists {
  Ordinal bins = 1;
  Kokkos::View<Offset*, ExecutionSpace> offsets; ///< group (+1): first entry, a multiple of `bins`
  Kokkos::View<std::int32_t*, ExecutionSpace> entries;

  std::size_t bytes() const { return bytes_of(offsets) + bytes_of(entries); }
  /// Whether a group has no list.
  KOKKOS_FORCEINLINE_FUNCTION bool empty(Ordinal group) const { return offsets(group) == offsets(group + 1); }
};

/// Builds binned lists in two sweeps: `Derived` gives `num_lists(group)`, counts the entries of each list
/// into `lengths` (CountTag) and, once they have their places, writes them (FillTag), both with a team per
/// group.
template <class Derived, class ExecutionSpace>
struct BinnedListsBuilder {
  Kokkos::View<Offset*, ExecutionSpace> first_list; ///< group (+1): its first list here
  Kokkos::View<Ordinal*, ExecutionSpace> lengths;
  BinPlaces<ExecutionSpace> places;
  BinnedLists<ExecutionSpace> array;

  struct SizeGroups {};
  struct SizeArray {};
  struct CountTag {};
  struct FillTag {};
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  KOKKOS_FUNCTION void operator()(SizeGroups, Ordinal group, Offset& sum, bool final) const {
    if (final && group == 0) first_list(0) = 0;
    sum += static_cast<const Derived&>(*this).num_lists(group);
    if (final) first_list(group + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(SizeArray, Ordinal group, Offset& sum, bool final) const {
    if (final && group == 0) array.offsets(0) = 0;
    sum += static_cast<Offset>(places.height_of_block(group)) * array.bins;
    if (final) array.offsets(group + 1) = sum;
  }

  /// \param name starts the labels of views and kernels
  BinnedLists<ExecutionSpace> build(const ExecutionSpace& exec, const std::string& name, Ordinal groups) {
    using Kokkos::view_alloc;
    first_list = decltype(first_list)(view_alloc(exec, name + "::first_list"), groups + 1);
    const Offset lists = scan<SizeGroups>(exec, name + "::size_groups", groups);
    lengths = allocate<decltype(lengths)>(exec, name + "::lengths", lists);
    run<CountTag>(exec, name + "::count", groups);
    places = fill_bins(exec, first_list, lengths, array.bins);
    array.offsets = decltype(array.offsets)(view_alloc(exec, name + "::offsets"), groups + 1);
    const Offset size = scan<SizeArray>(exec, name + "::size_array", groups);
    array.entries = allocate_zeroed<decltype(array.entries)>(exec, name + "::entries", size);
    run<FillTag>(exec, name + "::fill", groups);
    exec.fence(name + "::fill");
    return array;
  }

private:
  template <class Tag>
  Offset scan(const ExecutionSpace& exec, const std::string& label, Ordinal groups) const {
    Offset total = 0;
    Kokkos::parallel_scan(label, Kokkos::RangePolicy<ExecutionSpace, Tag>(exec, 0, groups),
                          static_cast<const Derived&>(*this), total);
    return total;
  }
  template <class Tag>
  void run(const ExecutionSpace& exec, const std::string& label, Ordinal groups) const {
    if (groups > 0)
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecutionSpace, Tag>(exec, groups, Kokkos::AUTO),
                           static_cast<const Derived&>(*this));
  }
};

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Numbers for the columns of a level that a rank meets: its own first, then those of others as they ascend.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/shared_rows.hpp>
#include <tessera/distributed/multigrid/detail/wide_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace tessera::distributed::detail {

/// Which rank has which rows of a level.
template <class ExecutionSpace>
struct RowRanges {
  int rank = 0;
  std::vector<GlobalOrdinal> firsts;                    ///< rank (+1): the number of its first row
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> offsets; ///< the same there

  GlobalOrdinal first() const { return firsts[to_size(rank)]; }
  Ordinal own() const { return static_cast<Ordinal>(firsts[to_size(rank) + 1] - first()); }
  int owner(GlobalOrdinal row) const {
    return static_cast<int>(std::upper_bound(firsts.begin(), firsts.end(), row) - firsts.begin()) - 1;
  }
};

/// Collective. \throws OutOfMemoryError on every rank
template <class ExecutionSpace>
RowRanges<ExecutionSpace> row_ranges(const ExecutionSpace& exec, const Communicator& ranks,
                                     GlobalOrdinal own) {
  RowRanges<ExecutionSpace> result{ranks.rank(), std::vector<GlobalOrdinal>(to_size(ranks.size()) + 1), {}};
  MPI_Allgather(&own, 1, MPI_INT64_T, result.firsts.data() + 1, 1, MPI_INT64_T, ranks.own());
  for (std::size_t r = 1; r < result.firsts.size(); ++r) result.firsts[r] += result.firsts[r - 1];
  result.offsets =
      agree(ranks, [&] { return list_on(exec, "Tessera::Multigrid::row_ranges", result.firsts); });
  return result;
}

/// Numbers of columns: own ones count from 0, then come the `list`ed ones of other ranks.
template <class ExecutionSpace>
struct ColumnNumbers {
  GlobalOrdinal first = 0;                              ///< of the own columns
  Ordinal own = 0;                                      ///< columns
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> offsets; ///< rank (+1): its first column
  Kokkos::View<Offset*, ExecutionSpace> windows;        ///< rank: where its columns begin in `place`
  Kokkos::View<Ordinal*, ExecutionSpace> place;         ///< of each column of a rank that is met
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> list;    ///< ascending

  KOKKOS_FUNCTION Ordinal count() const { return own + static_cast<Ordinal>(list.extent(0)); }
  KOKKOS_FUNCTION bool is_own(GlobalOrdinal column) const { return column >= first && column < first + own; }
  KOKKOS_FUNCTION Ordinal rank_of(GlobalOrdinal column) const {
    Ordinal low = 0, high = static_cast<Ordinal>(offsets.extent(0)) - 1; // offsets(low) <= column
    while (high - low > 1) {
      const Ordinal middle = low + (high - low) / 2;
      (offsets(middle) <= column ? low : high) = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION Offset place_of(GlobalOrdinal column) const {
    const Ordinal rank = rank_of(column);
    return windows(rank) + (column - offsets(rank));
  }
  KOKKOS_FUNCTION Ordinal number(GlobalOrdinal column) const {
    return is_own(column) ? static_cast<Ordinal>(column - first) : own + place(place_of(column));
  }
  KOKKOS_FUNCTION GlobalOrdinal column(Ordinal number) const {
    return number < own ? first + number : list(number - own);
  }
};

/// Sets a flag for each rank whose columns are met.
template <class ExecutionSpace>
struct MeetRanks {
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> columns;
  ColumnNumbers<ExecutionSpace> numbers;
  KOKKOS_FUNCTION void operator()(Offset i) const {
    const GlobalOrdinal column = columns(i);
    if (column >= 0 && !numbers.is_own(column))
      Kokkos::atomic_store(&numbers.windows(numbers.rank_of(column)), Offset{1});
  }
};

template <class ExecutionSpace>
struct MarkColumns {
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> columns;
  ColumnNumbers<ExecutionSpace> numbers;
  int block;
  KOKKOS_FUNCTION void operator()(Offset i) const {
    const GlobalOrdinal column = columns(i);
    if (column >= 0 && !numbers.is_own(column))
      for (int c = 0; c < block; ++c)
        Kokkos::atomic_store(&numbers.place(numbers.place_of(column) + static_cast<Offset>(c)), Ordinal{1});
  }
};

/// Numbers the flags that are set, in their order.
template <class ExecutionSpace>
struct NumberFlags {
  Kokkos::View<Ordinal*, ExecutionSpace> flags; ///< becomes the number, -1 where it is not set
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& number, bool final) const {
    const bool set = flags(i) == 1;
    if (final) flags(i) = set ? number : -1;
    number += set ? 1 : 0;
  }
};

/// \return how many are set
template <class ExecutionSpace>
Ordinal number_flags(const ExecutionSpace& exec, const Kokkos::View<Ordinal*, ExecutionSpace>& flags) {
  Ordinal count = 0;
  Kokkos::parallel_scan("Tessera::Multigrid::number_flags",
                        sparse::Range<ExecutionSpace>(exec, 0, flags.extent_int(0)),
                        NumberFlags<ExecutionSpace>{flags}, count);
  return count;
}

template <class ExecutionSpace>
struct ListColumns {
  ColumnNumbers<ExecutionSpace> numbers;
  Kokkos::View<const Ordinal*, ExecutionSpace> ranks; ///< that are met
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    if (numbers.place(i) < 0) return;
    Ordinal low = 0, high = static_cast<Ordinal>(ranks.extent(0)); // windows(ranks(low)) <= i
    while (high - low > 1) {
      const Ordinal middle = low + (high - low) / 2;
      (numbers.windows(ranks(middle)) <= static_cast<Offset>(i) ? low : high) = middle;
    }
    numbers.list(numbers.place(i)) = numbers.offsets(ranks(low)) + (i - numbers.windows(ranks(low)));
  }
};

/// The columns of some lists, each the first of a block; entries below zero are none.
template <class ExecutionSpace>
ColumnNumbers<ExecutionSpace>
number_columns(const ExecutionSpace& exec, const RowRanges<ExecutionSpace>& ranges,
               const std::vector<Kokkos::View<GlobalOrdinal*, ExecutionSpace>>& lists, int block) {
  using Entries = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>;
  ColumnNumbers<ExecutionSpace> numbers{ranges.first(), ranges.own(), ranges.offsets, {}, {}, {}};
  const auto ranks = ranges.firsts.size() - 1;
  numbers.windows = allocate_zeroed<decltype(numbers.windows)>(exec, "Tessera::Multigrid::windows", ranks);
  for (const auto& columns : lists)
    Kokkos::parallel_for("Tessera::Multigrid::meet_ranks",
                         Entries(exec, 0, static_cast<Offset>(columns.extent(0))),
                         MeetRanks<ExecutionSpace>{columns, numbers});
  exec.fence("Tessera::Multigrid::meet_ranks");
  std::vector<Offset> windows = list_of(numbers.windows);
  std::vector<Ordinal> met;
  Offset size = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (windows[r] == 0) continue;
    met.push_back(static_cast<Ordinal>(r));
    windows[r] = size;
    size += ranges.firsts[r + 1] - ranges.firsts[r];
  }
  numbers.windows = list_on(exec, "Tessera::Multigrid::windows", windows);
  numbers.place = allocate_zeroed<decltype(numbers.place)>(exec, "Tessera::Multigrid::column_places", size);
  for (const auto& columns : lists)
    Kokkos::parallel_for("Tessera::Multigrid::mark_columns",
                         Entries(exec, 0, static_cast<Offset>(columns.extent(0))),
                         MarkColumns<ExecutionSpace>{columns, numbers, block});
  const Ordinal count = number_flags(exec, numbers.place);
  numbers.list = allocate<decltype(numbers.list)>(exec, "Tessera::Multigrid::columns", count);
  Kokkos::parallel_for(
      "Tessera::Multigrid::list_columns", sparse::Range<ExecutionSpace>(exec, 0, numbers.place.extent_int(0)),
      ListColumns<ExecutionSpace>{numbers, list_on(exec, "Tessera::Multigrid::met_ranks", met)});
  exec.fence("Tessera::Multigrid::list_columns");
  return numbers;
}

/// Gives columns that have numbers other ones.
template <class ExecutionSpace>
void renumber(const ExecutionSpace& exec, const sparse::Matrix<ExecutionSpace, double>& matrix,
              const ColumnNumbers<ExecutionSpace>& from, const ColumnNumbers<ExecutionSpace>& to) {
  const auto columns = matrix.graph.columns;
  const int block = matrix.block_columns;
  Kokkos::parallel_for(
      "Tessera::Multigrid::renumber", sparse::Range<ExecutionSpace>(exec, 0, columns.extent_int(0)),
      KOKKOS_LAMBDA(const Ordinal k) {
        const Ordinal column = columns(k) * block;
        if (column >= from.own) columns(k) = to.number(from.column(column)) / block;
      });
}

} // namespace tessera::distributed::detail

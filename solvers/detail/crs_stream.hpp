// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loops over the short rows of an assembled matrix on devices.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

/// A team brings the entries of consecutive rows into scratch one after the other, as memory likes it, and a
/// thread takes a row of them, so that neighbours read neighbouring entries of vectors. (J. L. Greathouse and
/// M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format", SC 2014,
/// leave products in scratch instead: neighbours are then entries of a row, and x is read in twice as many
/// sectors.)
template <class Scalar, class ExecutionSpace>
struct CrsStream {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr Ordinal rows_per_team = 64;

  CrsViews<Scalar, ExecutionSpace> matrix;
  Ordinal rows;

  explicit CrsStream(const CrsViews<Scalar, ExecutionSpace>& a) : matrix(a), rows(a.rows()) {}

  /// Whether a matrix is one for it: the others' rows are better shared by lanes.
  static bool suits(const CrsViews<Scalar, ExecutionSpace>& a) {
    constexpr Offset short_row = 32; // entries on average
    return !runs_on_host<ExecutionSpace> && a.rows() > 0 &&
           static_cast<Offset>(a.columns.extent(0)) <= short_row * a.rows();
  }

  static Ordinal teams(Ordinal rows) { return (rows + rows_per_team - 1) / rows_per_team; }
  Policy policy(const ExecutionSpace& exec) const {
    const auto bytes =
        static_cast<int>(Scratch<Scalar>::shmem_size(capacity) + Scratch<Ordinal>::shmem_size(capacity));
    return Policy(exec, teams(rows), rows_per_team).set_scratch_size(0, Kokkos::PerTeam(bytes));
  }

  /// The thread's row: it has one if that is less than `rows`.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(const Member& team) const {
    return static_cast<Ordinal>(team.league_rank()) * rows_per_team + static_cast<Ordinal>(team.team_rank());
  }

  /// Calls visit(column, value, fetch(column)) for the entries of the thread's row; all threads call this.
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Member& team, const Fetch& fetch, const Visit& visit) const {
    const Scratch<Scalar> values(team.team_scratch(0), capacity);
    const Scratch<Ordinal> columns(team.team_scratch(0), capacity);
    const auto rank = static_cast<Ordinal>(team.team_rank());
    const Ordinal first = static_cast<Ordinal>(team.league_rank()) * rows_per_team;
    const Ordinal last = Kokkos::min(rows, first + rows_per_team), own = first + rank;
    const Offset end = matrix.row_map(last);
    Offset from = own < last ? matrix.row_map(own) : end;
    const Offset to = own < last ? matrix.row_map(own + 1) : end;
    for (Offset begin = matrix.row_map(first); begin < end; begin += capacity) {
      const auto count = static_cast<Ordinal>(Kokkos::min<Offset>(capacity, end - begin));
      bring(begin, count, rank, values, columns);
      team.team_barrier();
      if (from < begin + count) {
        const auto stop = static_cast<Ordinal>(Kokkos::min(to, begin + count) - begin);
        each_in_scratch(values, columns, static_cast<Ordinal>(from - begin), stop, fetch, visit);
        from = begin + stop;
      }
      if (begin + capacity < end) team.team_barrier();
    }
  }

private:
  template <class Entry>
  using Scratch =
      Kokkos::View<Entry*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int at_once = 16; // entries that a thread brings, all on their way together
  static constexpr Ordinal capacity = at_once * rows_per_team;

  /// Brings `count` entries into scratch; all are on their way before the first is stored.
  KOKKOS_FORCEINLINE_FUNCTION void bring(Offset begin, Ordinal count, Ordinal rank,
                                         const Scratch<Scalar>& values,
                                         const Scratch<Ordinal>& columns) const {
    const Scalar* const from_values = matrix.values.data() + begin;
    const Ordinal* const from_columns = matrix.columns.data() + begin;
    Scalar value[at_once];
    Ordinal column[at_once];
    for (int i = 0; i < at_once; ++i) {
      const Ordinal k = rank + i * rows_per_team;
      value[i] = k < count ? from_values[k] : Scalar(0);
      column[i] = k < count ? from_columns[k] : 0;
    }
    for (int i = 0; i < at_once; ++i) {
      values(rank + i * rows_per_team) = value[i];
      columns(rank + i * rows_per_team) = column[i];
    }
  }

  /// Entries from k on, before `stop`: what some need is on its way together.
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void
  each_in_scratch(const Scratch<Scalar>& values, const Scratch<Ordinal>& columns, Ordinal k, Ordinal stop,
                  const Fetch& fetch, const Visit& visit) {
    constexpr int together = 4;
    for (; k + together <= stop; k += together) {
      decltype(fetch(Ordinal{})) fetched[together];
      for (int i = 0; i < together; ++i) fetched[i] = fetch(columns(k + i));
      for (int i = 0; i < together; ++i) visit(columns(k + i), values(k + i), fetched[i]);
    }
    for (; k < stop; ++k) visit(columns(k), values(k), fetch(columns(k)));
  }
};

/// y = A x.
template <class Scalar, class ExecutionSpace>
struct StreamProduct {
  CrsStream<Scalar, ExecutionSpace> rows;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(const typename CrsStream<Scalar, ExecutionSpace>::Member& team) const {
    Scalar sum = 0;
    rows.each(
        team, [&](Ordinal column) { return x(column); },
        [&](Ordinal, Scalar value, Scalar other) { sum += value * other; });
    const Ordinal row = rows.row(team);
    if (row < rows.rows) y(row) = sum;
  }
};

} // namespace tessera::solvers::detail

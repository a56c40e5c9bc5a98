// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loops over a matrix's rows. On devices the entries of rows with single values come to fast memory first:
/// neighbouring rows lie together, but what neighbouring threads read at once would lie a row apart.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace tessera::solvers::sparse::detail {

/// A row's entries where they are.
template <class ExecutionSpace>
struct PlainRow {
  Matrix<ExecutionSpace> matrix;
  Ordinal row;

  KOKKOS_FORCEINLINE_FUNCTION static bool is_row() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION static bool may_stop() { return true; }

  /// Calls visit(column, value, fetch(column)) for the entries.
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) const {
    matrix.each_entry(row, [&](Ordinal column, float value) { visit(column, value, fetch(column)); });
  }
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_column(const Visit& visit) const {
    matrix.each_column(row, visit);
  }
};

/// Entries of a matrix of single values for `StagedRow`, or their columns alone.
///
/// A source of entries has the rows' graph and says whether it brings values. `Rows` is what it keeps of a
/// warp's rows while their entries come: all threads call begin(source, team, first). The k-th value comes in
/// three steps, each of which waits for memory once: load(rows, k) does not depend on its column,
/// fetch(column) does, and value(k, loaded, fetched) is what both make.
template <class ExecutionSpace, bool Values>
struct PlainEntries {
  static constexpr bool values = Values;
  Matrix<ExecutionSpace> matrix;

  struct Rows {
    KOKKOS_FUNCTION explicit Rows(const TeamMember<ExecutionSpace>&) {}
    KOKKOS_FUNCTION void begin(const PlainEntries&, const TeamMember<ExecutionSpace>&, Ordinal) const {}
    static std::size_t scratch_bytes() { return 0; }
  };

  KOKKOS_FORCEINLINE_FUNCTION const Graph<ExecutionSpace>& graph() const { return matrix.graph; }
  KOKKOS_FORCEINLINE_FUNCTION float load(const Rows&, Offset k) const { return matrix.values(k); }
  KOKKOS_FORCEINLINE_FUNCTION static float fetch(Ordinal) { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION static float value(Offset, float loaded, float) { return loaded; }
};

/// A thread's row, of a warp's (of a wavefront's on HIP). All entries of these rows are in fast memory, or so
/// many at a time.
template <class ExecutionSpace, class Source>
class StagedRow {
public:
  using Member = TeamMember<ExecutionSpace>;
  static constexpr Ordinal warp = wave_lanes<ExecutionSpace>;

  /// Warps that share a graph's rows; it has some.
  KOKKOS_FUNCTION static Ordinal groups(const Graph<ExecutionSpace>& graph) {
    return (graph.count() - 1) / warp + 1;
  }
  static std::size_t scratch_bytes() {
    return Scratch<Ordinal, ExecutionSpace>::shmem_size(capacity) +
           (Source::values ? Scratch<float, ExecutionSpace>::shmem_size(capacity) : 0) +
           Source::Rows::scratch_bytes();
  }

  KOKKOS_FUNCTION StagedRow(const Member& team, const Source& source)
      : team_(team), source_(source), columns_(team.team_scratch(0), capacity),
        values_(team.team_scratch(0), Source::values ? capacity : 0), rows_(team) {}

  /// To be called first, with the number of the warp.
  KOKKOS_FUNCTION void begin(Ordinal group) {
    const Member& team = team_;
    const auto& row_map = source_.graph().row_map;
    const Ordinal rows = source_.graph().count();
    first_ = group * warp;
    team.team_barrier(); // others may not be through with the rows before
    rows_.begin(source_, team, first_);
    begin_ = row_map(first_);
    end_ = row_map(Kokkos::min(first_ + warp, rows));
    own_begin_ = row_map(Kokkos::min(first_ + team.team_rank(), rows));
    own_end_ = row_map(Kokkos::min(first_ + team.team_rank() + 1, rows));
    bring(begin_);
  }

  /// The thread's row, any where there are fewer rows than threads.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row() const {
    return Kokkos::min(first_ + team_.team_rank(), source_.graph().count() - 1);
  }
  /// Whether it has one: if not, it only helps to bring entries.
  KOKKOS_FORCEINLINE_FUNCTION bool is_row() const {
    return first_ + team_.team_rank() < source_.graph().count();
  }
  /// Whether it may go through its row fewer times than the others.
  KOKKOS_FORCEINLINE_FUNCTION bool may_stop() const { return end_ - begin_ <= capacity; }

  /// Calls visit(column, value, fetch(column)) for the entries. Some are fetched for at once, so that they
  /// wait for memory together.
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) {
    constexpr int at_once = tuning::visited_at_once;
    each_part([&](Ordinal from, Ordinal to) {
      for (Ordinal k = from; k < to; k += at_once) {
        decltype(fetch(Ordinal{})) fetched[at_once];
        for (int i = 0; i < at_once; ++i) fetched[i] = fetch(columns_(Kokkos::min(k + i, to - 1)));
        for (int i = 0; i < at_once; ++i)
          if (k + i < to) visit(columns_(k + i), values_(k + i), fetched[i]);
      }
    });
  }
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_column(const Visit& visit) {
    each_part([&](Ordinal from, Ordinal to) {
      for (Ordinal k = from; k < to; ++k) visit(columns_(k));
    });
  }

private:
  static constexpr Ordinal capacity = tuning::staged_entries * (warp / warp_lanes);

  /// Calls part(from, to) for the entries of the thread's row, by their places in fast memory.
  template <class Part>
  KOKKOS_FORCEINLINE_FUNCTION void each_part(const Part& part) {
    for (Offset window = begin_; window < end_; window += capacity) {
      if (window != window_) {
        team_.team_barrier();
        bring(window);
      }
      part(static_cast<Ordinal>(Kokkos::max(own_begin_, window) - window),
           static_cast<Ordinal>(Kokkos::min(own_end_, window + capacity) - window));
    }
  }

  KOKKOS_FUNCTION void bring(Offset window) {
    constexpr int at_once = tuning::staged_at_once;
    window_ = window;
    const auto count = static_cast<Ordinal>(Kokkos::min(Offset{capacity}, end_ - window));
    const Ordinal* const columns = source_.graph().columns.data() + window;
    for (Ordinal k = team_.team_rank(); k < count; k += at_once * warp) {
      Ordinal column[at_once];
      decltype(source_.load(rows_, window)) loaded[at_once];
      for (int i = 0; i < at_once; ++i) {
        const Ordinal own = Kokkos::min(k + i * warp, count - 1);
        column[i] = columns[own];
        if constexpr (Source::values) loaded[i] = source_.load(rows_, window + own);
      }
      decltype(source_.fetch(Ordinal{})) fetched[at_once];
      if constexpr (Source::values)
        for (int i = 0; i < at_once; ++i) fetched[i] = source_.fetch(column[i]);
      for (int i = 0; i < at_once; ++i) {
        if (k + i * warp >= count) continue;
        columns_(k + i * warp) = column[i];
        if constexpr (Source::values)
          values_(k + i * warp) = source_.value(window + k + i * warp, loaded[i], fetched[i]);
      }
    }
    team_.team_barrier();
  }

  const Member& team_;
  const Source& source_;
  Scratch<Ordinal, ExecutionSpace> columns_;
  Scratch<float, ExecutionSpace> values_;
  typename Source::Rows rows_;
  Ordinal first_ = 0;
  Offset begin_ = 0, end_ = 0, own_begin_ = 0, own_end_ = 0, window_ = 0;
};

/// Calls body(row, entries, found…) for rows where they are.
template <class ExecutionSpace, class Body, class... Found>
struct PlainLoop {
  Matrix<ExecutionSpace> matrix;
  Body body;

  KOKKOS_FUNCTION void operator()(Ordinal row, Found&... found) const {
    PlainRow<ExecutionSpace> entries{matrix, row};
    body(row, entries, found...);
  }
};

/// The same by a warp for its rows in fast memory.
template <class ExecutionSpace, class Source, class Body, class... Found>
struct StagedLoop {
  Source source;
  Body body;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Found&... found) const {
    using Row = StagedRow<ExecutionSpace, Source>;
    Row entries(team, source);
    for (Ordinal group = team.league_rank(); group < Row::groups(source.graph());
         group += team.league_size()) {
      entries.begin(group);
      body(entries.row(), entries, found...);
    }
  }
};

/// Runs a loop that adds to what is found, if anything is.
template <class Policy, class Loop, class... Found>
void run_loop(const std::string& label, const Policy& policy, const Loop& loop, Found&... found) {
  if constexpr (sizeof...(Found) == 0)
    Kokkos::parallel_for(label, policy, loop);
  else
    Kokkos::parallel_reduce(label, policy, loop, found...);
}

/// Calls body(row, entries) on devices for the rows of a source of entries, see `for_each_staged_row`.
template <class ExecutionSpace, class Source, class Body, class... Found>
void for_each_row_of(const ExecutionSpace& exec, const std::string& label, const Source& source,
                     const Body& body, Found&... found) {
  using Row = StagedRow<ExecutionSpace, Source>;
  const Ordinal groups = Row::groups(source.graph());
  const Ordinal teams =
      sizeof...(Found) == 0 ? groups : teams_for(exec, groups, tuning::staged_share * Row::warp);
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> policy(exec, teams, Row::warp, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Row::scratch_bytes())));
  run_loop(label, policy, StagedLoop<ExecutionSpace, Source, Body, Found...>{source, body}, found...);
}

/// Calls body(row, entries) for a matrix's rows: entries.each(fetch, visit) and entries.each_column(visit) go
/// through a row, all threads through theirs; where not entries.is_row() there is nothing else to do.
///
/// \tparam Values  whether the body asks for values.
/// \param  found   each thread adds to it; one at most.
template <bool Values, class ExecutionSpace, class Body, class... Found>
void for_each_staged_row(const ExecutionSpace& exec, const std::string& label,
                         const Matrix<ExecutionSpace>& matrix, const Body& body, Found&... found) {
  if constexpr (!runs_on_host<ExecutionSpace>)
    if (matrix.scalar() && matrix.rows() >= tuning::many_rows)
      return for_each_row_of(exec, label, PlainEntries<ExecutionSpace, Values>{matrix}, body, found...);
  run_loop(label, Range<ExecutionSpace>(exec, 0, matrix.rows()),
           PlainLoop<ExecutionSpace, Body, Found...>{matrix, body}, found...);
}

} // namespace tessera::solvers::sparse::detail

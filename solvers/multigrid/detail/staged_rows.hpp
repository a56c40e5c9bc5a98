#pragma once

/// \file
/// Loops over a matrix's rows. On devices the entries of rows with single values come to fast memory first:
/// neighbouring rows lie together, but what neighbouring threads read at once would lie a row apart.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid {

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

/// A thread's row, of a warp's. All entries of these rows are in fast memory, or so many at a time.
///
/// \tparam Values  whether values come too, or columns alone.
template <class ExecutionSpace, bool Values>
class StagedRow {
public:
  using Member = TeamMember<ExecutionSpace>;
  static constexpr Ordinal warp = 32;

  /// Warps that share a matrix's rows; it has some.
  KOKKOS_FUNCTION static Ordinal groups(const Matrix<ExecutionSpace>& matrix) {
    return (matrix.graph.count() - 1) / warp + 1;
  }
  static std::size_t scratch_bytes() {
    return Scratch<Ordinal, ExecutionSpace>::shmem_size(room) +
           (Values ? Scratch<float, ExecutionSpace>::shmem_size(room) : 0);
  }

  KOKKOS_FUNCTION StagedRow(const Member& team, const Matrix<ExecutionSpace>& matrix)
      : team_(team), matrix_(matrix), columns_(team.team_scratch(0), room),
        values_(team.team_scratch(0), Values ? room : 0) {}

  /// To be called first, with the number of the warp.
  KOKKOS_FUNCTION void begin(Ordinal group) {
    const Member& team = team_;
    const auto& row_map = matrix_.graph.row_map;
    const Ordinal rows = matrix_.graph.count();
    first_ = group * warp;
    team.team_barrier(); // others may not be through with the rows before
    begin_ = row_map(first_);
    end_ = row_map(Kokkos::min(first_ + warp, rows));
    own_begin_ = row_map(Kokkos::min(first_ + team.team_rank(), rows));
    own_end_ = row_map(Kokkos::min(first_ + team.team_rank() + 1, rows));
    bring(begin_);
  }

  /// The thread's row, any where there are fewer rows than threads.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row() const {
    return Kokkos::min(first_ + team_.team_rank(), matrix_.graph.count() - 1);
  }
  /// Whether it has one: if not, it only helps to bring entries.
  KOKKOS_FORCEINLINE_FUNCTION bool is_row() const {
    return first_ + team_.team_rank() < matrix_.graph.count();
  }
  /// Whether it may go through its row fewer times than the others.
  KOKKOS_FORCEINLINE_FUNCTION bool may_stop() const { return end_ - begin_ <= room; }

  /// Calls visit(column, value, fetch(column)) for the entries. Some are fetched for at once, so that they
  /// wait for memory together.
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) {
    constexpr int at_once = 4;
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
  static constexpr Ordinal room = 640; // entries

  /// Calls part(from, to) for the entries of the thread's row, by their places in fast memory.
  template <class Part>
  KOKKOS_FORCEINLINE_FUNCTION void each_part(const Part& part) {
    for (Offset window = begin_; window < end_; window += room) {
      if (window != window_) {
        team_.team_barrier();
        bring(window);
      }
      part(static_cast<Ordinal>(Kokkos::max(own_begin_, window) - window),
           static_cast<Ordinal>(Kokkos::min(own_end_, window + room) - window));
    }
  }

  KOKKOS_FUNCTION void bring(Offset window) {
    constexpr int at_once = 8; // on their way to a thread
    window_ = window;
    const auto count = static_cast<Ordinal>(Kokkos::min(Offset{room}, end_ - window));
    const Ordinal* const columns = matrix_.graph.columns.data() + window;
    const float* const values = Values ? matrix_.values.data() + window : nullptr;
    for (Ordinal k = team_.team_rank(); k < count; k += at_once * warp) {
      Ordinal column[at_once];
      float value[at_once];
      for (int i = 0; i < at_once; ++i) {
        const bool inside = k + i * warp < count;
        column[i] = inside ? columns[k + i * warp] : 0;
        if constexpr (Values) value[i] = inside ? values[k + i * warp] : 0;
      }
      for (int i = 0; i < at_once; ++i) {
        if (k + i * warp >= count) continue;
        columns_(k + i * warp) = column[i];
        if constexpr (Values) values_(k + i * warp) = value[i];
      }
    }
    team_.team_barrier();
  }

  const Member& team_;
  const Matrix<ExecutionSpace>& matrix_;
  Scratch<Ordinal, ExecutionSpace> columns_;
  Scratch<float, ExecutionSpace> values_;
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
template <class ExecutionSpace, bool Values, class Body, class... Found>
struct StagedLoop {
  Matrix<ExecutionSpace> matrix;
  Body body;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Found&... found) const {
    using Row = StagedRow<ExecutionSpace, Values>;
    Row entries(team, matrix);
    for (Ordinal group = team.league_rank(); group < Row::groups(matrix); group += team.league_size()) {
      entries.begin(group);
      body(entries.row(), entries, found...);
    }
  }
};

/// Rows that make enough warps for a device; fewer are better gone through where they are.
inline constexpr Ordinal many_rows = 1 << 14;

/// Calls body(row, entries) for a matrix's rows: entries.each(fetch, visit) and entries.each_column(visit) go
/// through a row, all threads through theirs; where not entries.is_row() there is nothing else to do.
///
/// \tparam Values  whether the body asks for values.
/// \param  found   each thread adds to it; one at most.
template <bool Values, class ExecutionSpace, class Body, class... Found>
void for_each_staged_row(const ExecutionSpace& exec, const char* label, const Matrix<ExecutionSpace>& matrix,
                         const Body& body, Found&... found) {
  const auto launch = [&](const auto& policy, const auto& loop) {
    if constexpr (sizeof...(Found) == 0)
      Kokkos::parallel_for(label, policy, loop);
    else
      Kokkos::parallel_reduce(label, policy, loop, found...);
  };
  if constexpr (!runs_on_host<ExecutionSpace>)
    if (matrix.block_rows * matrix.block_columns == 1 && matrix.rows() >= many_rows) {
      using Row = StagedRow<ExecutionSpace, Values>;
      constexpr int share = 2; // of the warps that a processor has room for by threads; it has blocks for
      const Ordinal groups = Row::groups(matrix);
      const Ordinal teams = sizeof...(Found) == 0 ? groups : teams_for(exec, groups, share * Row::warp);
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> policy(exec, teams, Row::warp, 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Row::scratch_bytes())));
      return launch(policy, StagedLoop<ExecutionSpace, Values, Body, Found...>{matrix, body});
    }
  launch(Range<ExecutionSpace>(exec, 0, matrix.rows()),
         PlainLoop<ExecutionSpace, Body, Found...>{matrix, body});
}

} // namespace tessera::solvers::multigrid

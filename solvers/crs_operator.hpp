#pragma once

/// \file
/// Sparse matrix times vector for an assembled matrix, without Kokkos Kernels.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>

namespace tessera::solvers {

namespace detail {

/// y = A x: a team takes consecutive rows, its threads one row at a time, the lanes of a thread the row's
/// entries.
template <class Scalar, class ExecutionSpace>
struct CrsApply {
  using TeamPolicy = Kokkos::TeamPolicy<ExecutionSpace>;

  CrsViews<Scalar, ExecutionSpace> matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;
  Ordinal rows;
  Ordinal rows_per_team;

  KOKKOS_FUNCTION void operator()(const typename TeamPolicy::member_type& team) const {
    const Ordinal begin = static_cast<Ordinal>(team.league_rank()) * rows_per_team;
    const Ordinal end = rows - begin < rows_per_team ? rows : begin + rows_per_team;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](const Ordinal row) {
      const Offset first = matrix.row_map(row);
      const auto length = static_cast<Ordinal>(matrix.row_map(row + 1) - first);
      Scalar sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, length),
          [&](const Ordinal k, Scalar& partial) {
            partial += matrix.values(first + k) * x(matrix.columns(first + k));
          },
          sum);
      Kokkos::single(Kokkos::PerThread(team), [&]() { y(row) = sum; });
    });
  }
};

/// y = A x and x·y, row after row: a thread's row on the host.
template <class Scalar, class ExecutionSpace>
struct CrsRows {
  using value_type = double;
  CrsViews<Scalar, ExecutionSpace> matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    double unused = 0;
    (*this)(row, unused);
  }
  KOKKOS_FUNCTION void operator()(Ordinal row, double& dot) const {
    const Offset end = matrix.row_map(row + 1);
    Offset k = matrix.row_map(row);
    const Ordinal* const columns = matrix.columns.data();
    const Scalar* const values = matrix.values.data();
    const Scalar* const from = x.data();
    constexpr int ahead = 256, line = 8; // entries fetched before they are needed, and those of a cache line
    Scalar even = 0, odd = 0;            // sums that do not wait for each other
    while (k < end) {
      __builtin_prefetch(values + k + ahead);
      __builtin_prefetch(values + k + ahead + line);
      __builtin_prefetch(columns + k + ahead);
      const Offset stop = Kokkos::min(end, k + 2 * line);
      for (; k + 2 <= stop; k += 2) {
        even += values[k] * from[columns[k]];
        odd += values[k + 1] * from[columns[k + 1]];
      }
      if (k < stop) {
        even += values[k] * from[columns[k]];
        ++k;
      }
    }
    const Scalar sum = even + odd;
    y(row) = sum;
    dot += static_cast<double>(sum) * static_cast<double>(from[row]);
  }
};

/// x·y.
template <class Scalar, class ExecutionSpace>
struct CrsDot {
  Kokkos::View<const Scalar*, ExecutionSpace> x, y;
  KOKKOS_FUNCTION void operator()(Ordinal row, double& dot) const {
    dot += static_cast<double>(x(row)) * static_cast<double>(y(row));
  }
};

/// y = A x for short rows on devices: a team brings the entries of consecutive rows into scratch one after
/// the other, as memory likes it, and a thread takes a row of them, so that neighbours read neighbouring
/// entries of x. (J. L. Greathouse and M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using
/// the CSR storage format", SC 2014, leave products in scratch instead: neighbours are then entries of a row,
/// and x is read in twice as many sectors.)
template <class Scalar, class ExecutionSpace>
struct CrsStream {
  using TeamPolicy = Kokkos::TeamPolicy<ExecutionSpace>;
  template <class Entry>
  using Scratch =
      Kokkos::View<Entry*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr Ordinal rows_per_team = 64;
  static constexpr int at_once = 16; // entries that a thread brings, all on their way together
  static constexpr Ordinal room = at_once * rows_per_team;

  CrsViews<Scalar, ExecutionSpace> matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;
  Ordinal rows;

  static TeamPolicy policy(const ExecutionSpace& exec, Ordinal rows) {
    const auto bytes =
        static_cast<int>(Scratch<Scalar>::shmem_size(room) + Scratch<Ordinal>::shmem_size(room));
    return TeamPolicy(exec, (rows - 1) / rows_per_team + 1, rows_per_team)
        .set_scratch_size(0, Kokkos::PerTeam(bytes));
  }

  KOKKOS_FUNCTION void operator()(const typename TeamPolicy::member_type& team) const {
    const Scratch<Scalar> values(team.team_scratch(0), room);
    const Scratch<Ordinal> columns(team.team_scratch(0), room);
    const auto rank = static_cast<Ordinal>(team.team_rank());
    const Ordinal first = static_cast<Ordinal>(team.league_rank()) * rows_per_team;
    const Ordinal last = Kokkos::min(rows, first + rows_per_team), row = first + rank;
    const bool own = row < last;
    const Offset end = matrix.row_map(last);
    Offset from = own ? matrix.row_map(row) : end;
    const Offset to = own ? matrix.row_map(row + 1) : end;
    Scalar sum = 0;
    for (Offset begin = matrix.row_map(first); begin < end; begin += room) {
      const auto count = static_cast<Ordinal>(Kokkos::min<Offset>(room, end - begin));
      bring(begin, count, rank, values, columns);
      team.team_barrier();
      if (from < begin + count) {
        const auto stop = static_cast<Ordinal>(Kokkos::min(to, begin + count) - begin);
        sum += dot(values, columns, static_cast<Ordinal>(from - begin), stop);
        from = begin + stop;
      }
      if (begin + room < end) team.team_barrier();
    }
    if (own) y(row) = sum;
  }

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

  /// Of a row's entries in scratch, four of x on their way together.
  KOKKOS_FORCEINLINE_FUNCTION Scalar dot(const Scratch<Scalar>& values, const Scratch<Ordinal>& columns,
                                         Ordinal k, Ordinal stop) const {
    Scalar sum = 0;
    for (; k + 4 <= stop; k += 4) {
      const Scalar x0 = x(columns(k)), x1 = x(columns(k + 1)), x2 = x(columns(k + 2)), x3 = x(columns(k + 3));
      sum += values(k) * x0;
      sum += values(k + 1) * x1;
      sum += values(k + 2) * x2;
      sum += values(k + 3) * x3;
    }
    for (; k < stop; ++k) sum += values(k) * x(columns(k));
    return sum;
  }
};

} // namespace detail

/// An assembled square matrix as an operator. The views are shared, not copied: new values are seen at once.
///
/// Traffic of one product: each entry's value and column, each row's offset, x and y once. One thread's lanes
/// share a long row on a GPU, as many as keep about six entries a lane, and a team reads short ones as a
/// stream; on a CPU a thread works through rows.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class CrsOperator {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// \param exec     instance that checks the matrix.
  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, 0 … rows−1.
  /// \param values   value of each entry.
  /// \throws ArgumentError if the extents do not fit, offsets decrease or a column is out of range.
  CrsOperator(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
              const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values)
      : matrix_{row_map, columns, values} {
    detail::check_crs(exec, "CrsOperator", matrix_);
  }

  std::size_t rows() const { return static_cast<std::size_t>(matrix_.rows()); }

  /// y = A x and dot = x·y. Deterministic on one execution space.
  void apply_dot(const ExecutionSpace& exec, const ConstVector& x, const Vector& y,
                 const DeviceScalar<ExecutionSpace>& dot) const {
    if constexpr (runs_on_host<ExecutionSpace>) {
      const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
      Kokkos::parallel_reduce("Tessera::CrsOperator::apply_dot", range(exec),
                              detail::CrsRows<Scalar, ExecutionSpace>{matrix_, x, y}, dot);
    } else { // a sum within the product's kernel was slower than a pass of its own
      apply(exec, x, y);
      Kokkos::parallel_reduce("Tessera::CrsOperator::dot", range(exec),
                              detail::CrsDot<Scalar, ExecutionSpace>{x, y}, dot);
    }
  }

  /// y = A x. Deterministic on one execution space.
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
    const Ordinal rows = matrix_.rows();
    if (rows == 0) return;
    using Stream = detail::CrsStream<Scalar, ExecutionSpace>;
    const auto average = static_cast<double>(matrix_.columns.extent(0)) / rows;
    if constexpr (runs_on_host<ExecutionSpace>)
      Kokkos::parallel_for("Tessera::CrsOperator::apply", range(exec),
                           detail::CrsRows<Scalar, ExecutionSpace>{matrix_, x, y});
    else if (average <= short_row)
      Kokkos::parallel_for("Tessera::CrsOperator::apply", Stream::policy(exec, rows),
                           Stream{matrix_, x, y, rows});
    else
      by_lanes(exec, x, y, average);
  }

private:
  static constexpr int short_row = 32; // entries on average

  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> range(const ExecutionSpace& exec) const {
    return {exec, 0, matrix_.rows()};
  }

  void by_lanes(const ExecutionSpace& exec, const ConstVector& x, const Vector& y, double average) const {
    using Apply = detail::CrsApply<Scalar, ExecutionSpace>;
    using TeamPolicy = typename Apply::TeamPolicy;
    constexpr int threads_per_team = 256; // lanes included; the usual block of a GPU
    constexpr int entries_per_lane = 6;   // as Kokkos Kernels tunes it
    const Ordinal rows = matrix_.rows();
    int lanes = 1;
    while (2 * lanes <= TeamPolicy::vector_length_max() && lanes * entries_per_lane < average) lanes *= 2;
    Apply kernel{matrix_, x, y, rows, threads_per_team};
    const int most = TeamPolicy(exec, 1, 1, lanes).team_size_max(kernel, Kokkos::ParallelForTag{});
    const int team_size = std::clamp(threads_per_team / lanes, 1, most);
    kernel.rows_per_team = team_size;
    const int league = static_cast<int>(rows / team_size + (rows % team_size > 0 ? 1 : 0));
    Kokkos::parallel_for("Tessera::CrsOperator::apply", TeamPolicy(exec, league, team_size, lanes), kernel);
  }

  detail::CrsViews<Scalar, ExecutionSpace> matrix_;
};

} // namespace tessera::solvers

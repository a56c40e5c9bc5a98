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

  KOKKOS_FUNCTION void operator()(Ordinal row, double& dot) const {
    const Offset end = matrix.row_map(row + 1);
    Offset k = matrix.row_map(row);
    const Ordinal* const columns = matrix.columns.data();
    const Scalar* const values = matrix.values.data();
    const Scalar* const from = x.data();
    constexpr int ahead = 256;
    Scalar even = 0, odd = 0; // sums that do not wait for each other
    for (; k + 2 <= end; k += 2) {
      __builtin_prefetch(values + k + ahead);
      __builtin_prefetch(columns + k + ahead);
      even += values[k] * from[columns[k]];
      odd += values[k + 1] * from[columns[k + 1]];
    }
    if (k < end) even += values[k] * from[columns[k]];
    const Scalar sum = even + odd;
    y(row) = sum;
    dot += static_cast<double>(sum) * static_cast<double>(from[row]);
  }
};

/// y = A x and x·y for short rows on devices: a team reads the entries of consecutive rows one after the
/// other, as memory likes it, and leaves their products in scratch, where a thread adds up a row (J. L.
/// Greathouse and M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage
/// format", SC 2014).
template <class Scalar, class ExecutionSpace>
struct CrsStream {
  using value_type = double;
  using TeamPolicy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Scratch =
      Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr Ordinal rows_per_team = 128, room = 2048; // products in scratch at a time

  CrsViews<Scalar, ExecutionSpace> matrix;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;
  Ordinal rows;

  KOKKOS_FUNCTION void operator()(const typename TeamPolicy::member_type& team, double& dot) const {
    const Scratch products(team.team_scratch(0), room);
    const Ordinal first = static_cast<Ordinal>(team.league_rank()) * rows_per_team;
    const Ordinal last = Kokkos::min(rows, first + rows_per_team);
    const Ordinal row = first + static_cast<Ordinal>(team.team_rank());
    const bool own = row < last;
    const Offset end = matrix.row_map(last);
    Offset from = own ? matrix.row_map(row) : end;
    const Offset to = own ? matrix.row_map(row + 1) : end;
    Scalar sum = 0;
    for (Offset begin = matrix.row_map(first); begin < end; begin += room) {
      const auto count = static_cast<Ordinal>(Kokkos::min<Offset>(room, end - begin));
      for (Ordinal k = static_cast<Ordinal>(team.team_rank()); k < count; k += rows_per_team)
        products(k) = matrix.values(begin + k) * x(matrix.columns(begin + k));
      team.team_barrier();
      for (; from < to && from < begin + count; ++from) sum += products(static_cast<Ordinal>(from - begin));
      team.team_barrier();
    }
    if (!own) return;
    y(row) = sum;
    dot += static_cast<double>(sum) * static_cast<double>(x(row));
  }
};

} // namespace detail

/// An assembled square matrix as an operator. The views are shared, not copied: new values are seen at once.
///
/// Traffic of one product: each entry's value and column, each row's offset, x and y once. One thread's lanes
/// share a row on a GPU, as many as keep about six entries a lane; on a CPU a thread works through a block of
/// rows.
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
    const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
    using Rows = detail::CrsRows<Scalar, ExecutionSpace>;
    using Stream = detail::CrsStream<Scalar, ExecutionSpace>;
    const Ordinal rows = matrix_.rows();
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_reduce("Tessera::CrsOperator::apply_dot",
                              Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, rows),
                              Rows{matrix_, x, y}, dot);
    } else {
      const Ordinal teams = rows / Stream::rows_per_team + (rows % Stream::rows_per_team > 0 ? 1 : 0);
      Kokkos::parallel_reduce("Tessera::CrsOperator::apply_dot",
                              typename Stream::TeamPolicy(exec, teams, Stream::rows_per_team)
                                  .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(
                                                           Stream::Scratch::shmem_size(Stream::room)))),
                              Stream{matrix_, x, y, rows}, dot);
    }
  }

  /// y = A x. Deterministic on one execution space.
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
    using Apply = detail::CrsApply<Scalar, ExecutionSpace>;
    using TeamPolicy = typename Apply::TeamPolicy;
    constexpr int threads_per_team = 256; // lanes included; the usual block of a GPU
    constexpr int entries_per_lane = 6;   // as Kokkos Kernels tunes it
    const Ordinal rows = matrix_.rows();
    if (rows == 0) return;
    int lanes = 1;
    if (!runs_on_host<ExecutionSpace>) {
      const auto average = static_cast<double>(matrix_.columns.extent(0)) / rows;
      while (2 * lanes <= TeamPolicy::vector_length_max() && lanes * entries_per_lane < average) lanes *= 2;
    }
    Apply kernel{matrix_, x, y, rows, threads_per_team};
    int team_size = 1;
    if (!runs_on_host<ExecutionSpace>) {
      const int most = TeamPolicy(exec, 1, 1, lanes).team_size_max(kernel, Kokkos::ParallelForTag{});
      team_size = std::clamp(threads_per_team / lanes, 1, most);
      kernel.rows_per_team = team_size;
    }
    const int league =
        static_cast<int>(rows / kernel.rows_per_team + (rows % kernel.rows_per_team > 0 ? 1 : 0));
    Kokkos::parallel_for("Tessera::CrsOperator::apply", TeamPolicy(exec, league, team_size, lanes), kernel);
  }

private:
  detail::CrsViews<Scalar, ExecutionSpace> matrix_;
};

} // namespace tessera::solvers

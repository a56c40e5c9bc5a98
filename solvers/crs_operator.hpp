// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sparse matrix times vector for an assembled matrix, without Kokkos Kernels.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/crs_stream.hpp>
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

  /// y = A x and dot = x·y. Deterministic on one execution space. \throws ArgumentError as `apply`
  void apply_dot(const ExecutionSpace& exec, const ConstVector& x, const Vector& y,
                 const DeviceScalar<ExecutionSpace>& dot) const {
    detail::check_distinct_vectors("CrsOperator", rows(), x, y);
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
  /// \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("CrsOperator", rows(), x, y);
    const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
    const Ordinal rows = matrix_.rows();
    if (rows == 0) return;
    using Stream = detail::CrsStream<Scalar, ExecutionSpace>;
    if constexpr (runs_on_host<ExecutionSpace>)
      Kokkos::parallel_for("Tessera::CrsOperator::apply", range(exec),
                           detail::CrsRows<Scalar, ExecutionSpace>{matrix_, x, y});
    else if (Stream::suits(matrix_))
      Kokkos::parallel_for("Tessera::CrsOperator::apply", Stream(matrix_).policy(exec),
                           detail::StreamProduct<Scalar, ExecutionSpace>{Stream(matrix_), x, y});
    else
      by_lanes(exec, x, y, static_cast<double>(matrix_.columns.extent(0)) / rows);
  }

  /// y = |A| |x|.
  void apply_absolute(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::absolute_product(exec, matrix_, x, y);
  }

private:
  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> range(const ExecutionSpace& exec) const {
    return contiguous(
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, matrix_.rows()));
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

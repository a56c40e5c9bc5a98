// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The product of rows in compressed storage with a vector.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/crs_stream.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace tessera::solvers::detail {

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

/// y = A x, the lanes of a thread a row's entries. \param average entries of a row
template <class Scalar, class ExecutionSpace>
void crs_product_by_lanes(const ExecutionSpace& exec, const CrsViews<Scalar, ExecutionSpace>& matrix,
                          const Kokkos::View<const Scalar*, ExecutionSpace>& x,
                          const Kokkos::View<Scalar*, ExecutionSpace>& y, double average) {
  using Apply = CrsApply<Scalar, ExecutionSpace>;
  using TeamPolicy = typename Apply::TeamPolicy;
  constexpr int threads_per_team = 256; // lanes included; the usual block of a GPU
  constexpr int entries_per_lane = 6;   // as Kokkos Kernels tunes it
  const Ordinal rows = matrix.rows();
  int lanes = 1;
  while (2 * lanes <= TeamPolicy::vector_length_max() && lanes * entries_per_lane < average) lanes *= 2;
  Apply kernel{matrix, x, y, rows, threads_per_team};
  const int most = TeamPolicy(exec, 1, 1, lanes).team_size_max(kernel, Kokkos::ParallelForTag{});
  const int team_size = std::clamp(threads_per_team / lanes, 1, most);
  kernel.rows_per_team = team_size;
  const int league = static_cast<int>(rows / team_size + (rows % team_size > 0 ? 1 : 0));
  Kokkos::parallel_for("Tessera::CrsOperator::apply", TeamPolicy(exec, league, team_size, lanes), kernel);
}

/// y = A x for rows whose columns x has: as many as rows, or more.
template <class Scalar, class ExecutionSpace>
void crs_product(const ExecutionSpace& exec, const CrsViews<Scalar, ExecutionSpace>& matrix,
                 const Kokkos::View<const Scalar*, ExecutionSpace>& x,
                 const Kokkos::View<Scalar*, ExecutionSpace>& y) {
  const Ordinal rows = matrix.rows();
  if (rows == 0) return;
  using Stream = CrsStream<Scalar, ExecutionSpace>;
  if constexpr (runs_on_host<ExecutionSpace>)
    Kokkos::parallel_for(
        "Tessera::CrsOperator::apply",
        contiguous(Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, rows)),
        CrsRows<Scalar, ExecutionSpace>{matrix, x, y});
  else if (Stream::suits(matrix))
    Kokkos::parallel_for("Tessera::CrsOperator::apply", Stream(matrix).policy(exec),
                         StreamProduct<Scalar, ExecutionSpace>{Stream(matrix), x, y});
  else
    crs_product_by_lanes(exec, matrix, x, y, static_cast<double>(matrix.columns.extent(0)) / rows);
}

} // namespace tessera::solvers::detail

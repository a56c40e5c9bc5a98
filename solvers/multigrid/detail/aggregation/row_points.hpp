// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The points behind a level's rows, and what runs of rows along the curve through them have in common.

#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// The points behind a level's rows.
template <class ExecutionSpace>
struct RowPoints {
  Ordinals<ExecutionSpace> new_to_old; // row of the level: the given matrix's, which it has
  NodeRows<ExecutionSpace> rows;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> coordinates;

  int dimension() const { return static_cast<int>(coordinates.extent(1)); }
  KOKKOS_FUNCTION Ordinal node(Ordinal row) const { return rows.node(new_to_old(row)); }
};

/// What runs of consecutive rows hold together that has little in common.
struct RunProperties {
  double leaps = 0; ///< of the curve through the points, in a run
  double uneven =
      0; ///< share of the rows whose diagonal entry is another than their run's first by 25 and more
};

/// Looks at rows in runs. The curve leaps to a point that is farther away than three times the row's farthest
/// neighbour.
template <class ExecutionSpace>
struct LookAtRuns {
  Matrix<ExecutionSpace> matrix; // of single unknowns
  RowPoints<ExecutionSpace> points;
  Floats<ExecutionSpace> scale; // 1/√d_i by rows
  Ordinal length;               // of a run
  Ordinal distance;             // rows from one run's first to the next one's

  KOKKOS_FUNCTION double square(Ordinal from, Ordinal to) const {
    double sum = 0;
    for (int i = 0; i < static_cast<int>(points.coordinates.extent(1)); ++i) {
      const double d = points.coordinates(to, i) - points.coordinates(from, i);
      sum += d * d;
    }
    return sum;
  }

  /// Whether the curve leaps behind a row. Rows that are coupled to nothing say nothing.
  KOKKOS_FUNCTION bool leaps(Ordinal row) const {
    const Ordinal node = points.node(row);
    double most = 0;
    matrix.each_column(row,
                       [&](Ordinal column) { most = Kokkos::max(most, square(node, points.node(column))); });
    return most > 0 && square(node, points.node(row + 1)) > tuning::leap * tuning::leap * most;
  }

  KOKKOS_FUNCTION void operator()(Ordinal item, Ordinal& leaping, Ordinal& uneven) const {
    const Ordinal within = item % length, first = item / length * distance, row = first + within;
    leaping += within + 1 < length && leaps(row) ? 1 : 0;
    const float ratio = scale(row) / scale(first), square_of_ratio = ratio * ratio;
    uneven += square_of_ratio > tuning::jump || square_of_ratio * tuning::jump < 1 ? 1 : 0;
  }
};

/// Properties of the runs of so many rows, on large levels from evenly spread runs.
///
/// \param scale  1/√d_i by rows.
template <class ExecutionSpace>
RunProperties run_properties(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                             const RowPoints<ExecutionSpace>& points, const Floats<ExecutionSpace>& scale,
                             Ordinal length) {
  const Ordinal runs = Kokkos::min(Ordinal{tuning::sampled_runs}, matrix.nodes() / length),
                rows = runs * length;
  if (runs == 0) return {};
  Ordinal leaping = 0, uneven = 0;
  Kokkos::parallel_reduce("Tessera::Multigrid::look_at_runs", Range<ExecutionSpace>(exec, 0, rows),
                          LookAtRuns<ExecutionSpace>{matrix, points, scale, length, matrix.nodes() / runs},
                          leaping, uneven);
  return {.leaps = static_cast<double>(leaping) / runs, .uneven = static_cast<double>(uneven) / rows};
}

} // namespace tessera::solvers::multigrid::detail

#pragma once

/// \file
/// The points behind a level's rows, and whether the curve through them stays within the body.

#include <tessera/solvers/multigrid/detail/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// The points behind a level's rows.
template <class ExecutionSpace>
struct RowPoints {
  Ordinals<ExecutionSpace> new_to_old; // row of the level: the given matrix's, which it has
  NodeRows<ExecutionSpace> rows;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> coordinates;

  int dimension() const { return static_cast<int>(coordinates.extent(1)); }
  KOKKOS_FUNCTION Ordinal node(Ordinal row) const { return rows.node(new_to_old(row)); }
};

/// Counts runs of consecutive rows in which the curve through their points leaps: to a point that is farther
/// away than three times the row's farthest neighbour.
template <class ExecutionSpace>
struct CountLeapingRuns {
  Matrix<ExecutionSpace> matrix; // of single unknowns
  RowPoints<ExecutionSpace> points;
  Ordinal length;   // of a run
  Ordinal distance; // rows from one run's first to the next one's

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
    constexpr double far = 3;
    const Ordinal node = points.node(row);
    double most = 0;
    matrix.each_column(row,
                       [&](Ordinal column) { most = Kokkos::max(most, square(node, points.node(column))); });
    return most > 0 && square(node, points.node(row + 1)) > far * far * most;
  }

  KOKKOS_FUNCTION void operator()(Ordinal run, Ordinal& leaping) const {
    const Ordinal first = run * distance;
    bool any = false;
    for (Ordinal i = 0; i + 1 < length && !any; ++i) any = leaps(first + i);
    leaping += any ? 1 : 0;
  }
};

/// Share of the runs of so many consecutive rows in which the curve leaps: through a slender body it goes
/// astray, and runs join parts that know nothing of each other. On large levels from evenly spread runs.
template <class ExecutionSpace>
double share_of_leaping_runs(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                             const RowPoints<ExecutionSpace>& points, Ordinal length) {
  constexpr Ordinal enough = 4096; // runs
  const Ordinal runs = Kokkos::min(enough, matrix.nodes() / length);
  if (runs == 0) return 0;
  Ordinal leaping = 0;
  Kokkos::parallel_reduce("Tessera::Multigrid::leaping_runs", Range<ExecutionSpace>(exec, 0, runs),
                          CountLeapingRuns<ExecutionSpace>{matrix, points, length, matrix.nodes() / runs},
                          leaping);
  return static_cast<double>(leaping) / runs;
}

} // namespace tessera::solvers::multigrid

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The matrix that smooths the prolongator where couplings are uneven: without the weak ones, which would
/// couple aggregates that have nothing to do with each other and fill the coarse levels, and without long
/// rows, which would couple all that they reach.

#include <tessera/solvers/multigrid/detail/aggregation/strength.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// Keeps a row's strong entries and its diagonal, of a long row the diagonal alone; for scalar matrices.
template <class ExecutionSpace>
struct FilterRows {
  StrengthGraph<ExecutionSpace> graph;
  Matrix<ExecutionSpace> filtered;
  bool fill;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const auto& a = graph.matrix;
    const Offset first = fill ? filtered.graph.row_map(row) : 0;
    const bool is_long = graph.is_long(row);
    Offset kept = 0;
    a.each_entry(row, [&](Ordinal column, float value) {
      if (column != row && (is_long || !graph.strong(row, column, graph.coupling_of(value)))) return;
      if (fill) filtered.graph.columns(first + kept) = column;
      ++kept;
    });
    if (!fill) filtered.graph.row_map(row + 1) = kept;
  }
};

/// The pattern of the filtered matrix.
template <class ExecutionSpace>
Matrix<ExecutionSpace> filtered_pattern(const Workspace<ExecutionSpace>& work,
                                        const StrengthGraph<ExecutionSpace>& graph) {
  const Ordinal rows = graph.matrix.rows();
  const Range<ExecutionSpace> range(work.exec, 0, rows);
  Matrix<ExecutionSpace> filtered{
      {make_kept<Offsets<ExecutionSpace>>(work, "filtered::row_map", rows + 1), {}}, {}};
  Kokkos::parallel_for("Tessera::Multigrid::filter_count", range,
                       FilterRows<ExecutionSpace>{graph, filtered, false});
  const Offset entries = lengths_to_offsets(work, filtered.graph.row_map).sum;
  filtered.graph.columns = make_kept<Ordinals<ExecutionSpace>>(work, "filtered::columns", entries);
  filtered.values = make_kept<Floats<ExecutionSpace>>(work, "filtered::values", entries);
  Kokkos::parallel_for("Tessera::Multigrid::filter_fill", range,
                       FilterRows<ExecutionSpace>{graph, filtered, true});
  return filtered;
}

/// The same for a prolongator that is not smoothed: the diagonal alone.
template <class ExecutionSpace>
Matrix<ExecutionSpace> diagonal_pattern(const Workspace<ExecutionSpace>& work, Ordinal rows) {
  const Graph<ExecutionSpace> graph{make_kept<Offsets<ExecutionSpace>>(work, "filtered::row_map", rows + 1),
                                    make_kept<Ordinals<ExecutionSpace>>(work, "filtered::columns", rows), 1};
  Kokkos::parallel_for(
      "Tessera::Multigrid::diagonal_pattern", Range<ExecutionSpace>(work.exec, 0, rows + 1),
      KOKKOS_LAMBDA(const Ordinal row) {
        graph.row_map(row) = row;
        if (row < rows) graph.columns(row) = row;
      });
  return matrix_on(work, "filtered", graph, 1, 1);
}

/// Values of D⁻¹F: the kept entries over a diagonal that leaves the product with the test vector as it was,
/// (D⁻¹F w)_i = g_i / d_i. Where that diagonal is no fair part of the matrix's own (positive entries outweigh
/// the others), or there is no test vector, it is the matrix's own, one. Long rows are zero.
template <class ExecutionSpace>
void filtered_values(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                     const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
                     const Matrix<ExecutionSpace>& filtered, const Floats<ExecutionSpace>& filtered_product) {
  const bool has_test = test.extent(0) > 0;
  const Ordinal least_of_long = long_row(matrix.graph);
  Kokkos::parallel_for(
      "Tessera::Multigrid::filter_values", Range<ExecutionSpace>(exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        if (matrix.graph.length(row) >= least_of_long) {
          filtered.values(filtered.graph.row_map(row)) = 0;
          if (has_test) filtered_product(row) = 0;
          return;
        }
        double sum = 0; // of kept entries times the test vector, without the diagonal
        Offset k = matrix.graph.row_map(row);
        for (Offset f = filtered.graph.row_map(row); f < filtered.graph.row_map(row + 1); ++f, ++k) {
          while (matrix.graph.columns(k) != filtered.graph.columns(f)) ++k;
          filtered.values(f) = matrix.values(k);
          if (has_test && matrix.graph.columns(k) != row)
            sum += static_cast<double>(matrix.values(k)) * test(matrix.graph.columns(k));
        }
        if (!has_test || !(test(row) > 0)) {
          if (has_test) filtered_product(row) = 0;
          return;
        }
        const double lumped = (static_cast<double>(test_product(row)) - sum) / test(row);
        const bool exact = lumped > tuning::fair_diagonal;
        const double factor = exact ? 1 / lumped : 1;
        for (Offset f = filtered.graph.row_map(row); f < filtered.graph.row_map(row + 1); ++f)
          filtered.values(f) =
              filtered.graph.columns(f) == row ? 1.0f : static_cast<float>(factor * filtered.values(f));
        filtered_product(row) =
            static_cast<float>(exact ? test_product(row) / lumped : sum + static_cast<double>(test(row)));
      });
}

} // namespace tessera::solvers::multigrid::detail

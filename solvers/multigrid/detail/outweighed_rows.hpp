#pragma once

/// \file
/// Rows of the finest level whose other entries outweigh the diagonal.

#include <tessera/solvers/multigrid/detail/fine_matrix.hpp>
#include <tessera/solvers/multigrid/detail/row_passes.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// Scales the rows of a matrix with a unit diagonal down whose other entries outweigh it by far, to
/// Σ_j |a_ij| = 2: Gershgorin's bound of the largest eigenvalue. These rows are corners of slivers, which
/// would stretch the range of the smoother on the whole level.
template <class ExecutionSpace>
struct OutweighedRows {
  Matrix<ExecutionSpace> fine;
  Floats<ExecutionSpace> factor; // row

  struct Find {};

  KOKKOS_FUNCTION void operator()(Find, Ordinal row, Ordinal& found) const {
    constexpr float outweighed = 2.5f; // rows beside boundaries, which weigh less, reach 2.3
    float sum = 0;
    if (runs_on_host<ExecutionSpace> && fine.scalar())
      sum = weight_of(row_of(fine, row), row).sum;
    else
      fine.each_entry(row, [&](Ordinal, float value) { sum += Kokkos::abs(value); });
    factor(row) = sum > outweighed ? Kokkos::sqrt(2 / sum) : 1.0f;
    found += sum > outweighed ? 1 : 0;
  }
  /// Scales a row by both of an entry's factors, most of which are one.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const Ordinal node = row / fine.block_rows, width = fine.block_columns;
    const Offset first = fine.graph.row_map(node),
                 entries = fine.row_begin(node, row - node * fine.block_rows);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, fine.graph.length(node) * width), [&](Ordinal k) {
      const Ordinal column = fine.graph.columns(first + k / width) * width + k % width;
      const float both = factor(row) * factor(column);
      if (both != 1) fine.values(entries + k) *= both;
    });
  }
};

/// Scales such rows, and what belongs to them.
template <class ExecutionSpace>
void scale_outweighed_rows(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& fine,
                           const ScaleRows<ExecutionSpace>& rows) {
  using Body = OutweighedRows<ExecutionSpace>;
  const ReturnTemporaries<ExecutionSpace> at_end;
  const Body body{fine, make_temporary<Floats<ExecutionSpace>>(exec, "factor", fine.rows())};
  Ordinal found = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::outweighed_rows",
      Kokkos::RangePolicy<ExecutionSpace, typename Body::Find, Kokkos::IndexType<Ordinal>>(exec, 0,
                                                                                           fine.rows()),
      body, found);
  if (found == 0) return;
  for_each_row(exec, "Tessera::Multigrid::outweighed_rows", fine.rows(),
               lanes_for(fine.entries(), fine.rows()), 0, body);
  Kokkos::parallel_for(
      "Tessera::Multigrid::outweighed_rows", Range<ExecutionSpace>(exec, 0, fine.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        rows.scale(row) *= body.factor(row);
        rows.test(row) /= body.factor(row);
        rows.test_product(row) *= body.factor(row);
      });
}

} // namespace tessera::solvers::multigrid

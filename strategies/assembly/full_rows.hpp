// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A whole symmetric matrix from its upper half, for solvers that read full rows (paper 4, section 4).

#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace TESSERA_KERNELS::assembly {

/// A thread per full row: what lies right of the diagonal is a stretch of the half row, what lies left of it
/// is looked up in the rows above.
template <class Scalar, class ExecutionSpace>
struct FillFullRows {
  using System = LinearSystem<Scalar, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  typename Graph::RowMap half_map, full_map;
  typename Graph::Columns half_columns, full_columns;
  typename System::Values half_values, full_values, half_rhs, full_rhs;

  FillFullRows(const System& half, const System& full)
      : half_map(half.graph().row_map), full_map(full.graph().row_map), half_columns(half.graph().columns),
        full_columns(full.graph().columns), half_values(half.values()), full_values(full.values()),
        half_rhs(half.rhs()), full_rhs(full.rhs()) {}

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset end = full_map(row + 1);
    Offset k = full_map(row);
    for (; k < end && full_columns(k) < row; ++k) full_values(k) = above(full_columns(k), row);
    for (Offset from = half_map(row); k < end; ++k) full_values(k) = half_values(from++);
    full_rhs(row) = half_rhs(row);
  }

private:
  /// The half matrix's entry, whose columns ascend.
  KOKKOS_FUNCTION Scalar above(Ordinal row, Ordinal column) const {
    Offset first = half_map(row), last = half_map(row + 1) - 1;
    while (first < last) {
      const Offset middle = (first + last) / 2;
      if (half_columns(middle) < column)
        first = middle + 1;
      else
        last = middle;
    }
    return half_values(first);
  }
};

/// Fills a system on a graph from the one that was assembled on `upper_half` of that graph, right-hand side
/// included. Does not wait for `exec`.
/// \throws ArgumentError for a system that has not one entry for each pair of the half's
template <class Scalar, class ExecutionSpace>
void fill_full_rows(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& half,
                    const LinearSystem<Scalar, ExecutionSpace>& full) {
  const auto rows = static_cast<std::size_t>(full.num_rows());
  const std::size_t entries = full.graph().num_entries();
  if (half.num_rows() != full.num_rows() || 2 * std::size_t(half.graph().num_entries()) != entries + rows)
    throw ArgumentError("fill_full_rows: " + std::to_string(half.num_rows()) + " rows of " +
                        std::to_string(half.graph().num_entries()) + " entries are not the upper half of " +
                        std::to_string(rows) + " rows of " + std::to_string(entries));
  Kokkos::parallel_for("Tessera::FillFullRows::fill",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, rows),
                       FillFullRows<Scalar, ExecutionSpace>(half, full));
}

} // namespace TESSERA_KERNELS::assembly

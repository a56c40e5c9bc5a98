// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The matrices of the set-up, in double, and what is done with single ones.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/sparse/detail/memory/workspace.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::patch_multigrid::detail {

using sparse::detail::Range;

/// Compressed rows in double; the matrix need not be square.
template <class ExecutionSpace>
using SparseMatrix = sparse::detail::Matrix<ExecutionSpace, double>;

/// A square one for what reads any.
template <class ExecutionSpace>
solvers::detail::CrsViews<double, ExecutionSpace> views(const SparseMatrix<ExecutionSpace>& matrix) {
  return {matrix.graph.row_map, matrix.graph.columns, matrix.values};
}

/// Where the toolkit's arrays come from: the allocator.
template <class ExecutionSpace>
sparse::detail::Workspace<ExecutionSpace> workspace(const ExecutionSpace& exec) {
  return {exec, "PatchMultigrid"};
}

/// An uninitialised view named after its use.
template <class View, class ExecutionSpace, class... Extents>
View make(const ExecutionSpace& exec, const char* what, Extents... extents) {
  return sparse::detail::make_kept<View>(workspace(exec), what, extents...);
}

/// Turns the lengths of rows in row_map(1) … row_map(rows) into offsets, row_map(0) = 0.
/// \return their sum
template <class ExecutionSpace>
Offset scan_lengths(const ExecutionSpace& exec, const Kokkos::View<Offset*, ExecutionSpace>& row_map) {
  return sparse::detail::lengths_to_offsets(workspace(exec), row_map).sum;
}

/// Rows and columns under new numbers. The entries of a row keep their order.
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> permuted(const ExecutionSpace& exec,
                                      const solvers::detail::CrsViews<double, ExecutionSpace>& matrix,
                                      const Permutation<ExecutionSpace>& numbers) {
  SparseMatrix<ExecutionSpace> result;
  const auto row_map = result.graph.row_map =
      make<decltype(result.graph.row_map)>(exec, "row_map", matrix.rows() + 1);
  const auto columns = result.graph.columns =
      make<decltype(result.graph.columns)>(exec, "columns", matrix.columns.extent(0));
  const auto values = result.values = make<decltype(result.values)>(exec, "values", matrix.columns.extent(0));
  const Range<ExecutionSpace> rows(exec, 0, matrix.rows());
  const auto old_row = numbers.new_to_old, new_row = numbers.old_to_new;
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::permuted_lengths", rows, KOKKOS_LAMBDA(const Ordinal row) {
        row_map(row + 1) = matrix.row_map(old_row(row) + 1) - matrix.row_map(old_row(row));
      });
  scan_lengths(exec, row_map);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::permute", rows, KOKKOS_LAMBDA(const Ordinal row) {
        const Offset from = matrix.row_map(old_row(row)), to = row_map(row);
        for (Offset k = 0; k < row_map(row + 1) - to; ++k) {
          columns(to + k) = new_row(matrix.columns(from + k));
          values(to + k) = matrix.values(from + k);
        }
      });
  return result;
}

} // namespace tessera::solvers::patch_multigrid::detail

#pragma once

/// \file
/// The matrices of the set-up, in double, and what is done with single ones.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/solvers/detail/crs.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::patch_multigrid {

template <class ExecutionSpace>
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

/// Compressed rows that own what they hold; the matrix need not be square.
template <class ExecutionSpace>
struct SparseMatrix {
  Kokkos::View<Offset*, ExecutionSpace> row_map;  // rows + 1
  Kokkos::View<Ordinal*, ExecutionSpace> columns; // entries
  Kokkos::View<double*, ExecutionSpace> values;   // entries
  Ordinal num_columns = 0;

  Ordinal rows() const { return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1); }
  Offset entries() const { return columns.extent(0); }
  solvers::detail::CrsViews<double, ExecutionSpace> views() const { return {row_map, columns, values}; }
};

/// An uninitialised view named after its use.
template <class View, class ExecutionSpace, class... Extents>
View make(const ExecutionSpace& exec, const char* what, Extents... extents) {
  return allocate<View>(exec, std::string("Tessera::PatchMultigrid::") + what, extents...);
}

/// Turns the lengths of rows in row_map(1) … row_map(rows) into offsets, row_map(0) being 0.
/// \return their sum
template <class ExecutionSpace>
Offset scan_lengths(const ExecutionSpace& exec, const Kokkos::View<Offset*, ExecutionSpace>& row_map) {
  Offset total = 0;
  Kokkos::parallel_scan(
      "Tessera::PatchMultigrid::scan_lengths",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(row_map.extent(0))),
      KOKKOS_LAMBDA(const Ordinal row, Offset& sum, const bool final) {
        sum += row_map(row);
        if (final) row_map(row) = sum;
      },
      total);
  return total;
}

/// Rows and columns under new numbers. The entries of a row keep their order.
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> permuted(const ExecutionSpace& exec,
                                      const solvers::detail::CrsViews<double, ExecutionSpace>& matrix,
                                      const Permutation<ExecutionSpace>& numbers) {
  SparseMatrix<ExecutionSpace> result;
  result.num_columns = matrix.rows();
  result.row_map =
      allocate_zeroed<decltype(result.row_map)>(exec, "Tessera::PatchMultigrid::row_map", matrix.rows() + 1);
  result.columns = make<decltype(result.columns)>(exec, "columns", matrix.columns.extent(0));
  result.values = make<decltype(result.values)>(exec, "values", matrix.columns.extent(0));
  const Range<ExecutionSpace> rows(exec, 0, matrix.rows());
  const auto old_row = numbers.new_to_old, new_row = numbers.old_to_new;
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::permuted_lengths", rows, KOKKOS_LAMBDA(const Ordinal row) {
        result.row_map(row + 1) = matrix.row_map(old_row(row) + 1) - matrix.row_map(old_row(row));
      });
  scan_lengths(exec, result.row_map);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::permute", rows, KOKKOS_LAMBDA(const Ordinal row) {
        const Offset from = matrix.row_map(old_row(row)), to = result.row_map(row);
        for (Offset k = 0; k < result.row_map(row + 1) - to; ++k) {
          result.columns(to + k) = new_row(matrix.columns(from + k));
          result.values(to + k) = matrix.values(from + k);
        }
      });
  return result;
}

} // namespace tessera::solvers::patch_multigrid

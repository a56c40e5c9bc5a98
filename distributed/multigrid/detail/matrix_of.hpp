// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A matrix out of rows that are described.

#include <tessera/core/types.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::distributed::detail {

/// How many blocks a row has.
template <class Rows>
struct DescribedLength {
  Rows rows;
  int block_columns;
  KOKKOS_FUNCTION Offset operator()(Ordinal row) const {
    Offset length = 0;
    rows.each(row, [&](Ordinal, double) { ++length; });
    return length / static_cast<Offset>(block_columns);
  }
};

template <class ExecutionSpace, class Rows>
struct FillDescribed {
  Rows rows;
  sparse::Matrix<ExecutionSpace, double> matrix;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const auto block = static_cast<Offset>(matrix.block_columns);
    Offset to = matrix.row_begin(row, 0);
    rows.each(row, [&](Ordinal column, double value) {
      if (to % block == 0) matrix.graph.columns(to / block) = column / matrix.block_columns;
      matrix.values(to++) = value;
    });
  }
};

/// A matrix of the entries that `rows.each(row, visit(column, value))` goes through, in that order.
/// \param block_columns  that follow each other wherever the first of them occurs
template <class ExecutionSpace, class Rows>
sparse::Matrix<ExecutionSpace, double> matrix_of(const sparse::Workspace<ExecutionSpace>& work,
                                                 const std::string& what, Ordinal count, const Rows& rows,
                                                 int block_columns = 1) {
  sparse::Matrix<ExecutionSpace, double> matrix;
  matrix.block_columns = block_columns;
  matrix.graph.row_map = make_kept<sparse::Offsets<ExecutionSpace>>(work, what, count + 1);
  const auto found =
      sparse::scan_lengths(work, matrix.graph.row_map, DescribedLength<Rows>{rows, block_columns});
  matrix.graph.columns = make_kept<sparse::Ordinals<ExecutionSpace>>(work, what, found.sum);
  matrix.values =
      make_kept<sparse::Doubles<ExecutionSpace>>(work, what, found.sum * static_cast<Offset>(block_columns));
  Kokkos::parallel_for(work.label(what), sparse::Range<ExecutionSpace>(work.exec, 0, count),
                       FillDescribed<ExecutionSpace, Rows>{rows, matrix});
  return matrix;
}

/// The transpose of a matrix of single values, each column once a row.
template <class ExecutionSpace>
sparse::Matrix<ExecutionSpace, double>
transpose_of(const sparse::Workspace<ExecutionSpace>& work, const std::string& what,
             const sparse::Matrix<ExecutionSpace, double>& matrix, Ordinal columns) {
  sparse::Matrix<ExecutionSpace, double> result;
  result.graph = transposed(work, matrix.graph, columns);
  result.values = make_kept<sparse::Doubles<ExecutionSpace>>(work, what, matrix.values.extent(0));
  transposed_values(work, matrix, result);
  return result;
}

} // namespace tessera::distributed::detail

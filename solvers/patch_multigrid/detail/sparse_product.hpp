// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Products and transposes of the set-up's matrices, by the sparse toolkit: no additions of several threads
/// meet, so that the result is the same in every run.

#include <tessera/solvers/patch_multigrid/detail/sparse_matrix.hpp>
#include <tessera/solvers/sparse/detail/product_of_matrices.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::patch_multigrid::detail {

/// A B, columns ascending; B has so many columns.
/// \param what  it is; its label.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> product(const ExecutionSpace& exec, const std::string& what,
                                     const SparseMatrix<ExecutionSpace>& a,
                                     const SparseMatrix<ExecutionSpace>& b, Ordinal columns) {
  return sparse::detail::product(workspace(exec), what, a, b, columns);
}

/// The transpose of a matrix with so many columns, which ascend in its rows; those of the transpose do too.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> transposed(const ExecutionSpace& exec,
                                        const SparseMatrix<ExecutionSpace>& matrix, Ordinal columns) {
  const auto work = workspace(exec);
  SparseMatrix<ExecutionSpace> result;
  result.graph = sparse::detail::transposed(work, matrix.graph, columns);
  result.values = make<decltype(result.values)>(exec, "transpose", matrix.values.extent(0));
  sparse::detail::transposed_values(work, matrix, result);
  return result;
}

} // namespace tessera::solvers::patch_multigrid::detail

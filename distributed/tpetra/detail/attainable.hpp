// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The residual that rounding leaves of a solution over all ranks.

#include <tessera/core/types.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_CommHelpers.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::distributed::detail {

/// Sum of (|A| |x| + |b|)² over a rank's rows.
template <class LocalMatrix, class Vector>
struct SquaredRowSizes {
  LocalMatrix matrix;
  Vector x, b; ///< one column each; x by the matrix's columns

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& sum) const {
    double size = Kokkos::abs(b(row, 0));
    for (auto k = matrix.graph.row_map(row); k < matrix.graph.row_map(row + 1); ++k)
      size += Kokkos::abs(matrix.values(k) * x(matrix.graph.entries(k), 0));
    sum += size * size;
  }
};

/// Collective: ε ‖|A||x| + |b|‖₂, as `solvers::attainable_residual`. One import.
template <class ExecutionSpace>
double attainable_residual(const typename TpetraTypes<ExecutionSpace>::Matrix& matrix,
                           const typename TpetraTypes<ExecutionSpace>::Vector& b,
                           const typename TpetraTypes<ExecutionSpace>::Vector& x) {
  typename TpetraTypes<ExecutionSpace>::Vector columns(matrix.getColMap());
  if (const auto import = matrix.getCrsGraph()->getImporter(); import.is_null())
    columns.update(1.0, x, 0.0);
  else
    columns.doImport(x, *import, Tpetra::INSERT);
  const auto local = matrix.getLocalMatrixDevice();
  const auto x_local = columns.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const auto b_local = b.getLocalViewDevice(Tpetra::Access::ReadOnly);
  double mine = 0, squares = 0;
  Kokkos::parallel_reduce(
      "Tessera::attainable_residual::sum",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(0, local.numRows()),
      SquaredRowSizes<std::decay_t<decltype(local)>, std::decay_t<decltype(x_local)>>{local, x_local,
                                                                                      b_local},
      mine);
  Teuchos::reduceAll(*matrix.getComm(), Teuchos::REDUCE_SUM, mine, Teuchos::outArg(squares));
  return std::numeric_limits<double>::epsilon() * std::sqrt(squares);
}

} // namespace tessera::distributed::detail

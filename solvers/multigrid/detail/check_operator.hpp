// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether an operator is the finest level's matrix.

#include <tessera/core/error.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_matrix.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>
#include <tessera/solvers/sparse/detail/products.hpp>

#include <Kokkos_Core.hpp>

#include <sstream>

namespace tessera::solvers::multigrid::detail {

/// Throws ArgumentError unless an operator does to a random vector what the level's rows do, in the scaled
/// variables: a single row under another constraint shows. Uses the level's vectors.
template <class ExecutionSpace>
void require_same_product(const ExecutionSpace& exec, const Level<ExecutionSpace>& level,
                          const FineRows<ExecutionSpace>& rows, const FineOperator<ExecutionSpace>& a) {
  const auto x = level.x;
  Kokkos::parallel_for(
      "Tessera::Multigrid::random_vector", Range<ExecutionSpace>(exec, 0, level.rows()),
      KOKKOS_LAMBDA(const Ordinal row) { x(row) = rows.new_to_old(row) < 0 ? 0.0f : random_number(row, 4); });
  const auto product = rows_product<ExecutionSpace>(exec, level.matrix, x, level.r, false);
  Kokkos::parallel_for("Tessera::Multigrid::random_product", product.policy, product.functor);
  a.combine(exec, rows, {x, level.r, level.t, 0, 0, 1});
  const double deviation = relative_deviation(exec, level.t, level.r);
  if (deviation <= tuning::same_product) return;
  std::ostringstream message;
  message << "Multigrid: the operator is not the matrix: products with a random vector deviate by "
          << deviation << " of their largest entry; have both the same form and the same constraints?";
  throw ArgumentError(message.str());
}

} // namespace tessera::solvers::multigrid::detail

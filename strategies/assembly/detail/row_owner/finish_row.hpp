// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From a node's finished sums to its rows of the system.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Writes every value of one of a node's rows once, and its entry of the right-hand side, under the rules of
/// `scatter`: rows of constrained degrees of freedom are left out; entries of constrained columns, times the
/// prescribed values, are taken from the load, and a system that keeps the column gets a zero there.
///
/// \param a the row's component
/// \param values where the system's first value lies (or would lie, for rows that are staged elsewhere)
/// \param neighbor `neighbor(k)`: the k-th of `degree` neighbours, the node itself included, ascending
/// \param sum `sum(k, b)`: entry in the column of neighbour k, component b
/// \param part of `parts` threads that share the row
template <int components, class ExecutionSpace, class Scalar, class NeighborOf, class SumOf>
KOKKOS_FORCEINLINE_FUNCTION void finish_row(const SystemKernel<ExecutionSpace, Scalar>& system, Ordinal node,
                                            int a, int degree, const Scalar& load, Scalar* values,
                                            const NeighborOf& neighbor, const SumOf& sum, int part = 0,
                                            int parts = 1) {
  const auto& equations = system.equations;
  if (equations.is_constrained(node, a)) return;
  const Ordinal row = equations.equation(node, a);
  const Offset begin = system.row_map(row);
  Scalar* out = values + begin;
  // A row that no column was removed from has no constrained neighbours.
  const bool free = !equations.constrained ||
                    (equations.removed && system.row_map(row + 1) - begin == Offset(degree) * components);
  if (free) {
    TESSERA_UNROLL(4)
    for (int k = part; k < degree; k += parts)
      for (int b = 0; b < components; ++b) out[k * components + b] = sum(k, b);
    if (part == 0) system.rhs(row) = load;
    return;
  }
  if (part > 0) return;
  Scalar rest = load;
  TESSERA_UNROLL(1)
  for (int k = 0; k < degree; ++k) {
    const Ordinal column = neighbor(k);
    for (int b = 0; b < components; ++b) {
      const bool known = equations.is_constrained(column, b);
      if (known) rest -= sum(k, b) * Scalar(equations.prescribed(column * components + b));
      if (!known)
        *out++ = sum(k, b);
      else if (!equations.removed)
        *out++ = Scalar(0);
    }
  }
  system.rhs(row) = rest;
}

/// `finish_row` for all rows of a node.
///
/// \param sum `sum(a, k, b)`: entry of component a in the column of neighbour k, component b
template <class ExecutionSpace, class Scalar, int components, class NeighborOf, class SumOf>
KOKKOS_FORCEINLINE_FUNCTION void finish_rows(const SystemKernel<ExecutionSpace, Scalar>& system, Ordinal node,
                                             int degree, const Vector<Scalar, components>& load,
                                             Scalar* values, const NeighborOf& neighbor, const SumOf& sum,
                                             int part = 0, int parts = 1) {
  TESSERA_UNROLL(components)
  for (int a = 0; a < components; ++a)
    finish_row<components>(
        system, node, a, degree, load(a), values, neighbor, [&](int k, int b) { return sum(a, k, b); }, part,
        parts);
}

} // namespace TESSERA_KERNELS::assembly::detail

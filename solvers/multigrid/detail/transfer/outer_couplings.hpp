// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a prolongator owes to rows that a hierarchy does not have: those of other ranks.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <optional>

namespace tessera::solvers::multigrid::detail {

/// Rows of a level that are coupled with rows elsewhere, and the products of these couplings with the
/// near-null space there. Empty: there are none.
template <class ExecutionSpace>
struct OuterCouplings {
  Ordinals<ExecutionSpace> rows;
  Modes<ExecutionSpace> product; // place in `rows` × mode
};

template <class ExecutionSpace>
class Hierarchy;

/// Is called with each level, when its smoother is known, and whether another can be made. Returns what the
/// transfer to the next level is told; none: the hierarchy is to end here.
template <class ExecutionSpace>
using MeetLevel = std::function<std::optional<OuterCouplings<ExecutionSpace>>(
    const Hierarchy<ExecutionSpace>&, std::size_t level, bool more)>;

/// X of X R = a row of V, column by column in V's place. A mode that depends on others has none.
/// \param r  upper triangle, r(first + row, column)
template <class ExecutionSpace, class Triangle>
KOKKOS_FUNCTION void divide_by_modes(const Modes<ExecutionSpace>& v, Ordinal row, Ordinal count,
                                     const Triangle& r, Ordinal first) {
  for (Ordinal m = 0; m < count; ++m) {
    double rest = v(row, m);
    for (Ordinal p = 0; p < m; ++p) rest -= v(row, p) * r(first + p, m);
    const double pivot = r(first + m, m);
    v(row, m) = pivot != 0 ? rest / pivot : 0;
  }
}

/// Takes ω times the outer couplings' product out of the rows of P, by their own aggregate, so that P keeps
/// the near-null space as it does with all couplings: X R for the product, R the modes of the next level's
/// node.
template <class ExecutionSpace>
struct SubtractOuter {
  OuterCouplings<ExecutionSpace> outer;
  Matrix<ExecutionSpace> prolongator;
  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> coarse; // upper triangles
  double omega;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const Ordinal row = outer.rows(k), node = row / prolongator.block_rows;
    const Ordinal own = aggregates.of(node), count = prolongator.block_columns;
    if (own < 0) return;
    const Ordinal* const columns = prolongator.graph.columns.data() + prolongator.graph.row_map(node);
    const Ordinal place = tessera::detail::place_in(columns, prolongator.graph.length(node), own);
    float* const to = prolongator.values.data() +
                      prolongator.row_begin(node, row - node * prolongator.block_rows) +
                      static_cast<Offset>(place) * count;
    divide_by_modes<ExecutionSpace>(outer.product, k, count, coarse, own * count);
    for (Ordinal m = 0; m < count; ++m) to[m] -= static_cast<float>(omega * outer.product(k, m));
  }
};

/// Adds the outer couplings' product with the only mode to a vector.
template <class ExecutionSpace>
struct AddOuter {
  OuterCouplings<ExecutionSpace> outer;
  Floats<ExecutionSpace> vector;
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    vector(outer.rows(k)) += static_cast<float>(outer.product(k, 0));
  }
};

} // namespace tessera::solvers::multigrid::detail

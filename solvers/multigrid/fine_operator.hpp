// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An operator in the place of the finest level's rows.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/gate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>

namespace tessera::solvers::multigrid {

/// out = y_factor·y + x_factor·x + product_factor·A x: every step of the smoother and the residual. `y` may
/// be `out`; x may not.
template <class ExecutionSpace>
struct Combination {
  Kokkos::View<const float*, ExecutionSpace> x, y;
  Kokkos::View<float*, ExecutionSpace> out;
  float y_factor, x_factor, product_factor;
};

/// The finest level's rows: their places in the given matrix (-1 for none), the way back, and their scale.
template <class ExecutionSpace>
struct FineRows {
  Kokkos::View<const Ordinal*, ExecutionSpace> new_to_old, old_to_new;
  Kokkos::View<const float*, ExecutionSpace> scale;
};

/// Runs combinations on the finest level by an operator on the rows of the given matrix.
template <class ExecutionSpace>
struct FineOperator {
  std::size_t rows = 0;
  std::size_t bytes = 0; ///< of its vectors
  std::function<void(const ExecutionSpace&, const FineRows<ExecutionSpace>&,
                     const Combination<ExecutionSpace>&)>
      combine; ///< empty: there is no operator

  explicit operator bool() const { return static_cast<bool>(combine); }
};

/// A combination whose product is given. Rows that fill nodes up are zero, and stay so.
template <class ExecutionSpace, class Scalar>
struct CombineGiven {
  Combination<ExecutionSpace> step;
  FineRows<ExecutionSpace> rows;
  Kokkos::View<const Scalar*, ExecutionSpace> product; // row of the given matrix

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Ordinal old = rows.new_to_old(row);
    const float own = old < 0 ? 0.0f : rows.scale(row) * static_cast<float>(product(old));
    step.out(row) = step.product_factor * own + step.x_factor * step.x(row) + step.y_factor * step.y(row);
  }
};

/// \param a  an operator on vectors of `Scalar`; a copy is kept.
template <class Scalar, class ExecutionSpace, class A>
FineOperator<ExecutionSpace> fine_operator(const ExecutionSpace& exec, const A& a) {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const std::size_t rows = a.rows();
  const auto x = allocate<Vector>(exec, "Tessera::Multigrid::operator_x", rows);
  const auto product = allocate<Vector>(exec, "Tessera::Multigrid::operator_product", rows);
  const auto combine = [a, x, product](const ExecutionSpace& instance, const FineRows<ExecutionSpace>& fine,
                                       const Combination<ExecutionSpace>& step) {
    Kokkos::parallel_for("Tessera::Multigrid::leave", Range(instance, 0, static_cast<Ordinal>(x.extent(0))),
                         LeaveLevel<ExecutionSpace, Scalar>{{fine.old_to_new, fine.scale, step.x}, x});
    a.apply(instance, x, product);
    Kokkos::parallel_for("Tessera::Multigrid::combine_product",
                         Range(instance, 0, static_cast<Ordinal>(step.out.extent(0))),
                         CombineGiven<ExecutionSpace, Scalar>{step, fine, product});
  };
  return {rows, bytes_of(x) + bytes_of(product), combine};
}

} // namespace tessera::solvers::multigrid

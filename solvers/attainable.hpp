// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The residual that rounding leaves of any solution.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <limits>

namespace tessera::solvers {

namespace detail {

/// Sum of (y + |b|)², y = |A| |x|.
template <class Scalar, class ExecutionSpace>
struct SquaredSizes {
  Kokkos::View<const Scalar*, ExecutionSpace> b, y;
  KOKKOS_FUNCTION void operator()(Ordinal row, double& sum) const {
    const double size = static_cast<double>(y(row)) + Kokkos::abs(static_cast<double>(b(row)));
    sum += size * size;
  }
};

/// As below, with memory for |A| |x|; 0 for an operator that does not know its entries' sizes.
template <class ExecutionSpace, class A, class Rhs, class Vector>
double attainable_residual(const ExecutionSpace& exec, const A& a, const Rhs& b, const Vector& x,
                           const Vector& magnitudes) {
  using Scalar = typename Vector::non_const_value_type;
  if constexpr (AbsoluteOperator<A, ExecutionSpace, Scalar>) {
    a.apply_absolute(exec, x, magnitudes);
    double squares = 0;
    Kokkos::parallel_reduce("Tessera::attainable_residual::sum",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
                                exec, 0, static_cast<Ordinal>(magnitudes.extent(0))),
                            SquaredSizes<Scalar, ExecutionSpace>{b, magnitudes}, squares);
    return std::numeric_limits<Scalar>::epsilon() * std::sqrt(sum_over_ranks<ExecutionSpace>(a, squares));
  } else {
    return 0;
  }
}

} // namespace detail

/// ε ‖|A||x| + |b|‖₂: about what is left of b − A x where x is the exact solution rounded to its scalar, and
/// hence the smallest residual that an iteration attains (W. Oettli and W. Prager, "Compatibility of
/// approximate solution of linear equations with given error bounds", 1964). One product.
template <class ExecutionSpace, class A, class Rhs, class Solution>
  requires(AbsoluteOperator<A, ExecutionSpace, typename Solution::non_const_value_type>)
double attainable_residual(const ExecutionSpace& exec, const A& a, const Rhs& b, const Solution& x) {
  using Vector = Kokkos::View<typename Solution::non_const_value_type*, ExecutionSpace>;
  return detail::attainable_residual(
      exec, a, b, Vector(x), allocate<Vector>(exec, "Tessera::attainable_residual::magnitudes", a.rows()));
}

} // namespace tessera::solvers

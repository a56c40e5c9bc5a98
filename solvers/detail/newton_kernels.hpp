// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels of Newton's method, over all degrees of freedom.

#include <tessera/core/space/equations.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

/// Squares of a - b, or of a where there is no b.
template <class ExecutionSpace>
struct SumOfSquares {
  Kokkos::View<const double*, ExecutionSpace> a, b;
  KOKKOS_FUNCTION void operator()(Ordinal i, double& sum) const {
    const double x = b.extent(0) == 0 ? a(i) : a(i) - b(i);
    sum += x * x;
  }
};

/// Distances to the prescribed values, which linear components that follow from corners have not.
template <class ExecutionSpace>
struct ConstraintGap {
  Kokkos::View<const double*, ExecutionSpace> u;
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION void operator()(Ordinal dof, double& sum) const {
    const Ordinal node = dof / equations.components;
    const int c = dof % equations.components;
    if (equations.is_constrained(node, c) && !equations.follows(node, c))
      sum += Kokkos::abs(u(dof) - equations.prescribed(dof));
  }
};

/// Whether a degree of freedom has an equation, and which.
template <class ExecutionSpace>
struct EquationOf {
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION bool constrained(Ordinal dof) const {
    return equations.is_constrained(dof / equations.components, dof % equations.components);
  }
  KOKKOS_FUNCTION bool exists(Ordinal dof) const { return !equations.removed || !constrained(dof); }
  KOKKOS_FUNCTION Ordinal operator()(Ordinal dof) const {
    return equations.equation(dof / equations.components, dof % equations.components);
  }
};

template <class ExecutionSpace>
struct ToEquations {
  EquationOf<ExecutionSpace> equation;
  Kokkos::View<const double*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> x;
  KOKKOS_FUNCTION void operator()(Ordinal dof) const {
    if (equation.exists(dof)) x(equation(dof)) = u(dof);
  }
};

/// Rows that keep a constrained degree of freedom stay zero.
template <class ExecutionSpace>
struct NegativeResidual {
  EquationOf<ExecutionSpace> equation;
  Kokkos::View<const double*, ExecutionSpace> r;
  Kokkos::View<double*, ExecutionSpace> rhs;
  KOKKOS_FUNCTION void operator()(Ordinal dof) const {
    if (!equation.constrained(dof)) rhs(equation(dof)) = -r(dof);
  }
};

template <class ExecutionSpace>
struct Subtract {
  Kokkos::View<const double*, ExecutionSpace> x;
  Kokkos::View<double*, ExecutionSpace> from;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { from(i) -= x(i); }
};

/// u plus the step, and the prescribed values.
template <class ExecutionSpace>
struct NextState {
  EquationOf<ExecutionSpace> equation;
  Kokkos::View<const double*, ExecutionSpace> u, step;
  Kokkos::View<double*, ExecutionSpace> next;
  KOKKOS_FUNCTION void operator()(Ordinal dof) const {
    next(dof) = equation.constrained(dof) ? equation.equations.prescribed(dof) : u(dof) + step(equation(dof));
  }
};

/// A fraction of the way; all of it exactly.
template <class ExecutionSpace>
struct Between {
  Kokkos::View<const double*, ExecutionSpace> u, next;
  double fraction;
  Kokkos::View<double*, ExecutionSpace> trial;
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    trial(i) = fraction == 1 ? next(i) : u(i) + fraction * (next(i) - u(i));
  }
};

} // namespace tessera::solvers::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The linear solver of Newton's method unless the application brings its own.

#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <cstdio>
#include <string>

namespace tessera::solvers {

/// Conjugate gradients for symmetric Jacobians, BiCGStab for others, with Jacobi's preconditioner: the linear
/// solver of `Newton::solve` unless the application brings its own. Where conjugate gradients refuse a
/// symmetric Jacobian, which is indefinite beyond a point of buckling, under compression say, BiCGStab solves
/// with it.
template <bool Symmetric>
struct KrylovWithJacobi {
  CgOptions options{.relative_tolerance = 1e-10};
  /// A solution with a residual up to this share of the right-hand side makes a step, whatever the tolerance:
  /// Newton's method judges it by the step's own residual.
  double enough = 1e-2;

  /// \throws SolverError if the residual stays above `enough`, besides the solvers' own
  template <class ExecutionSpace, class Solution>
  CgResult operator()(const ExecutionSpace& exec, const LinearSystem<double, ExecutionSpace>& system,
                      const Solution& x) const {
    const auto graph = require_rows(exec, Symmetric ? "cg" : "bicgstab", system.graph());
    const CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
    const Jacobi<double, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
    return (*this)(exec, matrix, jacobi, system.rhs(), x);
  }
  /// The same methods by the application's operator and preconditioner.
  template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
  CgResult operator()(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                      const Solution& x) const {
    const CgResult result = solve(exec, a, m, b, x);
    if (!result.converged() && !(result.true_residual <= enough * result.rhs_norm)) {
      char numbers[96];
      std::snprintf(numbers, sizeof numbers,
                    "%d iterations leave a residual of %.1e, relative to |b|: ", result.iterations,
                    result.true_residual / result.rhs_norm);
      throw SolverError(numbers + to_string(result.reason));
    }
    return result;
  }

private:
  template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
  CgResult solve(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                 const Solution& x) const {
    if constexpr (Symmetric) {
      try {
        return cg(exec, a, m, b, x, options);
      } catch (const SolverError& refusal) {
        try {
          return bicgstab(exec, a, m, b, x, options);
        } catch (const SolverError& failure) {
          throw SolverError(std::string(refusal.what()) + "; " + failure.what());
        }
      }
    } else {
      return bicgstab(exec, a, m, b, x, options);
    }
  }
};

} // namespace tessera::solvers

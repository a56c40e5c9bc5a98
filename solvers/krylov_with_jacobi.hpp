// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The linear solver of Newton's method unless the application brings its own.

#include <tessera/core/error.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/solve.hpp>

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
  template <class System, class Solution, class ExecutionSpace>
  CgResult operator()(const ExecutionSpace& exec, const System& system, const Solution& x) const {
    const CgResult result = solve(exec, system, x);
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
  template <class System, class Solution, class ExecutionSpace>
  CgResult solve(const ExecutionSpace& exec, const System& system, const Solution& x) const {
    if constexpr (Symmetric) {
      try {
        return cg(exec, system, x, options);
      } catch (const SolverError& refusal) {
        try {
          return bicgstab(exec, system, x, options);
        } catch (const SolverError& failure) {
          throw SolverError(std::string(refusal.what()) + "; " + failure.what());
        }
      }
    } else {
      return bicgstab(exec, system, x, options);
    }
  }
};

} // namespace tessera::solvers

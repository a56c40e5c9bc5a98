// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What conjugate gradients are asked for, and how they went.

#include <optional>
#include <string>
#include <vector>

namespace tessera::solvers {

/// When conjugate gradients stop: at ‖b − A x‖₂ <= max(relative_tolerance · ‖b‖₂, absolute_tolerance).
struct CgOptions {
  static constexpr double default_tolerance = 1e-8;
  /// Up to it a residual is a solution to rounding where no tolerance was asked for, relative to ‖b‖₂.
  static constexpr double largest_rounding = 1e-4;

  /// In 0 … 1 without 1, relative to the right-hand side; to the first residual if the right-hand side is
  /// zero. Not set, it is `default_tolerance`, or what rounding allows (`CgResult::attainable`) where that is
  /// more and at most `largest_rounding`.
  std::optional<double> relative_tolerance = std::nullopt;
  /// >= 0, in the units of the right-hand side.
  double absolute_tolerance = 0;
  /// >= 0.
  int max_iterations = 10000;
  /// >= 0: ends an iteration that has found no smaller residual in so many iterations; 0: none is ended so.
  int max_stalled = 0;

  double relative() const { return relative_tolerance.value_or(default_tolerance); }
};

/// Why an iteration stopped.
enum class StopReason {
  relative_tolerance,
  absolute_tolerance,
  /// `attainable`, the smallest residual that rounding allows, is above the default tolerance.
  rounding,
  max_iterations,
  /// No smaller residual in `CgOptions::max_stalled` iterations.
  stalled,
  /// The residual that the iteration carries along went on to fall, and b − A x did not, not even restarted
  /// from it: the tolerance is below what rounding allows for this matrix, which may be singular.
  stagnated
};

/// "relative tolerance reached" and so on.
inline std::string to_string(StopReason reason) {
  switch (reason) {
  case StopReason::relative_tolerance:
    return "relative tolerance reached";
  case StopReason::absolute_tolerance:
    return "absolute tolerance reached";
  case StopReason::rounding:
    return "solved to rounding, which allows no smaller residual";
  case StopReason::stalled:
    return "stalled: the residual falls no more";
  case StopReason::max_iterations:
    return "maximum number of iterations reached";
  case StopReason::stagnated:
    return "stagnated: rounding keeps b - Ax above the tolerance";
  }
  return "unknown reason";
}

/// How an iteration went. All norms are Euclidean.
struct CgResult {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;
  /// How often the iteration began anew from b − A x, because the residual that it carries had left it.
  int restarts = 0;
  /// ‖b − A x‖ of the first guess.
  double initial_residual = 0;
  /// Norm of the residual that the iteration carries along.
  double residual = 0;
  /// ‖b − A x‖ of the solution, computed anew: what decides.
  double true_residual = 0;
  /// ‖b‖.
  double rhs_norm = 0;
  /// What rounding leaves of the residual of an exact solution, ε ‖|A||x| + |b|‖ (W. Oettli and W. Prager
  /// 1964); 0 where it was not asked for, as the tolerance was reached, or the operator is no
  /// `AbsoluteOperator`.
  double attainable = 0;
  /// Extreme eigenvalues of M⁻¹A, A's in the preconditioner's scaling, as far as the right-hand side has a
  /// share in them: by the iteration's own coefficients. 0 without an iteration, and by bicgstab.
  double smallest_eigenvalue = 0, largest_eigenvalue = 0;
  /// √(rᵀM⁻¹r) of the true residual r, and √(xᵀMx) of what was added to the first guess.
  double preconditioned_residual = 0, solution_norm = 0;
  /// Norm of the carried residual before each iteration and after the last. Extent: iterations + 1. After a
  /// restart it is that of b − A x.
  std::vector<double> history;

  bool converged() const {
    return reason == StopReason::relative_tolerance || reason == StopReason::absolute_tolerance ||
           reason == StopReason::rounding;
  }
  /// Condition number of M⁻¹A.
  double condition() const { return smallest_eigenvalue > 0 ? largest_eigenvalue / smallest_eigenvalue : 0; }
  /// Bound of the relative error √(eᵀMe / xᵀMx) that the residual leaves in the solution, over the smallest
  /// eigenvalue; rounding of the matrix's entries is not in it. 0 without an iteration.
  double relative_error() const {
    if (!(smallest_eigenvalue > 0 && solution_norm > 0)) return 0;
    return preconditioned_residual / (smallest_eigenvalue * solution_norm);
  }
};

} // namespace tessera::solvers

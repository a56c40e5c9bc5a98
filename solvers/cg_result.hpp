#pragma once

/// \file
/// What conjugate gradients are asked for, and how they went.

#include <string>
#include <vector>

namespace tessera::solvers {

/// When conjugate gradients stop: at ‖b − A x‖₂ <= max(relative_tolerance · ‖b‖₂, absolute_tolerance).
struct CgOptions {
  /// >= 0, relative to the right-hand side; to the first residual if the right-hand side is zero.
  double relative_tolerance = 1e-8;
  /// >= 0, in the units of the right-hand side.
  double absolute_tolerance = 0;
  /// >= 0.
  int max_iterations = 10000;
};

/// Why an iteration stopped.
enum class StopReason {
  relative_tolerance,
  absolute_tolerance,
  max_iterations,
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
  /// Norm of the carried residual before each iteration and after the last. Extent: iterations + 1. After a
  /// restart it is that of b − A x.
  std::vector<double> history;

  bool converged() const {
    return reason == StopReason::relative_tolerance || reason == StopReason::absolute_tolerance;
  }
};

} // namespace tessera::solvers

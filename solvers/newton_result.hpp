// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What Newton's method is asked for, and how it went.

#include <ostream>
#include <vector>

namespace tessera::solvers {

/// When Newton's method stops, and how it shortens steps.
struct NewtonOptions {
  double relative_tolerance = 1e-10; ///< of |r|, relative to the first residual under the constraints
  double absolute_tolerance = 0;     ///< of |r|
  double step_tolerance = 0;         ///< of |du|, relative to |u|
  int max_iterations = 30;
  double decrease = 1e-4; ///< a fraction s of a step is taken if |r| falls by the factor 1 - decrease * s
  int max_halvings = 20;  ///< of a step; 0 takes every whole step, whatever it does to |r|
  std::ostream* progress = nullptr; ///< a line after every iteration
};

/// One iteration.
struct NewtonIteration {
  double residual = 0; ///< |r| after it
  double step = 0;     ///< |du| of the whole step
  double fraction = 1; ///< of the step that was taken
  int linear_iterations = 0;
};

/// Why Newton's method stopped.
enum class NewtonStop {
  relative_tolerance,
  absolute_tolerance,
  step_tolerance,
  rounding, ///< the residual is what rounding leaves of a solution's: no step makes it smaller
  max_iterations
};

/// How Newton's method went. Norms are Euclidean, over all degrees of freedom.
struct NewtonResult {
  NewtonStop reason = NewtonStop::max_iterations;
  double initial_residual = 0; ///< |r| of the first state, before constraints act on it
  std::vector<NewtonIteration> history;

  bool converged() const { return reason != NewtonStop::max_iterations; }
  int iterations() const { return static_cast<int>(history.size()); }
  double residual() const { return history.empty() ? initial_residual : history.back().residual; }
};

} // namespace tessera::solvers

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The verdict on another library's iteration.

#include <tessera/distributed/krylov_result.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <cmath>
#include <limits>
#include <optional>

namespace tessera::distributed::detail {

/// A library's iteration with a verdict on b − A x: libraries judge by the residual that the iteration
/// carries along, which falls where b − A x does not. Where the two part, it begins anew from x, and stops as
/// `stagnated` where that does not halve b − A x.
///
/// An iteration of a library on all ranks has the members
///   double rhs_norm(), double residual_norm()   ‖b‖ and ‖b − A x‖
///   double attainable()                         what rounding leaves of ‖b − A x‖; 0 where it is not known
///   void keep(), void restore()                 x, and back to the x that was kept
///   bool iterate(double factor, int most, int& done)  from x until its residual has fallen by the factor;
///     adds its iterations to `done` and returns whether it is satisfied
class JudgedIteration {
public:
  JudgedIteration(const std::optional<double>& relative_tolerance, int max_iterations)
      : relative_tolerance_(relative_tolerance), max_iterations_(max_iterations) {}

  template <class Iteration>
  KrylovResult run(Iteration& iteration) {
    double residual = iteration.residual_norm();
    scale_ = iteration.rhs_norm();
    if (!(scale_ > 0)) scale_ = residual;
    while (!ended(iteration, residual)) {
      iteration.keep();
      const bool satisfied = iterate(iteration, residual);
      const double after = iteration.residual_norm();
      if (!(after < residual)) iteration.restore();
      const bool halved = after <= 0.5 * residual;
      residual = std::fmin(after, residual);
      if (!satisfied || !halved) {
        const bool more = result_.iterations < max_iterations_;
        if (!ended(iteration, residual) && more) result_.reason = solvers::StopReason::stagnated;
        break;
      }
    }
    result_.relative_residual = scale_ > 0 ? residual / scale_ : 0;
    return result_;
  }

private:
  double tolerance() const { return relative_tolerance_.value_or(solvers::CgOptions::default_tolerance); }

  /// Whether the residual is small enough, or no iteration is left.
  template <class Iteration>
  bool ended(Iteration& iteration, double residual) {
    if (residual <= tolerance() * scale_)
      result_.reason = solvers::StopReason::relative_tolerance;
    else if (is_rounding(iteration, residual))
      result_.reason = solvers::StopReason::rounding;
    else
      return result_.iterations >= max_iterations_;
    return result_.converged = true;
  }

  /// Whether no tolerance was asked for and the residual is what rounding leaves.
  template <class Iteration>
  bool is_rounding(Iteration& iteration, double residual) const {
    if (relative_tolerance_ || result_.iterations == 0 ||
        !(residual <= solvers::CgOptions::largest_rounding * scale_))
      return false;
    constexpr double predicted = 4; // within this factor
    return residual <= predicted * iteration.attainable();
  }

  template <class Iteration>
  bool iterate(Iteration& iteration, double residual) {
    // The library's tolerance is relative to the first residual; it does not see that a residual is rounding.
    const double aim = std::fmax(tolerance(), std::numeric_limits<double>::epsilon()) * scale_;
    return iteration.iterate(std::fmin(aim / residual, 0.5), max_iterations_ - result_.iterations,
                             result_.iterations);
  }

  std::optional<double> relative_tolerance_;
  int max_iterations_;
  double scale_ = 0;
  KrylovResult result_;
};

} // namespace tessera::distributed::detail

#pragma once

/// \file
/// When conjugate gradients stop, start anew or fail; shared by all that iterate that way.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>

namespace tessera::solvers::detail {

[[noreturn]] inline void cg_failed(int iteration, const std::string& quantity, double value,
                                   const std::string& meaning) {
  std::ostringstream message;
  message << "cg: iteration " << iteration << ": " << quantity << " = " << value << ": " << meaning;
  throw SolverError(message.str());
}

/// `value` must be a positive finite number, else the iteration cannot go on.
inline void require_positive(int iteration, const char* quantity, double value, const char* meaning) {
  if (!std::isfinite(value))
    cg_failed(iteration, quantity, value, "not finite; an entry is not, or the numbers overflow: scale them");
  if (value < 0) cg_failed(iteration, quantity, value, meaning);
  if (value < std::numeric_limits<double>::min())
    cg_failed(iteration, quantity, value,
              std::string("lost to underflow, so scale the numbers; or ") + meaning);
}

inline constexpr const char* matrix_indefinite =
    "the matrix is not symmetric positive definite; does it have enough essential constraints?";
inline constexpr const char* preconditioner_indefinite =
    "the preconditioner is not symmetric positive definite";

/// Throws ArgumentError unless the extents are equal and the options in their ranges.
inline void check_cg_arguments(std::size_t rows, std::size_t preconditioner_rows, std::size_t b_extent,
                               std::size_t x_extent, const CgOptions& options) {
  const auto check = [](const char* name, double value) {
    if (!(value >= 0 && std::isfinite(value)))
      throw ArgumentError(std::string("cg: ") + name + " must be finite and at least 0, got " +
                          std::to_string(value));
  };
  check("relative_tolerance", options.relative_tolerance);
  check("absolute_tolerance", options.absolute_tolerance);
  check("max_iterations", options.max_iterations);
  if (b_extent != rows || x_extent != rows || preconditioner_rows != rows)
    throw ArgumentError("cg: the matrix has " + std::to_string(rows) + " rows, but the preconditioner has " +
                        std::to_string(preconditioner_rows) + ", the right-hand side " +
                        std::to_string(b_extent) + " and the solution " + std::to_string(x_extent));
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError("cg: " + std::to_string(rows) + " rows do not fit 32-bit numbers");
}

/// Watches the Rayleigh quotients p·Ap / p·Mp for a matrix that is singular to working precision: there p·Ap
/// is the rounding of a zero, of either sign, and the solution grows without bound.
class CgCurvature {
public:
  /// \param smallest  smallest share of the largest quotient so far that is more than rounding.
  explicit CgCurvature(double smallest) : smallest_(smallest) {}

  /// p·Mp of the next direction p = z + β p, by z·Mp = 0 of the old p; of the first one with β = 0.
  void add(double rz, double beta) { pmp_ = rz + beta * beta * pmp_; }

  /// \throws SolverError if p·Ap is not positive and more than rounding.
  void check(int iteration, double pq) {
    require_positive(iteration, "p·Ap", pq, matrix_indefinite);
    const double quotient = pq / pmp_;
    largest_ = std::max(largest_, quotient);
    if (quotient > smallest_ * largest_) return;
    std::ostringstream meaning;
    meaning << "rounding beside the " << largest_
            << " of an earlier direction: the matrix is singular to working precision; does it have enough "
               "essential constraints?";
    cg_failed(iteration, "p·Ap / p·Mp", quotient, meaning.str());
  }

private:
  double smallest_;
  double largest_ = 0;
  double pmp_ = 0;
};

/// Rounding's share of p·Ap for `rows` rows, whose errors have random signs.
template <class Scalar>
double cg_rounding(std::size_t rows) {
  return std::numeric_limits<Scalar>::epsilon() /
         std::sqrt(static_cast<double>(std::max<std::size_t>(1, rows)));
}

/// What an iteration does next.
enum class CgNext { stop, go_on, restart };

/// Keeps the history and decides when to look at b − A x, and what follows from it.
///
/// The carried residual, updated by r −= α A p, leaves b − A x by the rounding of the updates (A. Greenbaum,
/// "Estimating the attainable accuracy of recursively computed residual methods", 1997), and falls below any
/// tolerance even where the matrix is singular. So it only says when to look. Where b − A x has followed it,
/// the iteration goes on; where it has not, it begins anew from b − A x; and where that has not halved since
/// the last such beginning, rounding has the last word.
class CgStopping {
public:
  /// \param rounding  of the numbers; carried residuals below this share of the first are not believed.
  /// \param result    its `initial_residual` and `rhs_norm` are known.
  /// \throws SolverError if one of them is not finite
  CgStopping(const CgOptions& options, double rounding, CgResult& result)
      : options_(options), relative_(options.relative_tolerance *
                                     (result.rhs_norm > 0 ? result.rhs_norm : result.initial_residual)),
        target_(std::max(relative_, options.absolute_tolerance)),
        aim_(std::max(target_, rounding * std::max(result.rhs_norm, result.initial_residual))) {
    check_norm("|b|", result.rhs_norm, "the right-hand side");
    check_norm("|b - Ax|", result.initial_residual, "the matrix or the first guess");
    add(result, result.initial_residual);
    result.true_residual = result.initial_residual;
  }

  /// Whether the first guess is good enough or no iteration allowed, else `restart`.
  CgNext begin(CgResult& result) const { return ended(result) ? CgNext::stop : CgNext::restart; }

  /// Takes the norm of the carried residual after `result.iterations` iterations.
  /// \throws SolverError if it is not finite
  void add(CgResult& result, double residual) const {
    if (!std::isfinite(residual))
      cg_failed(result.iterations, "|r|", residual,
                "the iteration diverged or met a number that is not finite");
    result.residual = residual;
    result.history.push_back(residual);
  }

  /// Whether it is time to compute b − A x.
  bool look(const CgResult& result) const {
    return result.residual <= aim_ || result.iterations >= options_.max_iterations;
  }

  /// Judges ‖b − A x‖; sets the reason if the iteration is to stop.
  CgNext judge(CgResult& result, double true_residual) {
    result.true_residual = true_residual;
    if (ended(result)) return CgNext::stop;
    if (true_residual <= 2 * result.residual) {
      aim_ = result.residual > target_ ? std::max(target_, 0.1 * result.residual) : 0.5 * result.residual;
      return CgNext::go_on;
    }
    if (!(true_residual <= 0.5 * restarted_from_)) {
      result.reason = StopReason::stagnated;
      return CgNext::stop;
    }
    restarted_from_ = true_residual;
    aim_ = std::max(target_, 0.1 * true_residual);
    ++result.restarts;
    result.residual = result.history.back() = true_residual;
    return CgNext::restart;
  }

private:
  static void check_norm(const char* quantity, double norm, const char* what) {
    if (!std::isfinite(norm))
      cg_failed(0, quantity, norm, std::string(what) + " is not finite, or so large that its square is not");
  }

  bool ended(CgResult& result) const {
    if (result.true_residual <= relative_)
      result.reason = StopReason::relative_tolerance;
    else if (result.true_residual <= options_.absolute_tolerance)
      result.reason = StopReason::absolute_tolerance;
    else if (result.iterations >= options_.max_iterations)
      result.reason = StopReason::max_iterations;
    else
      return false;
    return true;
  }

  CgOptions options_;
  double relative_, target_, aim_;
  double restarted_from_ = std::numeric_limits<double>::infinity();
};

/// The square of a norm below it, times a small tolerance's, may not be a normal number.
inline constexpr double smallest_norm = 1e-130;

/// Throws SolverError unless a right-hand side with such a norm is zero.
inline void check_lost(double largest_entry) {
  if (largest_entry > 0)
    cg_failed(0, "max |b|", largest_entry, "its square is lost to underflow; scale the right-hand side");
}

} // namespace tessera::solvers::detail

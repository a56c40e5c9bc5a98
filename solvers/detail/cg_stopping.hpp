// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// When conjugate gradients stop, start anew or fail; shared by all that iterate that way.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/detail/cg_spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>

namespace tessera::solvers::detail {

[[noreturn]] inline void solver_failed(const char* solver, int iteration, const std::string& quantity,
                                       double value, const std::string& meaning) {
  std::ostringstream message;
  message << solver << ": iteration " << iteration << ": " << quantity << " = " << value << ": " << meaning;
  throw SolverError(message.str());
}

[[noreturn]] inline void cg_failed(int iteration, const std::string& quantity, double value,
                                   const std::string& meaning) {
  solver_failed("cg", iteration, quantity, value, meaning);
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
inline void check_solver_arguments(const std::string& solver, std::size_t rows,
                                   std::size_t preconditioner_rows, std::size_t b_extent,
                                   std::size_t x_extent, const CgOptions& options) {
  const auto check = [&](const char* name, double value) {
    if (!(value >= 0 && std::isfinite(value)))
      throw ArgumentError(solver + ": " + name + " must be finite and at least 0, got " +
                          std::to_string(value));
  };
  check("relative_tolerance", options.relative());
  if (options.relative() >= 1)
    throw ArgumentError(solver + ": relative_tolerance must be below 1, which zero meets, got " +
                        std::to_string(options.relative()));
  check("absolute_tolerance", options.absolute_tolerance);
  check("max_iterations", options.max_iterations);
  check("max_stalled", options.max_stalled);
  if (b_extent != rows || x_extent != rows || preconditioner_rows != rows)
    throw ArgumentError(solver + ": the matrix has " + std::to_string(rows) +
                        " rows, but the preconditioner has " + std::to_string(preconditioner_rows) +
                        ", the right-hand side " + std::to_string(b_extent) + " and the solution " +
                        std::to_string(x_extent));
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError(solver + ": " + std::to_string(rows) + " rows do not fit 32-bit numbers");
}

/// Watches the Rayleigh quotients p·Ap / p·Mp for a matrix that is singular to working precision: there p·Ap
/// is the rounding of a zero, of either sign, and the solution grows without bound. Keeps the spectrum.
class CgCurvature {
public:
  /// \param smallest  smallest share of the largest quotient so far that is more than rounding.
  explicit CgCurvature(double smallest) : smallest_(smallest) {}

  /// The next direction is p = z + β p; the first one has β = 0.
  void add(double rz, double beta) {
    rz_ = rz;
    beta_ = beta;
  }

  /// \throws SolverError if p·Ap is not positive and more than rounding.
  void check(int iteration, double pq) {
    require_positive(iteration, "p·Ap", pq, matrix_indefinite);
    spectrum_.add(rz_, beta_, pq);
    const double quotient = pq / spectrum_.direction();
    largest_ = std::max(largest_, quotient);
    if (quotient > smallest_ * largest_) return;
    std::ostringstream meaning;
    meaning << "rounding beside the " << largest_
            << " of an earlier direction: the matrix is singular to working precision; does it have enough "
               "essential constraints?";
    cg_failed(iteration, "p·Ap / p·Mp", quotient, meaning.str());
  }

  /// Writes what the iteration has learnt of the matrix.
  void describe(CgResult& result) {
    if (result.iterations == 0) return;
    spectrum_.close();
    result.smallest_eigenvalue = spectrum_.smallest();
    result.largest_eigenvalue = spectrum_.largest();
    result.solution_norm = spectrum_.solution();
    // The carried residual before the last step tells how the preconditioner measures residuals.
    const double before = result.history[result.history.size() - 2];
    result.preconditioned_residual = before > 0 ? std::sqrt(rz_) / before * result.true_residual : 0;
  }

private:
  double smallest_;
  double largest_ = 0;
  double rz_ = 0, beta_ = 0;
  CgSpectrum spectrum_;
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
  /// \param solver    that messages name.
  /// \throws SolverError if one of them is not finite
  CgStopping(const CgOptions& options, double rounding, CgResult& result, const char* solver = "cg")
      : options_(options), solver_(solver),
        scale_(result.rhs_norm > 0 ? result.rhs_norm : result.initial_residual),
        relative_(options.relative() * scale_), target_(std::max(relative_, options.absolute_tolerance)),
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
  void add(CgResult& result, double residual) {
    if (!std::isfinite(residual))
      solver_failed(solver_, result.iterations, "|r|", residual,
                    "the iteration diverged or met a number that is not finite");
    result.residual = residual;
    result.history.push_back(residual);
    if (residual < smallest_ || result.iterations == 0) {
      smallest_ = residual;
      smallest_at_ = result.iterations;
    }
  }

  /// Whether it is time to compute b − A x.
  bool look(const CgResult& result) const {
    return result.residual <= aim_ || result.iterations >= options_.max_iterations || stalled(result);
  }

  /// Judges ‖b − A x‖; sets the reason if the iteration is to stop.
  /// \param attainable called for the residual that rounding leaves, 0 if that is not known, where the
  ///                   tolerance is not reached
  template <class Attainable>
  CgNext judge(CgResult& result, double true_residual, const Attainable& attainable) {
    result.true_residual = true_residual;
    if (reached(result)) return CgNext::stop;
    result.attainable = attainable();
    if (ended(result)) return CgNext::stop;
    if (is_rounding(result, 1)) return CgNext::stop;
    if (true_residual <= 2 * result.residual) {
      aim_ = result.residual > target_ ? std::max(target_, 0.1 * result.residual) : 0.5 * result.residual;
      return CgNext::go_on;
    }
    if (!(true_residual <= 0.5 * restarted_from_)) {
      constexpr double predicted = 4; // within this factor
      if (!is_rounding(result, predicted)) result.reason = StopReason::stagnated;
      return CgNext::stop;
    }
    restarted_from_ = true_residual;
    aim_ = std::max(target_, 0.1 * true_residual);
    ++result.restarts;
    result.residual = result.history.back() = true_residual;
    return CgNext::restart;
  }

private:
  void check_norm(const char* quantity, double norm, const char* what) const {
    if (!std::isfinite(norm))
      solver_failed(solver_, 0, quantity, norm,
                    std::string(what) + " is not finite, or so large that its square is not");
  }

  bool stalled(const CgResult& result) const {
    return options_.max_stalled > 0 && result.iterations - smallest_at_ >= options_.max_stalled;
  }

  /// Whether no tolerance was asked for and the residual is what rounding leaves, but for a factor.
  bool is_rounding(CgResult& result, double factor) const {
    if (options_.relative_tolerance || !(result.true_residual <= factor * result.attainable) ||
        !(result.true_residual <= CgOptions::largest_rounding * scale_))
      return false;
    result.reason = StopReason::rounding;
    return true;
  }

  bool reached(CgResult& result) const {
    if (result.true_residual <= relative_)
      result.reason = StopReason::relative_tolerance;
    else if (result.true_residual <= options_.absolute_tolerance)
      result.reason = StopReason::absolute_tolerance;
    else
      return false;
    return true;
  }

  bool ended(CgResult& result) const {
    if (reached(result)) return true;
    if (result.iterations >= options_.max_iterations)
      result.reason = StopReason::max_iterations;
    else if (stalled(result))
      result.reason = StopReason::stalled;
    else
      return false;
    return true;
  }

  CgOptions options_;
  const char* solver_;
  double scale_, relative_, target_, aim_;
  double smallest_ = 0;
  int smallest_at_ = 0; ///< the iteration
  double restarted_from_ = std::numeric_limits<double>::infinity();
};

/// The square of a norm below it, times a small tolerance's, may not be a normal number.
inline constexpr double smallest_norm = 1e-130;

/// Throws SolverError unless a right-hand side with such a norm is zero.
inline void check_lost(double largest_entry, const char* solver = "cg") {
  if (largest_entry > 0)
    solver_failed(solver, 0, "max |b|", largest_entry,
                  "its square is lost to underflow; scale the right-hand side");
}

} // namespace tessera::solvers::detail

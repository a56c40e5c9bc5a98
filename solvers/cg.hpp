#pragma once

/// \file
/// The preconditioned conjugate gradient method.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/cg_kernels.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::solvers {

/// When conjugate gradients stop: at ‖r‖₂ <= max(relative_tolerance · ‖b‖₂, absolute_tolerance), r = b − A x.
struct CgOptions {
  /// >= 0, relative to the right-hand side; to the first residual if the right-hand side is zero.
  double relative_tolerance = 1e-8;
  /// >= 0, in the units of the right-hand side.
  double absolute_tolerance = 0;
  /// >= 0.
  int max_iterations = 10000;
};

/// Why an iteration stopped.
enum class StopReason { relative_tolerance, absolute_tolerance, max_iterations };

/// "relative tolerance reached" and so on.
inline std::string to_string(StopReason reason) {
  switch (reason) {
  case StopReason::relative_tolerance:
    return "relative tolerance reached";
  case StopReason::absolute_tolerance:
    return "absolute tolerance reached";
  case StopReason::max_iterations:
    return "maximum number of iterations reached";
  }
  return "unknown reason";
}

/// How an iteration went. All norms are Euclidean.
struct CgResult {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;
  /// ‖b − A x‖ of the first guess.
  double initial_residual = 0;
  /// Norm of the residual that the iteration carries along.
  double residual = 0;
  /// ‖b − A x‖ of the solution, computed anew; above `residual` where rounding limits the accuracy.
  double true_residual = 0;
  /// Norm of the carried residual before each iteration and after the last. Extent: iterations + 1.
  std::vector<double> history;

  bool converged() const { return reason != StopReason::max_iterations; }
};

namespace detail {

[[noreturn]] inline void cg_failed(int iteration, const char* quantity, double value, const char* meaning) {
  std::ostringstream message;
  message << "cg: iteration " << iteration << ": " << quantity << " = " << value << ": " << meaning;
  throw SolverError(message.str());
}

/// `value` must be a positive finite number, else the iteration cannot go on.
inline void require_positive(int iteration, const char* quantity, double value, const char* meaning) {
  if (!std::isfinite(value))
    cg_failed(iteration, quantity, value, "not finite; look for entries that are not");
  if (value <= 0) cg_failed(iteration, quantity, value, meaning);
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

  /// p·Mp of the next direction p = z + β p, by z·Mp = 0 of the old p.
  void add(double rz, double beta) { pmp_ = rz + beta * beta * pmp_; }

  /// \throws SolverError if p·Ap is not positive and more than rounding.
  void check(int iteration, double pq) {
    require_positive(iteration, "p·Ap", pq, matrix_indefinite);
    largest_ = std::max(largest_, pq / pmp_);
    if (pq / pmp_ <= smallest_ * largest_) cg_failed(iteration, "p·Ap", pq, matrix_indefinite);
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

/// Keeps the history and decides when to stop.
class CgStopping {
public:
  /// \throws SolverError if a norm is not finite.
  CgStopping(const CgOptions& options, double b_norm, CgResult& result)
      : options_(options),
        relative_(options.relative_tolerance * (b_norm > 0 ? b_norm : result.initial_residual)) {
    if (!std::isfinite(b_norm)) cg_failed(0, "|b|", b_norm, "the right-hand side is not finite");
    if (!std::isfinite(result.initial_residual))
      cg_failed(0, "|b - Ax|", result.initial_residual, "the matrix or the first guess is not finite");
    add(result, result.initial_residual);
  }

  /// Takes the norm of the residual after `result.iterations` iterations.
  void add(CgResult& result, double residual) const {
    if (!std::isfinite(residual))
      cg_failed(result.iterations, "|r|", residual,
                "the iteration diverged or met a number that is not finite");
    result.residual = residual;
    result.history.push_back(residual);
  }

  /// True once the iteration is to stop; sets the reason.
  bool met(CgResult& result) const {
    if (result.residual <= relative_)
      result.reason = StopReason::relative_tolerance;
    else if (result.residual <= options_.absolute_tolerance)
      result.reason = StopReason::absolute_tolerance;
    else
      return result.iterations >= options_.max_iterations;
    return true;
  }

private:
  CgOptions options_;
  double relative_;
};

} // namespace detail

/// Solves A x = b for a symmetric positive definite A by preconditioned conjugate gradients (M. R. Hestenes
/// and E. Stiefel 1952; Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., algorithm 9.1).
///
/// \param exec            instance that runs everything; the call returns after it has ended.
/// \param a               the operator, see `Operator`.
/// \param preconditioner  symmetric positive definite, its `apply` gives M⁻¹ r. One that models
///                        `DiagonalPreconditioner` is fused with the vector updates.
/// \param b               right-hand side, `a.rows()` entries in memory of the execution space.
/// \param x               first guess on entry, solution on return; unchanged if the call throws.
/// \param options         when to stop.
/// \throws ArgumentError if extents or options do not fit.
/// \throws SolverError naming the iteration if p·Ap or r·M⁻¹r is not positive (the matrix or the
/// preconditioner is not
///         positive definite) or a norm is not finite.
///
/// Traffic of an iteration besides the operator: 11 vectors read and written with a diagonal preconditioner
/// and its diagonal twice, 13 and the preconditioner's with another. Memory: 4 vectors, 5 with another. All
/// sums are double. Reaching `max_iterations` is no error: see `CgResult::converged`.
template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult cg(const ExecutionSpace& exec, const A& a, const Preconditioner& preconditioner, const Rhs& b,
            const Solution& x, const CgOptions& options = {}) {
  static_assert(Kokkos::is_view_v<Rhs> && Kokkos::is_view_v<Solution> && Rhs::rank() == 1 &&
                    Solution::rank() == 1,
                "tessera::solvers::cg: b and x must be Kokkos views of rank 1.");
  using Scalar = typename Solution::non_const_value_type;
  static_assert(std::is_same_v<Scalar, typename Rhs::non_const_value_type>,
                "tessera::solvers::cg: b and x must have the same scalar.");
  static_assert(
      Operator<A, ExecutionSpace, Scalar> && Operator<Preconditioner, ExecutionSpace, Scalar>,
      "tessera::solvers::cg: the matrix and the preconditioner must model tessera::solvers::Operator.");
  using Kernels = detail::CgKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  constexpr bool diagonal = DiagonalPreconditioner<Preconditioner, ExecutionSpace, Scalar>;

  const Kokkos::Profiling::ScopedRegion region("Tessera::Cg::solve");
  const std::size_t rows = a.rows();
  detail::check_cg_arguments(rows, preconditioner.rows(), b.extent(0), x.extent(0), options);

  const auto vector = [&](const std::string& label, std::size_t extent) {
    return allocate<Vector>(exec, "Tessera::Cg::" + label, extent);
  };
  const Vector solution = vector("solution", rows), r = vector("r", rows), p = vector("p", rows),
               q = vector("q", rows), z = vector("z", diagonal ? 0 : rows);
  const typename Kernels::Range range(exec, 0, static_cast<Ordinal>(rows));
  const auto scaling = [&] {
    if constexpr (diagonal)
      return typename Kernels::template Scaled<Preconditioner>{preconditioner};
    else
      return typename Kernels::Stored{z};
  }();
  const auto update_scaling = [&] {
    if constexpr (diagonal)
      return scaling;
    else
      return typename Kernels::NoScaling{};
  }();
  using Scaling = std::remove_const_t<decltype(scaling)>;
  using UpdateScaling = std::remove_const_t<decltype(update_scaling)>;
  const auto residual = [&](double& bb) { // r = b − A x
    double rr = 0;
    a.apply(exec, solution, q);
    Kokkos::parallel_reduce("Tessera::Cg::residual", range, typename Kernels::Residual{b, q, r}, bb, rr);
    return std::sqrt(rr);
  };
  const auto dot = [&](const Vector& left, const Vector& right) {
    double sum = 0;
    Kokkos::parallel_reduce("Tessera::Cg::dot", range, typename Kernels::Dot{left, right}, sum);
    return sum;
  };
  const auto direction = [&](double beta, bool first) { // p = z + β p
    Kokkos::parallel_for(
        "Tessera::Cg::direction", range,
        typename Kernels::template Direction<Scaling>{scaling, r, p, static_cast<Scalar>(beta), first});
  };

  CgResult result;
  double bb = 0, rz = 0;
  Kokkos::deep_copy(exec, solution, x);
  result.initial_residual = residual(bb);
  const detail::CgStopping stopping(options, std::sqrt(bb), result);
  detail::CgCurvature curvature(detail::cg_rounding<Scalar>(rows));
  bool done = stopping.met(result);
  if (!done) {
    if constexpr (!diagonal) preconditioner.apply(exec, r, z);
    direction(0, true);
    rz = dot(r, p);
    detail::require_positive(0, "r·M⁻¹r", rz, detail::preconditioner_indefinite);
    curvature.add(rz, 0);
  }
  while (!done) {
    ++result.iterations;
    a.apply(exec, p, q); // q = A p
    const double pq = dot(p, q);
    curvature.check(result.iterations, pq);
    double rr = 0, rz_new = 0;
    Kokkos::parallel_reduce("Tessera::Cg::update", range,
                            typename Kernels::template Update<UpdateScaling>{update_scaling, p, q, solution,
                                                                             r, static_cast<Scalar>(rz / pq)},
                            rr, rz_new);
    stopping.add(result, std::sqrt(rr));
    done = stopping.met(result);
    if (done) break;
    if constexpr (!diagonal) {
      preconditioner.apply(exec, r, z);
      rz_new = dot(r, z);
    }
    detail::require_positive(result.iterations, "r·M⁻¹r", rz_new, detail::preconditioner_indefinite);
    direction(rz_new / rz, false);
    curvature.add(rz_new, rz_new / rz);
    rz = rz_new;
  }
  result.true_residual = result.iterations == 0 ? result.initial_residual : residual(bb);
  Kokkos::deep_copy(exec, x, solution);
  exec.fence("Tessera::Cg::cg");
  return result;
}

/// Conjugate gradients without a preconditioner.
template <class ExecutionSpace, class A, class Rhs, class Solution>
  requires(Kokkos::is_view_v<Rhs>)
CgResult cg(const ExecutionSpace& exec, const A& a, const Rhs& b, const Solution& x,
            const CgOptions& options = {}) {
  using Scalar = typename Solution::non_const_value_type;
  return cg(exec, a, Identity<Scalar, ExecutionSpace>(a.rows()), b, x, options);
}

} // namespace tessera::solvers

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The preconditioned conjugate gradient method.

#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/detail/best_iterate.hpp>
#include <tessera/solvers/detail/cg_iteration.hpp>
#include <tessera/solvers/detail/cg_stopping.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace tessera::solvers {

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
///         preconditioner is not positive definite), p·Ap is no more than rounding (the matrix is singular)
///         or a number is not finite.
///
/// The verdict rests on b − A x: it is computed when the residual that the iteration carries has reached the
/// tolerance, once as a rule. Where it has not followed, the iteration begins anew from it, and stops as
/// `stagnated` where that does not halve it, or as `rounding`, see `CgOptions::relative_tolerance`. Reaching
/// `max_iterations`, stagnating or stalling is no error, see `CgResult::converged`; x is then the last
/// iterate, or for the latter two the one with the smallest b − A x that was computed, the first guess
/// included.
///
/// Traffic of an iteration besides the operator: 10 vectors read and written with a diagonal preconditioner
/// and its diagonal twice, 12 and the preconditioner's with another; 2 fewer where a `GatedPreconditioner`
/// hands over its result. Memory: 4 vectors, 5 with a preconditioner that has neither diagonal nor gate. All
/// sums are double. They stay in memory of the execution space; the host waits for them once an iteration,
/// which decides whether it is the last.
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
  const Kokkos::Profiling::ScopedRegion region("Tessera::Cg::solve");
  detail::check_solver_arguments("cg", a.rows(), preconditioner.rows(), b.extent(0), x.extent(0), options);
  detail::CgIteration<Scalar, ExecutionSpace, A, Preconditioner> iteration(exec, a, preconditioner, b);
  CgResult result;
  iteration.begin(x, result);
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result);
  detail::CgCurvature curvature(detail::cg_rounding<Scalar>(a.rows()));
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual);
  auto next = stopping.begin(result);
  while (next != detail::CgNext::stop) { // from r = b − A x
    iteration.first_direction();
    double rz = 0; // of the iteration before
    while (true) {
      const detail::CgFound found = iteration.next_residual();
      detail::require_positive(result.iterations, "r·M⁻¹r", found.rz_before,
                               detail::preconditioner_indefinite);
      curvature.add(found.rz_before, rz > 0 ? found.rz_before / rz : 0);
      rz = found.rz_before;
      ++result.iterations;
      curvature.check(result.iterations, found.pq);
      stopping.add(result, std::sqrt(found.rr));
      const bool look = stopping.look(result);
      if (look) {
        iteration.step();
        next = stopping.judge(result, iteration.true_residual(), [&] {
          return detail::attainable_residual(exec, a, b, iteration.solution, iteration.q);
        });
        if (next != detail::CgNext::stop)
          detail::on_all_ranks<ExecutionSpace>(
              a, [&] { best.keep(exec, iteration.solution, result.true_residual); });
        if (next == detail::CgNext::restart) iteration.take_residual();
        if (next != detail::CgNext::go_on) break;
      }
      iteration.direction(look);
    }
  }
  curvature.describe(result);
  best.give(exec, iteration.solution, x, result);
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

#pragma once

/// \file
/// The preconditioned conjugate gradient method.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/detail/best_iterate.hpp>
#include <tessera/solvers/detail/cg_kernels.hpp>
#include <tessera/solvers/detail/cg_stopping.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
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
  using Kernels = detail::CgKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  constexpr bool diagonal = DiagonalPreconditioner<Preconditioner, ExecutionSpace, Scalar>;
  constexpr bool gated = GatedPreconditioner<Preconditioner, ExecutionSpace, Scalar>;

  const Kokkos::Profiling::ScopedRegion region("Tessera::Cg::solve");
  const std::size_t rows = a.rows();
  detail::check_solver_arguments("cg", rows, preconditioner.rows(), b.extent(0), x.extent(0), options);

  // One allocation, which takes as long as a kernel; vectors begin at whole lines.
  constexpr std::size_t line = 256 / sizeof(Scalar);
  const std::size_t length = (rows + line - 1) / line * line;
  const auto memory = allocate<Vector>(exec, "Tessera::Cg::vectors", (diagonal || gated ? 4 : 5) * length);
  const auto vector = [&](std::size_t number) -> Vector {
    return Kokkos::subview(memory, Kokkos::pair(number * length, number * length + rows));
  };
  const Vector solution = vector(0), r = vector(1), p = vector(2), q = vector(3),
               z = diagonal || gated ? Vector() : vector(4);
  const typename Kernels::Range range(exec, 0, static_cast<Ordinal>(rows));
  const auto scaling = [&] {
    if constexpr (diagonal)
      return typename Kernels::template Scaled<Preconditioner>{preconditioner};
    else if constexpr (gated)
      return typename Kernels::template Given<decltype(preconditioner.gate())>{preconditioner.gate()};
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
  detail::CgScalars<ExecutionSpace> sums(exec);
  const auto sum = [&](const char* label, const auto& kernel, auto&& result) {
    detail::sum_rows<double>(exec, label, range.end(), kernel, result);
  };
  // Of q = A x: the residual r = b − q and its norm, or the norm alone, which leaves r to the iteration.
  const auto take_residual = [&] {
    double rr = 0;
    sum("Tessera::Cg::residual", typename Kernels::Residual{b, q, r}, rr);
    return std::sqrt(rr);
  };
  const auto true_residual = [&] {
    double rr = 0;
    a.apply(exec, solution, q);
    sum("Tessera::Cg::true_residual", typename Kernels::ResidualNorm{b, q}, rr);
    return std::sqrt(rr);
  };
  const auto dot = [&](const Vector& left, const Vector& right, const DeviceScalar<ExecutionSpace>& result) {
    sum("Tessera::Cg::dot", typename Kernels::Dot{left, right}, result);
  };
  const auto multiply = [&] { // q = A p and p·q
    if constexpr (DotOperator<A, ExecutionSpace, Scalar>) {
      a.apply_dot(exec, p, q, sums.pq());
    } else {
      a.apply(exec, p, q);
      dot(p, q, sums.pq());
    }
  };
  const auto alpha = [&] { return typename Kernels::Quotient(exec, sums.rz_before(), sums.pq()); };
  const auto update = [&] { // of r
    const typename Kernels::template ResidualSums<UpdateScaling> of_residual{update_scaling, r};
    const typename Kernels::template Update<UpdateScaling> next_residual{of_residual, q, alpha()};
    if constexpr (runs_on_host<ExecutionSpace>) {
      detail::sum_rows<detail::CgResidualSums>(exec, "Tessera::Cg::update", range.end(), next_residual,
                                               sums.residual());
    } else { // a sum within the update was slower than a pass of its own
      Kokkos::parallel_for("Tessera::Cg::update", range, next_residual);
      Kokkos::parallel_reduce("Tessera::Cg::residual_sums", range, of_residual, sums.residual());
    }
  };
  const auto step = [&] { // of x
    Kokkos::parallel_for("Tessera::Cg::step", range, typename Kernels::Step{p, solution, alpha()});
  };
  const auto precondition = [&] { // z = M⁻¹ r and r·z
    if constexpr (gated) {
      preconditioner.solve(exec, r, sums.rz());
    } else if constexpr (!diagonal) {
      preconditioner.apply(exec, r, z);
      dot(r, z, sums.rz());
    }
  };
  const auto first_direction = [&] { // p = z
    Kokkos::parallel_for("Tessera::Cg::direction", range,
                         typename Kernels::template FirstDirection<Scaling>{scaling, r, p});
  };
  const auto direction = [&](bool stepped) { // p = z + β p, and the step that p is read for anyway
    Kokkos::parallel_for(
        "Tessera::Cg::direction", range,
        typename Kernels::template Direction<Scaling>{
            scaling, r, p, solution, alpha(), {exec, sums.rz(), sums.rz_before()}, !stepped});
  };
  const auto largest_entry = [&](const Kokkos::View<const Scalar*, ExecutionSpace>& v) {
    double largest = 0;
    Kokkos::parallel_reduce("Tessera::Cg::largest_entry", range, typename Kernels::LargestEntry{v},
                            Kokkos::Max<double>(largest));
    return largest;
  };

  CgResult result;
  double bb = 0;
  Ordinal guessed = 0;
  Kokkos::deep_copy(exec, solution, x);
  Kokkos::parallel_reduce("Tessera::Cg::begin", range, typename Kernels::Begin{b, solution}, bb, guessed);
  result.rhs_norm = std::sqrt(bb);
  if (guessed == 0) { // a product less for the usual first guess
    Kokkos::deep_copy(exec, r, b);
    result.initial_residual = result.rhs_norm;
  } else {
    a.apply(exec, solution, q);
    result.initial_residual = take_residual();
  }
  if (result.rhs_norm < detail::smallest_norm) detail::check_lost(largest_entry(b));
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result);
  detail::CgCurvature curvature(detail::cg_rounding<Scalar>(rows));
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual);
  auto next = stopping.begin(result);
  while (next != detail::CgNext::stop) { // from r = b − A x
    precondition();
    first_direction();
    if constexpr (diagonal) dot(r, p, sums.rz());
    double rz = 0; // of the iteration before
    while (true) {
      sums.turn();
      multiply();
      update();
      const detail::CgFound found = sums.wait();
      detail::require_positive(result.iterations, "r·M⁻¹r", found.rz_before,
                               detail::preconditioner_indefinite);
      curvature.add(found.rz_before, rz > 0 ? found.rz_before / rz : 0);
      rz = found.rz_before;
      ++result.iterations;
      curvature.check(result.iterations, found.pq);
      stopping.add(result, std::sqrt(found.rr));
      const bool look = stopping.look(result);
      if (look) {
        step();
        next = stopping.judge(result, true_residual(),
                              [&] { return detail::attainable_residual(exec, a, b, solution, q); });
        if (next != detail::CgNext::stop) best.keep(exec, solution, result.true_residual);
        if (next == detail::CgNext::restart) {
          a.apply(exec, solution, q); // which has been room for |A| |x|
          take_residual();
        }
        if (next != detail::CgNext::go_on) break;
      }
      precondition();
      direction(look);
    }
  }
  curvature.describe(result);
  best.give(exec, solution, x, result);
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// BiCGStab, for matrices that are not symmetric.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/detail/krylov_vectors.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <limits>

namespace tessera::solvers {

namespace detail {

/// Vectors and numbers of an iteration that begins at r = b − A x.
template <class Scalar, class ExecutionSpace, class A, class Preconditioner>
struct BicgstabIteration : KrylovVectors<Scalar, ExecutionSpace, A> {
  using Base = KrylovVectors<Scalar, ExecutionSpace, A>;
  using Base::exec, Base::a, Base::solution, Base::vector, Base::dot, Base::combine;
  using typename Base::ConstVector, typename Base::Vector;

  const Preconditioner& m;
  Vector r, shadow, p, v, t, y, z;
  double rho = 1, alpha = 1, omega = 1;

  /// \throws OutOfMemoryError
  BicgstabIteration(const ExecutionSpace& instance, const A& matrix, const Preconditioner& preconditioner,
                    const ConstVector& rhs)
      : Base(instance, matrix, rhs), m(preconditioner), r(vector("r")), shadow(vector("shadow")),
        p(vector("p")), v(vector("v")), t(vector("t")), y(vector("y")), z(vector("z")) {}

  /// From r = b − A x.
  void begin_anew() {
    Kokkos::deep_copy(exec, shadow, r);
    Kokkos::deep_copy(exec, p, Scalar(0));
    Kokkos::deep_copy(exec, v, Scalar(0));
    rho = alpha = omega = 1;
  }
  /// The next solution and residual. \throws SolverError where the method breaks down
  void step(int iteration) {
    double rho_next = dot(shadow, r), beta = rho_next / rho * (alpha / omega);
    if (rho_next == 0 || !std::isfinite(beta)) { // r is orthogonal to r₀ and takes its place
      begin_anew();
      beta = rho_next = dot(shadow, r);
      if (rho_next == 0 || !std::isfinite(beta)) broken(iteration, "r₀·r", rho_next);
    }
    rho = rho_next;
    combine(-omega, v, 1, p);
    combine(1, r, beta, p); // p = r + β (p − ω v)
    m.apply(exec, p, y);
    a.apply(exec, y, v);
    const double shadow_v = dot(shadow, v);
    alpha = rho / shadow_v;
    if (!std::isfinite(alpha)) broken(iteration, "r₀·Ap", shadow_v);
    combine(-alpha, v, 1, r);
    m.apply(exec, r, z);
    a.apply(exec, z, t);
    const double tt = dot(t, t);
    omega = tt > 0 ? dot(t, r) / tt : 0;
    combine(alpha, y, 1, solution);
    combine(omega, z, 1, solution);
    combine(-omega, t, 1, r);
  }
  [[noreturn]] static void broken(int iteration, const char* quantity, double value) {
    solver_failed("bicgstab", iteration, quantity, value,
                  "the method breaks down, the matrix may be singular");
  }
};

} // namespace detail

/// Solves A x = b by BiCGStab with a preconditioner from the right (H. A. van der Vorst 1992).
///
/// \param a,m the matrix and the preconditioner, see `Operator`; m's `apply` gives M⁻¹ r
/// \param b,x right-hand side; first guess on entry, solution on return, unchanged if the call throws
/// \return as `cg`, eigenvalues excepted: the verdict rests on b − A x, from which the iteration begins anew
///   where the residual that it carries has left it; an iteration has two products with A. Residuals rise and
///   fall: without convergence x is an iterate whose b − A x is at most ten times the smallest, and the first
///   guess at worst
/// \throws ArgumentError if extents or options do not fit; SolverError naming the iteration where the method
///   breaks down or a norm is not finite
template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult bicgstab(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                  const Solution& x, const CgOptions& options = {}) {
  using Scalar = typename Solution::non_const_value_type;
  const Kokkos::Profiling::ScopedRegion region("Tessera::Bicgstab::solve");
  detail::check_solver_arguments("bicgstab", a.rows(), m.rows(), b.extent(0), x.extent(0), options);
  detail::BicgstabIteration<Scalar, ExecutionSpace, A, Preconditioner> iteration(exec, a, m, b);
  CgResult result;
  iteration.begin(x, iteration.r, result, "bicgstab");
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result, "bicgstab");
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual, detail::AtLimit::best);
  double looked_at = result.initial_residual;
  auto next = stopping.begin(result);
  while (next != detail::CgNext::stop) {
    iteration.begin_anew();
    do {
      iteration.step(++result.iterations);
      stopping.add(result, iteration.norm(iteration.r));
      next = detail::CgNext::go_on;
      if (stopping.look(result)) {
        next = stopping.judge(result, iteration.residual(iteration.y), [&] {
          return detail::attainable_residual(exec, a, b, iteration.solution, iteration.z);
        });
        if (next != detail::CgNext::stop)
          detail::on_all_ranks<ExecutionSpace>(
              a, [&] { best.keep(exec, iteration.solution, result.true_residual); });
        if (next == detail::CgNext::restart) Kokkos::deep_copy(exec, iteration.r, iteration.y);
      } else if (result.residual <= 0.1 * looked_at) { // worth a product and a copy
        looked_at = result.residual;
        detail::on_all_ranks<ExecutionSpace>(
            a, [&] { best.keep(exec, iteration.solution, iteration.residual(iteration.y)); });
      }
      if (next == detail::CgNext::go_on && iteration.omega == 0)
        iteration.broken(result.iterations, "ω", iteration.omega);
    } while (next == detail::CgNext::go_on);
  }
  best.give(exec, iteration.solution, x, result);
  exec.fence("Tessera::Bicgstab::bicgstab");
  return result;
}

/// The same for an assembled system, with Jacobi's preconditioner.
/// \throws also SolverError naming the first node that no element has (`require_rows`)
template <class Scalar, class ExecutionSpace, class Solution>
CgResult bicgstab(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system,
                  const Solution& x, const CgOptions& options = {}) {
  const auto graph = require_rows(exec, "bicgstab", system.graph());
  const CrsOperator<Scalar, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const Jacobi<Scalar, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  return bicgstab(exec, matrix, jacobi, system.rhs(), x, options);
}

} // namespace tessera::solvers

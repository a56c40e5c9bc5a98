#pragma once

/// \file
/// BiCGStab, for matrices that are not symmetric.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace tessera::solvers {

namespace detail {

template <class Scalar, class ExecutionSpace>
struct BicgstabKernels {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  struct Dot {
    Kokkos::View<const Scalar*, ExecutionSpace> a, b;
    KOKKOS_FUNCTION void operator()(Ordinal i, double& sum) const { sum += double(a(i)) * double(b(i)); }
  };
  /// y = a x + b y
  struct Combine {
    Scalar a;
    Kokkos::View<const Scalar*, ExecutionSpace> x;
    Scalar b;
    Vector y;
    KOKKOS_FUNCTION void operator()(Ordinal i) const { y(i) = a * x(i) + b * y(i); }
  };
};

/// Vectors and numbers of an iteration that begins at r = b − A x.
template <class Scalar, class ExecutionSpace, class A, class Preconditioner>
struct BicgstabIteration {
  using Kernels = BicgstabKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  const ExecutionSpace& exec;
  const A& a;
  const Preconditioner& m;
  ConstVector b;
  Vector solution, r, shadow, p, v, t, y, z;
  double rho = 1, alpha = 1, omega = 1;

  /// \throws OutOfMemoryError
  BicgstabIteration(const ExecutionSpace& instance, const A& matrix, const Preconditioner& preconditioner,
                    const ConstVector& rhs)
      : exec(instance), a(matrix), m(preconditioner), b(rhs), solution(vector("solution")), r(vector("r")),
        shadow(vector("shadow")), p(vector("p")), v(vector("v")), t(vector("t")), y(vector("y")),
        z(vector("z")) {}

  Vector vector(const char* label) const {
    return allocate<Vector>(exec, std::string("Tessera::Bicgstab::") + label, b.extent(0));
  }
  Kokkos::RangePolicy<ExecutionSpace> range() const {
    return contiguous(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(b.extent(0))));
  }
  double dot(const ConstVector& left, const ConstVector& right) const {
    double sum = 0;
    Kokkos::parallel_reduce("Tessera::Bicgstab::dot", range(), typename Kernels::Dot{left, right}, sum);
    return sum;
  }
  double norm(const ConstVector& of) const { return std::sqrt(dot(of, of)); }
  /// to = s from + keep to
  void combine(double s, const ConstVector& from, double keep, const Vector& to) const {
    Kokkos::parallel_for(
        "Tessera::Bicgstab::combine", range(),
        typename Kernels::Combine{static_cast<Scalar>(s), from, static_cast<Scalar>(keep), to});
  }
  /// to = b − A x, and its norm
  double residual(const Vector& to) const {
    a.apply(exec, solution, to);
    combine(1, b, -1, to);
    return norm(to);
  }

  /// From r = b − A x.
  void begin() {
    Kokkos::deep_copy(exec, shadow, r);
    Kokkos::deep_copy(exec, p, Scalar(0));
    Kokkos::deep_copy(exec, v, Scalar(0));
    rho = alpha = omega = 1;
  }
  /// The next solution and residual. \throws SolverError where the method breaks down
  void step(int iteration) {
    const double rho_next = dot(shadow, r), beta = rho_next / rho * (alpha / omega);
    if (rho_next == 0 || !std::isfinite(beta)) broken(iteration, "r₀·r", rho_next);
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

/// \throws SolverError where the square of the largest entry of `b` is lost to underflow
template <class Scalar, class ExecutionSpace>
void check_bicgstab_rhs(const ExecutionSpace& exec, const Kokkos::View<const Scalar*, ExecutionSpace>& b) {
  double largest = 0;
  Kokkos::parallel_reduce("Tessera::Bicgstab::largest_entry",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(b.extent(0))),
                          typename CgKernels<Scalar, ExecutionSpace>::LargestEntry{b},
                          Kokkos::Max<double>(largest));
  check_lost(largest, "bicgstab");
}

} // namespace detail

/// Solves A x = b by BiCGStab with a preconditioner from the right (H. A. van der Vorst 1992).
///
/// \param a,m the matrix and the preconditioner, see `Operator`; m's `apply` gives M⁻¹ r
/// \param b,x right-hand side; first guess on entry, solution on return, unchanged if the call throws
/// \return as `cg`, eigenvalues excepted: the verdict rests on b − A x, from which the iteration begins anew
///   where the residual that it carries has left it; an iteration has two products with A
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
  Kokkos::deep_copy(exec, iteration.solution, x);
  result.initial_residual = iteration.residual(iteration.r);
  result.rhs_norm = iteration.norm(b);
  if (result.rhs_norm < detail::smallest_norm)
    detail::check_bicgstab_rhs<Scalar, ExecutionSpace>(exec, iteration.b);
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result, "bicgstab");
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual);
  auto next = stopping.begin(result);
  while (next != detail::CgNext::stop) {
    iteration.begin();
    do {
      iteration.step(++result.iterations);
      stopping.add(result, iteration.norm(iteration.r));
      next = detail::CgNext::go_on;
      if (stopping.look(result)) {
        next = stopping.judge(result, iteration.residual(iteration.y), [&] {
          return detail::attainable_residual(exec, a, b, iteration.solution, iteration.z);
        });
        if (next != detail::CgNext::stop) best.keep(exec, iteration.solution, result.true_residual);
        if (next == detail::CgNext::restart) Kokkos::deep_copy(exec, iteration.r, iteration.y);
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
  const auto& graph = require_rows(exec, "bicgstab", system.graph());
  const CrsOperator<Scalar, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const Jacobi<Scalar, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  return bicgstab(exec, matrix, jacobi, system.rhs(), x, options);
}

} // namespace tessera::solvers

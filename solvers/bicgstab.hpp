#pragma once

/// \file
/// BiCGStab, for matrices that are not symmetric.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

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
  using Kernels = detail::BicgstabKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;
  const Kokkos::Profiling::ScopedRegion region("Tessera::Bicgstab::solve");
  const std::size_t rows = a.rows();
  detail::check_solver_arguments("bicgstab", rows, m.rows(), b.extent(0), x.extent(0), options);
  const Kokkos::RangePolicy<ExecutionSpace> range(exec, 0, static_cast<Ordinal>(rows));
  const auto vector = [&](const char* label) {
    return allocate<Vector>(exec, std::string("Tessera::Bicgstab::") + label, rows);
  };
  const Vector solution = vector("solution"), r = vector("r"), shadow = vector("shadow"), p = vector("p"),
               v = vector("v"), t = vector("t"), y = vector("y"), z = vector("z");
  const auto dot = [&](const ConstVector& left, const ConstVector& right) {
    double sum = 0;
    Kokkos::parallel_reduce("Tessera::Bicgstab::dot", range, typename Kernels::Dot{left, right}, sum);
    return sum;
  };
  const auto combine = [&](double s, const ConstVector& from, double keep, const Vector& to) {
    Kokkos::parallel_for(
        "Tessera::Bicgstab::combine", range,
        typename Kernels::Combine{static_cast<Scalar>(s), from, static_cast<Scalar>(keep), to});
  };
  const auto residual = [&](const Vector& to) { // b − A x
    a.apply(exec, solution, to);
    combine(1, b, -1, to);
    return std::sqrt(dot(to, to));
  };
  CgResult result;
  const auto broken = [&](const char* quantity, double value) {
    detail::solver_failed("bicgstab", result.iterations, quantity, value,
                          "the method breaks down, the matrix may be singular");
  };
  Kokkos::deep_copy(exec, solution, x);
  result.initial_residual = residual(r);
  result.rhs_norm = std::sqrt(dot(b, b));
  if (result.rhs_norm < detail::smallest_norm) {
    double largest = 0;
    Kokkos::parallel_reduce("Tessera::Bicgstab::largest_entry", range,
                            typename detail::CgKernels<Scalar, ExecutionSpace>::LargestEntry{b},
                            Kokkos::Max<double>(largest));
    detail::check_lost(largest, "bicgstab");
  }
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result, "bicgstab");
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual);
  auto next = stopping.begin(result);
  while (next != detail::CgNext::stop) { // from r = b − A x
    Kokkos::deep_copy(exec, shadow, r);
    Kokkos::deep_copy(exec, p, Scalar(0));
    Kokkos::deep_copy(exec, v, Scalar(0));
    double rho = 1, alpha = 1, omega = 1;
    do {
      ++result.iterations;
      const double rho_next = dot(shadow, r), beta = rho_next / rho * (alpha / omega);
      if (rho_next == 0 || !std::isfinite(beta)) broken("r₀·r", rho_next);
      rho = rho_next;
      combine(-omega, v, 1, p);
      combine(1, r, beta, p); // p = r + β (p − ω v)
      m.apply(exec, p, y);
      a.apply(exec, y, v);
      const double shadow_v = dot(shadow, v);
      alpha = rho / shadow_v;
      if (!std::isfinite(alpha)) broken("r₀·Ap", shadow_v);
      combine(-alpha, v, 1, r);
      m.apply(exec, r, z);
      a.apply(exec, z, t);
      const double tt = dot(t, t);
      omega = tt > 0 ? dot(t, r) / tt : 0;
      combine(alpha, y, 1, solution);
      combine(omega, z, 1, solution);
      combine(-omega, t, 1, r);
      stopping.add(result, std::sqrt(dot(r, r)));
      next = detail::CgNext::go_on;
      if (stopping.look(result)) {
        next = stopping.judge(result, residual(y),
                              [&] { return detail::attainable_residual(exec, a, b, solution, z); });
        if (next != detail::CgNext::stop) best.keep(exec, solution, result.true_residual);
        if (next == detail::CgNext::restart) Kokkos::deep_copy(exec, r, y);
      }
      if (next == detail::CgNext::go_on && omega == 0) broken("ω", omega);
    } while (next == detail::CgNext::go_on);
  }
  best.give(exec, solution, x, result);
  exec.fence("Tessera::Bicgstab::bicgstab");
  return result;
}

/// The same for an assembled system, with Jacobi's preconditioner.
template <class Scalar, class ExecutionSpace, class Solution>
CgResult bicgstab(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system,
                  const Solution& x, const CgOptions& options = {}) {
  const auto& graph = system.graph();
  const CrsOperator<Scalar, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const Jacobi<Scalar, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  return bicgstab(exec, matrix, jacobi, system.rhs(), x, options);
}

} // namespace tessera::solvers

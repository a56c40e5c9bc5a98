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
#include <string>

namespace tessera::solvers {

namespace detail {

template <class Scalar, class ExecutionSpace>
struct BicgstabKernels {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  struct Dot {
    Vector a, b;
    KOKKOS_FUNCTION void operator()(Ordinal i, double& sum) const { sum += double(a(i)) * double(b(i)); }
  };
  /// y = a x + b y
  struct Combine {
    Scalar a;
    Vector x;
    Scalar b;
    Vector y;
    KOKKOS_FUNCTION void operator()(Ordinal i) const { y(i) = a * x(i) + b * y(i); }
  };
};

} // namespace detail

/// Solves A x = b by BiCGStab with a preconditioner from the right (H. A. van der Vorst 1992).
///
/// \param a,m the matrix and the preconditioner, see `Operator`; m's `apply` gives M^-1 r
/// \param b,x right-hand side; first guess on entry, solution on return, unchanged if the call throws
/// \return as `cg`; an iteration has two products with A
/// \throws ArgumentError if extents do not fit; SolverError naming the iteration where the method breaks down
/// or
///   a norm is not finite
template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult bicgstab(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                  const Solution& x, const CgOptions& options = {}) {
  using Scalar = typename Solution::non_const_value_type;
  using Kernels = detail::BicgstabKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  const Kokkos::Profiling::ScopedRegion region("Tessera::Bicgstab::solve");
  const std::size_t rows = a.rows();
  detail::check_cg_arguments(rows, m.rows(), b.extent(0), x.extent(0), options);
  const Kokkos::RangePolicy<ExecutionSpace> range(exec, 0, static_cast<Ordinal>(rows));
  const auto vector = [&](const char* label) {
    return allocate<Vector>(exec, std::string("Tessera::Bicgstab::") + label, rows);
  };
  const Vector solution = vector("solution"), r = vector("r"), shadow = vector("shadow"), p = vector("p"),
               v = vector("v"), t = vector("t"), y = vector("y"), z = vector("z");
  const auto dot = [&](const Vector& left, const Vector& right) {
    double sum = 0;
    Kokkos::parallel_reduce("Tessera::Bicgstab::dot", range, typename Kernels::Dot{left, right}, sum);
    return sum;
  };
  const auto combine = [&](double s, const Vector& from, double keep, const Vector& to) {
    Kokkos::parallel_for(
        "Tessera::Bicgstab::combine", range,
        typename Kernels::Combine{static_cast<Scalar>(s), from, static_cast<Scalar>(keep), to});
  };
  const auto residual = [&](const Vector& to) {
    a.apply(exec, solution, to);
    Kokkos::deep_copy(exec, t, b);
    combine(1, t, -1, to);
    return std::sqrt(dot(to, to));
  };
  CgResult result;
  const auto broken = [&](const char* quantity, double value) {
    return SolverError("bicgstab: iteration " + std::to_string(result.iterations) + ": " + quantity + " = " +
                       std::to_string(value) + ": the method breaks down, the matrix may be singular");
  };
  Kokkos::deep_copy(exec, solution, x);
  result.initial_residual = residual(r);
  Kokkos::deep_copy(exec, t, b);
  const double b_norm = std::sqrt(dot(t, t));
  const double relative = options.relative_tolerance * (b_norm > 0 ? b_norm : result.initial_residual);
  const auto met = [&](double norm) {
    if (!std::isfinite(norm)) throw broken("|r|", norm);
    result.residual = norm;
    result.history.push_back(norm);
    if (norm <= relative)
      result.reason = StopReason::relative_tolerance;
    else if (norm <= options.absolute_tolerance)
      result.reason = StopReason::absolute_tolerance;
    else
      return result.iterations >= options.max_iterations;
    return true;
  };
  Kokkos::deep_copy(exec, shadow, r);
  Kokkos::deep_copy(exec, p, Scalar(0));
  Kokkos::deep_copy(exec, v, Scalar(0));
  double rho = 1, alpha = 1, omega = 1;
  bool done = met(result.initial_residual);
  while (!done) {
    ++result.iterations;
    const double next = dot(shadow, r), beta = next / rho * (alpha / omega);
    if (next == 0 || !std::isfinite(beta)) throw broken("r0.r", next);
    rho = next;
    combine(-omega, v, 1, p);
    combine(1, r, beta, p); // p = r + beta (p - omega v)
    m.apply(exec, p, y);
    a.apply(exec, y, v);
    alpha = rho / dot(shadow, v);
    if (!std::isfinite(alpha)) throw broken("r0.Ap", dot(shadow, v));
    combine(-alpha, v, 1, r);
    m.apply(exec, r, z);
    a.apply(exec, z, t);
    const double tt = dot(t, t);
    omega = tt > 0 ? dot(t, r) / tt : 0;
    combine(alpha, y, 1, solution);
    combine(omega, z, 1, solution);
    combine(-omega, t, 1, r);
    done = met(std::sqrt(dot(r, r)));
    if (!done && omega == 0) throw broken("omega", omega);
  }
  result.true_residual = result.iterations == 0 ? result.initial_residual : residual(r);
  Kokkos::deep_copy(exec, x, solution);
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

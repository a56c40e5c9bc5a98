// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// GMRES, for matrices that are not symmetric, or not definite.

#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/detail/best_iterate.hpp>
#include <tessera/solvers/detail/krylov_vectors.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/operator.hpp>
#include <tessera/solvers/require_rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers {

namespace detail {

/// A cycle from r = b − A x: an orthonormal basis of A M⁻¹'s Krylov space by modified Gram–Schmidt, twice
/// where once has cancelled, and the least squares problem on it by Givens' rotations.
/// \tparam flexible keeps M⁻¹ V, so that M⁻¹ may be another each time
template <bool flexible, class Scalar, class ExecutionSpace, class A, class Preconditioner>
struct GmresCycle : KrylovVectors<Scalar, ExecutionSpace, A> {
  using Base = KrylovVectors<Scalar, ExecutionSpace, A>;
  using Base::exec, Base::a, Base::solution, Base::vector, Base::dot, Base::norm, Base::combine;
  using typename Base::ConstVector, typename Base::Vector;
  static constexpr const char* name = flexible ? "flexible_gmres" : "gmres"; ///< in messages

  const Preconditioner& m;
  Vector r, z;
  std::vector<Vector> basis;                 ///< made as it grows, kept by the next cycles
  std::vector<Vector> directions;            ///< M⁻¹ basis, where flexible
  std::vector<std::vector<double>> triangle; ///< columns of R
  std::vector<double> cosines, sines, g;     ///< rotations, and what they make of ‖r‖ e₀

  /// \throws OutOfMemoryError
  GmresCycle(const ExecutionSpace& instance, const A& matrix, const Preconditioner& preconditioner,
             const ConstVector& rhs)
      : Base(instance, matrix, rhs), m(preconditioner), r(vector("r")), z(vector("z")) {}

  std::size_t length() const { return triangle.size(); }

  void add_to_basis(const Vector& v, double norm) {
    if (basis.size() == length()) basis.push_back(vector("basis"));
    Kokkos::deep_copy(exec, basis[length()], v);
    combine(0, v, 1 / norm, basis[length()]);
  }
  /// From r, which has this norm.
  void begin_anew(double residual) {
    triangle.clear();
    cosines.clear();
    sines.clear();
    g = {residual};
    add_to_basis(r, residual);
  }
  /// The norm of the residual on a space of one dimension more. \throws SolverError if a number is not finite
  double step(int iteration) {
    const std::size_t k = length();
    if (flexible && directions.size() == k) directions.push_back(vector("direction"));
    const Vector& direction = flexible ? directions[k] : z;
    m.apply(exec, basis[k], direction);
    a.apply(exec, direction, r);
    std::vector<double> column(k + 1, 0.0);
    const double before = norm(r);
    double left = before;
    for (int pass = 0; pass < 2 && (pass == 0 || left < 0.5 * before); ++pass) {
      for (std::size_t i = 0; i <= k; ++i) {
        const double h = dot(basis[i], r);
        combine(-h, basis[i], 1, r);
        column[i] += h;
      }
      left = norm(r);
    }
    if (!std::isfinite(left))
      solver_failed(name, iteration, "|A M⁻¹ v|", left, "the matrix or the preconditioner is not finite");
    for (std::size_t i = 0; i < k; ++i) {
      const double upper = column[i];
      column[i] = cosines[i] * upper + sines[i] * column[i + 1];
      column[i + 1] = cosines[i] * column[i + 1] - sines[i] * upper;
    }
    const double length_of = std::hypot(column[k], left);
    cosines.push_back(length_of > 0 ? column[k] / length_of : 1);
    sines.push_back(length_of > 0 ? left / length_of : 0);
    column[k] = length_of;
    triangle.push_back(std::move(column));
    g.push_back(-sines[k] * g[k]);
    g[k] *= cosines[k];
    if (left > 0) add_to_basis(r, left);
    return std::abs(g[k + 1]);
  }
  /// x += M⁻¹ V y of R y = g. \throws SolverError where R is singular
  void take(int iteration) {
    std::vector<double> y(length());
    for (std::size_t i = length(); i-- > 0;) {
      double sum = g[i];
      for (std::size_t j = i + 1; j < length(); ++j) sum -= triangle[j][i] * y[j];
      if (triangle[i][i] == 0)
        solver_failed(name, iteration, "R", 0, "the matrix or the preconditioner is singular");
      y[i] = sum / triangle[i][i];
    }
    if (flexible) {
      for (std::size_t i = 0; i < length(); ++i) combine(y[i], directions[i], 1, solution);
      return;
    }
    Kokkos::deep_copy(exec, r, Scalar(0));
    for (std::size_t i = 0; i < length(); ++i) combine(y[i], basis[i], 1, r);
    m.apply(exec, r, z);
    combine(1, z, 1, solution);
  }
};

/// `gmres` and `flexible_gmres`.
template <bool flexible, class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult run_gmres(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                   const Solution& x, const CgOptions& options, int cycle) {
  using Scalar = typename Solution::non_const_value_type;
  using Cycle = GmresCycle<flexible, Scalar, ExecutionSpace, A, Preconditioner>;
  const Kokkos::Profiling::ScopedRegion region("Tessera::Gmres::solve");
  check_solver_arguments(Cycle::name, a.rows(), m.rows(), b.extent(0), x.extent(0), options);
  if (cycle < 1)
    throw ArgumentError(std::string(Cycle::name) + ": cycle must be at least 1, got " +
                        std::to_string(cycle));
  Cycle iteration(exec, a, m, b);
  CgResult result;
  iteration.begin(x, iteration.r, result, Cycle::name);
  CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result, Cycle::name);
  BestIterate<Scalar, ExecutionSpace> best(result.initial_residual, AtLimit::best);
  auto next = stopping.begin(result);
  while (next != CgNext::stop) {
    const double before = result.true_residual;
    iteration.begin_anew(before);
    bool look = false;
    while (!look && iteration.length() < static_cast<std::size_t>(cycle)) {
      ++result.iterations;
      stopping.add(result, iteration.step(result.iterations));
      look = stopping.look(result);
    }
    iteration.take(result.iterations);
    result.true_residual = iteration.residual(iteration.r);
    if (look) {
      next = stopping.judge(result, result.true_residual,
                            [&] { return attainable_residual(exec, a, b, iteration.solution, iteration.z); });
    } else if (!(result.true_residual <= 0.99 * before)) {
      result.reason = StopReason::stalled;
      break;
    }
    if (next != CgNext::stop)
      on_all_ranks<ExecutionSpace>(a, [&] { best.keep(exec, iteration.solution, result.true_residual); });
  }
  best.give(exec, iteration.solution, x, result);
  exec.fence("Tessera::Gmres::gmres");
  return result;
}

} // namespace detail

/// Solves A x = b by GMRES with a preconditioner from the right, begun anew after `cycle` iterations (Y. Saad
/// and M. H. Schultz 1986; Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., algorithm 9.5).
/// Its residual never rises, where BiCGStab's may do anything; an iteration costs one product with A and, k
/// of them into a cycle, 2 k passes over vectors. With a factorisation of A as its preconditioner, see
/// `DirectSolver`, it is that direct solution, made better by what its residual asks for.
///
/// \param a,m   the matrix and the preconditioner, see `Operator`; m's `apply` gives M⁻¹ r.
/// \param b,x   right-hand side; first guess on entry, solution on return, unchanged if the call throws.
/// \param cycle iterations between restarts, >= 1. Memory: cycle + 5 vectors.
/// \return as `cg`, eigenvalues excepted. The verdict rests on b − A x. Reason `stalled`: a whole cycle has
///   taken less than 1 % of the residual.
/// \throws ArgumentError if extents, options or `cycle` do not fit; SolverError naming the iteration where
/// the
///   matrix or the preconditioner is singular or a number is not finite
template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult gmres(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
               const Solution& x, const CgOptions& options = {}, int cycle = 50) {
  return detail::run_gmres<false>(exec, a, m, b, x, options, cycle);
}

/// GMRES whose preconditioner may be another in each iteration (Saad, algorithm 9.6): an inner iteration, or
/// one in lower precision than the vectors, as `Multigrid` is. `gmres` takes such a one for linear; where it
/// needs many iterations it then finds that b − A x is larger than it has thought, and begins anew. Memory: 2
/// cycle + 5 vectors; an iteration costs what one of `gmres` does. All else is as there.
/// \throws as `gmres`
template <class ExecutionSpace, class A, class Preconditioner, class Rhs, class Solution>
CgResult flexible_gmres(const ExecutionSpace& exec, const A& a, const Preconditioner& m, const Rhs& b,
                        const Solution& x, const CgOptions& options = {}, int cycle = 50) {
  return detail::run_gmres<true>(exec, a, m, b, x, options, cycle);
}

/// `gmres` for an assembled system, with Jacobi's preconditioner.
/// \throws also SolverError naming the first node that no element has (`require_rows`)
template <class Scalar, class ExecutionSpace, class Solution>
CgResult gmres(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system,
               const Solution& x, const CgOptions& options = {}, int cycle = 50) {
  const auto graph = require_rows(exec, "gmres", system.graph());
  const CrsOperator<Scalar, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const Jacobi<Scalar, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  return gmres(exec, matrix, jacobi, system.rhs(), x, options, cycle);
}

} // namespace tessera::solvers

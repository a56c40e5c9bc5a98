// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How far a solution is from the exact one, entry by entry.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/detail/mixed.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace tessera::solvers {

/// What is known of a solution's error.
template <class Scalar, class ExecutionSpace>
struct SolutionError {
  /// An estimate of A⁻¹ b − x, an entry a row.
  Kokkos::View<Scalar*, ExecutionSpace> entries;
  /// Whether it accounts for every row of the residual, and for rounding. Else it is a part of the error.
  bool known = false;
  /// Of the solver that was called.
  int iterations = 0;
};

namespace detail {

/// Kernels of `SolutionError`, over rows.
template <class Scalar, class ExecutionSpace>
struct SolutionErrorKernels {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// −1 or 1, scattered, the same in every run.
  KOKKOS_FUNCTION static double scattered(Ordinal row) {
    return mixed(static_cast<std::uint64_t>(row)) >> 63 ? 1.0 : -1.0;
  }

  /// r = b − r + rounding ξ (size + |b|)
  struct Residual {
    ConstVector b, size;
    double rounding;
    Vector r;
    KOKKOS_FUNCTION void operator()(Ordinal row) const {
      const double of_row = static_cast<double>(size(row)) + Kokkos::abs(static_cast<double>(b(row)));
      r(row) = static_cast<Scalar>(static_cast<double>(b(row)) - static_cast<double>(r(row)) +
                                   rounding * scattered(row) * of_row);
    }
  };
  /// y += s x
  struct Add {
    Scalar s;
    ConstVector x;
    Vector y;
    KOKKOS_FUNCTION void operator()(Ordinal row) const { y(row) += s * x(row); }
  };
  /// to = |x| + |e| + least
  struct Sizes {
    ConstVector x, e;
    Scalar least;
    Vector to;
    KOKKOS_FUNCTION void operator()(Ordinal row) const {
      to(row) = Kokkos::abs(x(row)) + Kokkos::abs(e(row)) + least;
    }
  };
  struct Largest {
    ConstVector x;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& largest) const {
      largest = Kokkos::max(largest, static_cast<double>(Kokkos::abs(x(row))));
    }
  };
  /// Largest |r| / (size + |b|)
  struct BackwardError {
    ConstVector r, size, b;
    KOKKOS_FUNCTION void operator()(Ordinal row, double& largest) const {
      const double of_row = static_cast<double>(size(row)) + Kokkos::abs(static_cast<double>(b(row)));
      const double left = Kokkos::abs(static_cast<double>(r(row)));
      if (left > 0)
        largest = Kokkos::max(largest, of_row > 0 ? left / of_row : Kokkos::Experimental::infinity_v<double>);
    }
  };
};

/// One estimate: e, and what A e leaves of the residual r.
template <class ExecutionSpace, class A, class Scalar>
struct SolutionErrorIteration {
  using Kernels = SolutionErrorKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  using ConstVector = typename Kernels::ConstVector;
  /// Of the sum of a row, of whose terms each has been rounded more than once: assembled, and multiplied.
  static constexpr double rounding = 4 * std::numeric_limits<Scalar>::epsilon();
  /// Entries below this share of the largest are answered as if they were as large.
  static constexpr double least_share = 1e-2;

  const ExecutionSpace& exec;
  const A& a;
  ConstVector b, x;
  Vector e, r, change, work, size;

  /// \throws OutOfMemoryError
  SolutionErrorIteration(const ExecutionSpace& instance, const A& matrix, const ConstVector& rhs,
                         const ConstVector& solution)
      : exec(instance), a(matrix), b(rhs), x(solution), e(vector("error")), r(vector("residual")),
        change(vector("change")), work(vector("work")), size(vector("size")) {
    Kokkos::deep_copy(exec, e, Scalar(0));
    a.apply_absolute(exec, copy_of(x), size);
    a.apply(exec, work, r);
    for_all("Tessera::SolutionError::residual", typename Kernels::Residual{b, size, rounding, r});
  }

  Vector vector(const char* label) const {
    return allocate<Vector>(exec, std::string("Tessera::SolutionError::") + label, b.extent(0));
  }
  const Vector& copy_of(const ConstVector& from) const {
    Kokkos::deep_copy(exec, work, from);
    return work;
  }
  template <class Functor>
  void for_all(const char* label, const Functor& functor) const {
    Kokkos::parallel_for(label, range(), functor);
  }
  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> range() const {
    return {exec, 0, static_cast<Ordinal>(b.extent(0))};
  }
  double largest(const ConstVector& of) const {
    double found = 0;
    Kokkos::parallel_reduce("Tessera::SolutionError::largest", range(), typename Kernels::Largest{of},
                            Kokkos::Max<double>(found));
    return found;
  }

  /// e += change, r −= A change
  void take_change() const {
    for_all("Tessera::SolutionError::add", typename Kernels::Add{Scalar(1), change, e});
    a.apply(exec, change, work);
    for_all("Tessera::SolutionError::add", typename Kernels::Add{Scalar(-1), work, r});
  }
  /// Whether x + e answers every row to rounding.
  bool answers_every_row() const {
    const double least = least_share * (largest(x) + largest(e));
    for_all("Tessera::SolutionError::sizes", typename Kernels::Sizes{x, e, static_cast<Scalar>(least), work});
    a.apply_absolute(exec, work, size);
    double backward = 0;
    Kokkos::parallel_reduce("Tessera::SolutionError::backward_error", range(),
                            typename Kernels::BackwardError{r, size, b}, Kokkos::Max<double>(backward));
    return backward <= rounding;
  }
};

} // namespace detail

/// Estimates the error of a solution of A x = b, entry by entry, whatever solved it.
///
/// Solves A e = r for x's residual with rounding added to it, r = b − A x + 4 ε ξ (|A||x| + |b|) with ξ
/// scattered in −1 … 1, and goes on for what e leaves of r until x + e answers every row to rounding,
/// |b − A(x + e)| <= 4 ε (|A|(|x| + |e|) + |b|) (W. Oettli and W. Prager 1964), where entries of x count as
/// 1 % of the largest at least. So parts that are soft beside others have their say, which norms of a
/// residual and of an energy do not hear. x + e is the better solution unless e is rounding: iterative
/// refinement.
///
/// \param a      that knows its entries' sizes, a.rows() rows.
/// \param b,x    right-hand side and solution, `a.rows()` entries; not changed.
/// \param solve  `solve(r, e)` solves A e = r from e = 0 and returns a `CgResult`, as a rule by the solver,
/// the
///               preconditioner and the tolerance that x comes from; called once as a rule, four times at
///               most. What it throws goes on: a `SolverError` says that the matrix is singular to rounding.
/// \throws OutOfMemoryError
///
/// Memory: 5 vectors. Deterministic if `solve` is.
template <class ExecutionSpace, class A, class Rhs, class Solution, class Solve>
auto solution_error(const ExecutionSpace& exec, const A& a, const Rhs& b, const Solution& x,
                    const Solve& solve) {
  using Scalar = typename Solution::non_const_value_type;
  static_assert(
      AbsoluteOperator<A, ExecutionSpace, Scalar>,
      "tessera::solvers::solution_error: the matrix must model tessera::solvers::AbsoluteOperator.");
  static_assert(!OperatorOverRanks<A, ExecutionSpace>,
                "tessera::solvers::solution_error: sums of one rank alone; the operator is over several.");
  constexpr int most_solutions = 4;
  const detail::SolutionErrorIteration<ExecutionSpace, A, Scalar> iteration(exec, a, b, x);
  SolutionError<Scalar, ExecutionSpace> error{iteration.e};
  for (int number = 0; number < most_solutions && !error.known; ++number) {
    Kokkos::deep_copy(exec, iteration.change, Scalar(0));
    const CgResult result = solve(iteration.r, iteration.change);
    error.iterations += result.iterations;
    iteration.take_change();
    error.known = iteration.answers_every_row();
    if (!result.converged()) break; // once more would be no better
  }
  exec.fence("Tessera::SolutionError::solution_error");
  return error;
}

} // namespace tessera::solvers

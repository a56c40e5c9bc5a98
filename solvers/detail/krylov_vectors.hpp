// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sums and updates of vectors that BiCGStab and GMRES are made of.

#include <tessera/core/allocate.hpp>
#include <tessera/core/contiguous.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/cg_kernels.hpp>
#include <tessera/solvers/detail/cg_stopping.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace tessera::solvers::detail {

template <class Scalar, class ExecutionSpace>
struct KrylovKernels {
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

/// A x = b and the solution, on an instance.
template <class Scalar, class ExecutionSpace, class A>
struct KrylovVectors {
  using Kernels = KrylovKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  const ExecutionSpace& exec;
  const A& a;
  ConstVector b;
  Vector solution;

  /// \throws OutOfMemoryError
  KrylovVectors(const ExecutionSpace& instance, const A& matrix, const ConstVector& rhs)
      : exec(instance), a(matrix), b(rhs), solution(vector("solution")) {}

  Vector vector(const char* label) const {
    return on_all_ranks<ExecutionSpace>(
        a, [&] { return allocate<Vector>(exec, std::string("Tessera::Krylov::") + label, b.extent(0)); });
  }
  Kokkos::RangePolicy<ExecutionSpace> range() const {
    return contiguous(Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(b.extent(0))));
  }
  double dot(const ConstVector& left, const ConstVector& right) const {
    double sum = 0;
    Kokkos::parallel_reduce("Tessera::Krylov::dot", range(), typename Kernels::Dot{left, right}, sum);
    return sum_over_ranks<ExecutionSpace>(a, sum);
  }
  double norm(const ConstVector& of) const { return std::sqrt(dot(of, of)); }
  /// to = s from + keep to
  void combine(double s, const ConstVector& from, double keep, const Vector& to) const {
    Kokkos::parallel_for(
        "Tessera::Krylov::combine", range(),
        typename Kernels::Combine{static_cast<Scalar>(s), from, static_cast<Scalar>(keep), to});
  }
  /// to = b − A x, and its norm
  double residual(const Vector& to) const {
    a.apply(exec, solution, to);
    combine(1, b, -1, to);
    return norm(to);
  }
  /// Takes the first guess; r = b − A x. \throws SolverError where the square of b is lost to underflow
  template <class Solution>
  void begin(const Solution& first, const Vector& r, CgResult& result, const char* solver) const {
    Kokkos::deep_copy(exec, solution, first);
    result.initial_residual = residual(r);
    result.rhs_norm = norm(b);
    if (!(result.rhs_norm < smallest_norm)) return;
    double largest = 0;
    Kokkos::parallel_reduce("Tessera::Krylov::largest_entry",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(b.extent(0))),
                            typename CgKernels<Scalar, ExecutionSpace>::LargestEntry{b},
                            Kokkos::Max<double>(largest));
    check_lost(largest_over_ranks<ExecutionSpace>(a, largest), solver);
  }
};

} // namespace tessera::solvers::detail

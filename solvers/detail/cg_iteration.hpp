// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The steps of conjugate gradients.

#include <tessera/core/allocate.hpp>
#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/detail/cg_kernels.hpp>
#include <tessera/solvers/detail/cg_stopping.hpp>
#include <tessera/solvers/detail/over_ranks.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>

namespace tessera::solvers::detail {

/// Vectors of an iteration, and its steps by the formulas of the method.
template <class Scalar, class ExecutionSpace, class A, class Preconditioner>
struct CgIteration {
  using Kernels = CgKernels<Scalar, ExecutionSpace>;
  using Vector = typename Kernels::Vector;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;
  static constexpr bool diagonal = DiagonalPreconditioner<Preconditioner, ExecutionSpace, Scalar>;
  static constexpr bool gated = GatedPreconditioner<Preconditioner, ExecutionSpace, Scalar>;

  const ExecutionSpace& exec;
  const A& a;
  const Preconditioner& preconditioner;
  ConstVector b;
  typename Kernels::Range range;
  Vector memory, solution, r, p, q, z;
  CgScalars<ExecutionSpace> sums;

  /// One allocation, which takes as long as a kernel; vectors begin at whole lines.
  /// \throws OutOfMemoryError
  CgIteration(const ExecutionSpace& instance, const A& matrix, const Preconditioner& m,
              const ConstVector& rhs)
      : exec(instance), a(matrix), preconditioner(m), b(rhs),
        range(contiguous(typename Kernels::Range(exec, 0, static_cast<Ordinal>(rhs.extent(0))))),
        memory(on_all_ranks<ExecutionSpace>(a,
                                            [&] {
                                              return allocate<Vector>(exec, "Tessera::Cg::vectors",
                                                                      (diagonal || gated ? 4 : 5) *
                                                                          line_length());
                                            })),
        solution(vector(0)), r(vector(1)), p(vector(2)), q(vector(3)),
        z(diagonal || gated ? Vector() : vector(4)), sums(exec) {}

  std::size_t line_length() const {
    constexpr std::size_t line = 256 / sizeof(Scalar);
    return (b.extent(0) + line - 1) / line * line;
  }
  Vector vector(std::size_t number) const {
    return Kokkos::subview(memory,
                           Kokkos::pair(number * line_length(), number * line_length() + b.extent(0)));
  }

  auto scaling() const {
    if constexpr (diagonal)
      return typename Kernels::template Scaled<Preconditioner>{preconditioner};
    else if constexpr (gated)
      return typename Kernels::template Given<decltype(preconditioner.gate())>{preconditioner.gate()};
    else
      return typename Kernels::Stored{z};
  }
  auto update_scaling() const {
    if constexpr (diagonal)
      return scaling();
    else
      return typename Kernels::NoScaling{};
  }
  auto alpha() const { return typename Kernels::Quotient(exec, sums.rz_before(), sums.pq()); }

  template <class Kernel, class Result>
  void sum(const char* label, const Kernel& kernel, Result&& result) const {
    sum_rows<double>(exec, label, range.end(), kernel, result);
  }
  void dot(const Vector& left, const Vector& right, const DeviceScalar<ExecutionSpace>& result) const {
    sum("Tessera::Cg::dot", typename Kernels::Dot{left, right}, result);
    sum_over_ranks(exec, a, result.data(), 1);
  }

  /// Takes the first guess, and what is known of b and of r = b − A x.
  void begin(const ConstVector& x, CgResult& result) {
    double bb = 0;
    Ordinal guessed = 0;
    Kokkos::deep_copy(exec, solution, x);
    Kokkos::parallel_reduce("Tessera::Cg::begin", range, typename Kernels::Begin{b, solution}, bb, guessed);
    result.rhs_norm = std::sqrt(sum_over_ranks<ExecutionSpace>(a, bb));
    if (sum_over_ranks<ExecutionSpace>(a, guessed) == 0) { // a product less for the usual first guess
      Kokkos::deep_copy(exec, r, b);
      result.initial_residual = result.rhs_norm;
    } else {
      result.initial_residual = take_residual();
    }
    if (result.rhs_norm < smallest_norm) check_lost(largest_entry(b));
  }
  double largest_entry(const ConstVector& of) const {
    double largest = 0;
    Kokkos::parallel_reduce("Tessera::Cg::largest_entry", range, typename Kernels::LargestEntry{of},
                            Kokkos::Max<double>(largest));
    return largest_over_ranks<ExecutionSpace>(a, largest);
  }
  /// r = b − A x, and its norm.
  double take_residual() const {
    double rr = 0;
    a.apply(exec, solution, q);
    sum("Tessera::Cg::residual", typename Kernels::Residual{b, q, r}, rr);
    return std::sqrt(sum_over_ranks<ExecutionSpace>(a, rr));
  }
  /// The norm of b − A x alone, which leaves r to the iteration.
  double true_residual() const {
    double rr = 0;
    a.apply(exec, solution, q);
    sum("Tessera::Cg::true_residual", typename Kernels::ResidualNorm{b, q}, rr);
    return std::sqrt(sum_over_ranks<ExecutionSpace>(a, rr));
  }

  /// z = M⁻¹ r and r·z
  void precondition() const {
    if constexpr (gated) {
      preconditioner.solve(exec, r, sums.rz());
      sum_over_ranks(exec, a, sums.rz().data(), 1);
    } else if constexpr (!diagonal) {
      preconditioner.apply(exec, r, z);
      dot(r, z, sums.rz());
    }
  }
  /// p = z
  void first_direction() const {
    precondition();
    using Scaling = decltype(scaling());
    Kokkos::parallel_for("Tessera::Cg::direction", range,
                         typename Kernels::template FirstDirection<Scaling>{scaling(), r, p});
    if constexpr (diagonal) dot(r, p, sums.rz());
  }
  /// p = z + β p, and the step that p is read for anyway
  void direction(bool stepped) const {
    precondition();
    using Scaling = decltype(scaling());
    Kokkos::parallel_for(
        "Tessera::Cg::direction", range,
        typename Kernels::template Direction<Scaling>{
            scaling(), r, p, solution, alpha(), {exec, sums.rz(), sums.rz_before()}, !stepped});
  }
  /// q = A p and p·q
  void multiply() const {
    if constexpr (DotOperator<A, ExecutionSpace, Scalar>) {
      a.apply_dot(exec, p, q, sums.pq());
      sum_over_ranks(exec, a, sums.pq().data(), 1);
    } else {
      a.apply(exec, p, q);
      dot(p, q, sums.pq());
    }
  }
  /// r −= α q
  void update() const {
    using Scaling = decltype(update_scaling());
    const typename Kernels::template ResidualSums<Scaling> of_residual{update_scaling(), r};
    const typename Kernels::template Update<Scaling> next_residual{of_residual, q, alpha()};
    if constexpr (runs_on_host<ExecutionSpace>) {
      sum_rows<CgResidualSums>(exec, "Tessera::Cg::update", range.end(), next_residual, sums.residual());
    } else { // a sum within the update was slower than a pass of its own
      Kokkos::parallel_for("Tessera::Cg::update", range, next_residual);
      Kokkos::parallel_reduce("Tessera::Cg::residual_sums", range, of_residual, sums.residual());
    }
    sum_over_ranks(exec, a, &sums.residual().data()->rr, 2);
  }
  /// The product with p and the residual after it; waits for the sums of both.
  CgFound next_residual() {
    sums.turn();
    multiply();
    update();
    return sums.wait();
  }
  /// x += α p
  void step() const {
    Kokkos::parallel_for("Tessera::Cg::step", range, typename Kernels::Step{p, solution, alpha()});
  }
};

} // namespace tessera::solvers::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The iterate with the smallest residual that has been computed.

#include <tessera/core/allocate.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

/// What the last iterate of an iteration that could have gone on is: of conjugate gradients the one with the
/// smallest error, whatever its residual.
enum class AtLimit { last, best };

/// Keeps the best iterate but the last, at first the first guess, which is still where the caller has it. Has
/// memory of its own from the first copy on.
template <class Scalar, class ExecutionSpace>
class BestIterate {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  explicit BestIterate(double first_residual, AtLimit at_limit = AtLimit::last)
      : residual_(first_residual), at_limit_(at_limit) {}

  /// Keeps an iterate from which the iteration goes on, if it is better.
  void keep(const ExecutionSpace& exec, const Vector& iterate, double residual) {
    if (!(residual < residual_)) return;
    residual_ = residual;
    if (kept_.extent(0) == 0) kept_ = allocate<Vector>(exec, "Tessera::BestIterate::kept", iterate.extent(0));
    Kokkos::deep_copy(exec, kept_, iterate);
  }

  /// Writes the last iterate to the caller's `x`, or the one kept if that is better; the result says so. At
  /// the limit of iterations as `AtLimit` says.
  template <class Solution>
  void give(const ExecutionSpace& exec, const Vector& last, const Solution& x, CgResult& result) const {
    const bool last_is_best = result.reason == StopReason::max_iterations && at_limit_ == AtLimit::last;
    if (last_is_best || result.true_residual <= residual_) {
      Kokkos::deep_copy(exec, x, last);
      return;
    }
    result.true_residual = residual_;
    if (kept_.extent(0) > 0) Kokkos::deep_copy(exec, x, kept_);
  }

private:
  double residual_;
  AtLimit at_limit_;
  Vector kept_;
};

} // namespace tessera::solvers::detail

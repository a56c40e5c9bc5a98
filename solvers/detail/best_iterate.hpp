#pragma once

// The iterate with the smallest residual that has been computed.

#include <tessera/core/allocate.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::detail {

/// Keeps the best iterate but the last, at first the first guess, which is still where the caller has it. Has
/// memory of its own from the first copy on.
template <class Scalar, class ExecutionSpace>
class BestIterate {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  explicit BestIterate(double first_residual) : residual_(first_residual) {}

  /// Keeps an iterate from which the iteration goes on, if it is better.
  void keep(const ExecutionSpace& exec, const Vector& iterate, double residual) {
    if (!(residual < residual_)) return;
    residual_ = residual;
    if (kept_.extent(0) == 0) kept_ = allocate<Vector>(exec, "Tessera::BestIterate::kept", iterate.extent(0));
    Kokkos::deep_copy(exec, kept_, iterate);
  }

  /// Writes the last iterate to the caller's `x`, or the one kept if that is better and the iteration could
  /// not have gone on; the result says so.
  template <class Solution>
  void give(const ExecutionSpace& exec, const Vector& last, const Solution& x, CgResult& result) const {
    const bool could_go_on =
        result.reason == StopReason::max_iterations; // its error falls, if not its residual
    if (could_go_on || !(residual_ < result.true_residual)) {
      Kokkos::deep_copy(exec, x, last);
      return;
    }
    result.true_residual = residual_;
    if (kept_.extent(0) > 0) Kokkos::deep_copy(exec, x, kept_);
  }

private:
  double residual_;
  Vector kept_;
};

} // namespace tessera::solvers::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How a kernel reports an element that it cannot integrate.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera {

/// A flag in memory that both host and device reach: reading it after the kernel costs no copy.
template <class ExecutionSpace>
class Status {
public:
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using memory_space = Kokkos::SharedHostPinnedSpace;
#else
  using memory_space = Kokkos::HostSpace;
#endif

  Status()
      : first_bad_(
            Kokkos::view_alloc(std::string("Tessera::Status::first_bad"), Kokkos::WithoutInitializing)) {
    reset();
  }

  void reset() const { first_bad_() = none; }

  /// Called by kernels for an element (the mesh's number) whose integration failed.
  KOKKOS_FUNCTION void fail(Ordinal element) const { Kokkos::atomic_min(&first_bad_(), element); }

  /// Called by kernels for a cell that cannot be integrated: reports those of its elements that have a
  /// Jacobian that is not positive or a coefficient that is not finite, not their neighbours in the pack.
  template <class Kernel, class Element, class Real>
  KOKKOS_FUNCTION void fail(const Kernel& kernel, const Cell<Element, Real>& cell) const {
    bool found = false;
    if constexpr (lanes_v<Real> != 1) {
      constexpr int degree = Kernel::template degree<Element>;
      for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
        const QuadraturePoint<Element, degree, Real> point(cell, q);
        const auto integrand = kernel.at(point);
        const Matrix<Real, Kernel::components> stiffness = integrand.stiffness(0, 0);
        const Vector<Real, Kernel::components> load = integrand.load(0);
        const Real sum = sum_of_entries(stiffness) + sum_of_entries(load);
        for (int lane = 0; lane < lanes_v<Real>; ++lane)
          if (!(lane_of(point.weight(), lane) > 0) || !Kokkos::isfinite(lane_of(sum, lane))) {
            fail(cell.element[lane]);
            found = true;
          }
      }
    }
    if (!found) fail(cell.element[0]);
  }

  /// Waits for `exec` and says whether a kernel failed.
  bool failed(const ExecutionSpace& exec) const {
    exec.fence("Tessera::Status::failed");
    return first_bad_() != none;
  }

  /// Waits for `exec`. \throws FormError naming the mesh's element if a kernel failed, and what is wrong with
  /// it
  template <class Mesh>
  void check(const ExecutionSpace& exec, const std::string& who, const Mesh& mesh,
             const std::string& what = "has a Jacobian that is not positive or a coefficient that is not "
                                       "finite or not in its range, or its integrals leave the range of the "
                                       "system's numbers; the values of the system are unspecified") const {
    if (!failed(exec)) return;
    const Ordinal element = first_bad_();
    reset();
    throw FormError(who + ": " + mesh.element_name(element) + " " + what);
  }

private:
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Kokkos::View<Ordinal, memory_space> first_bad_;
};

} // namespace tessera

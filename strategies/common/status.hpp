#pragma once

/// \file
/// How a kernel reports an element that it cannot integrate.

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

  Status() : first_bad_(Kokkos::view_alloc(std::string("Tessera::Status::first_bad"), Kokkos::WithoutInitializing)) {
    reset();
  }

  void reset() const { first_bad_() = none; }

  /// Called by kernels for an element (the mesh's number) whose integration failed.
  KOKKOS_FUNCTION void fail(Ordinal element) const { Kokkos::atomic_min(&first_bad_(), element); }

  /// Waits for `exec`. \throws FormError naming the element if a kernel failed
  void check(const ExecutionSpace& exec, const std::string& who) const {
    exec.fence("Tessera::Status::check");
    if (const Ordinal element = first_bad_(); element != none) {
      reset();
      throw FormError(who + ": element " + std::to_string(element) +
                      " has a Jacobian that is not positive or a coefficient that is not finite; the values of "
                      "the system are unspecified");
    }
  }

private:
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Kokkos::View<Ordinal, memory_space> first_bad_;
};

} // namespace tessera

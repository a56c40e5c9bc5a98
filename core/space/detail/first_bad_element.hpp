// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The first element that cannot be integrated, of kernels that are no reductions.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace tessera::detail {

/// Stands for none.
inline constexpr Ordinal no_element = std::numeric_limits<Ordinal>::max();

/// Memory that kernels report to.
template <class ExecutionSpace>
class FirstBadElement {
public:
  /// \throws OutOfMemoryError
  explicit FirstBadElement(const ExecutionSpace& exec)
      : number_(allocate<Kokkos::View<Ordinal, ExecutionSpace>>(exec, "Tessera::FirstBadElement::number")) {}

  KOKKOS_FUNCTION void fail(Ordinal element) const { Kokkos::atomic_min(&number_(), element); }

  void reset(const ExecutionSpace& exec) const { Kokkos::deep_copy(exec, number_, no_element); }
  /// The least that was reported since, or `no_element`. Waits.
  Ordinal first(const ExecutionSpace& exec) const {
    Ordinal element = no_element;
    Kokkos::deep_copy(exec, Kokkos::View<Ordinal, Kokkos::HostSpace>(&element), number_);
    exec.fence("Tessera::FirstBadElement::first");
    return element;
  }

private:
  Kokkos::View<Ordinal, ExecutionSpace> number_;
};

} // namespace tessera::detail

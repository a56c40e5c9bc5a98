// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Vectors of Python for the library's calls: on the host themselves, for a device copies.

#include "arrays.hpp"

namespace tessera::python {

/// Values on the host where `Exec` reads them: themselves, or a copy.
template <class T>
auto readable(const T* host, std::size_t count) {
  return Kokkos::create_mirror_view_and_copy(
      Exec(), Kokkos::View<T*, Kokkos::HostSpace>(const_cast<T*>(host), count)); // which none writes
}

/// Calls `compute(exec, x, y)` with vectors of `Exec` and waits; y goes back to the host.
template <class Compute>
void from_host_to_host(const double* x, double* y, std::size_t count, const Compute& compute) {
  const auto exec = default_instance<Exec>();
  const Kokkos::View<double*, Kokkos::HostSpace> result(y, count);
  const Kokkos::View<double*, Exec> computed = Kokkos::create_mirror_view(Exec(), result);
  compute(exec, Kokkos::View<const double*, Exec>(readable(x, count)), computed);
  Kokkos::deep_copy(exec, result, computed);
  exec.fence("Tessera::python::from_host_to_host");
}

} // namespace tessera::python

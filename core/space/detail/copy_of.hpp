// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From the host's vectors to the memory of an execution space.

#include <tessera/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Copies host values into the first entries of a view; waits for it.
template <class View, class T, class ExecutionSpace>
void copy_to(const ExecutionSpace& exec, const View& view, const std::vector<T>& host) {
  Kokkos::deep_copy(exec, Kokkos::subview(view, std::make_pair(std::size_t{0}, host.size())),
                    Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  exec.fence("Tessera::FunctionSpace::copy");
}

/// A copy of host values in the memory of `exec`; waits for it.
template <class T, class ExecutionSpace>
Kokkos::View<T*, ExecutionSpace> copy_of(const ExecutionSpace& exec, const std::string& label,
                                         const std::vector<T>& host) {
  const auto view = allocate<Kokkos::View<T*, ExecutionSpace>>(exec, label, host.size());
  copy_to(exec, view, host);
  return view;
}

} // namespace tessera::detail

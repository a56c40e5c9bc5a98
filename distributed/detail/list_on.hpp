// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Lists of the host in an execution space's memory.

#include <tessera/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace tessera::distributed::detail {

/// A list in the memory of an execution space.
template <class T, class ExecutionSpace>
Kokkos::View<T*, ExecutionSpace> list_on(const ExecutionSpace& exec, const std::string& label,
                                         const std::vector<T>& list) {
  const auto view = allocate<Kokkos::View<T*, ExecutionSpace>>(exec, label, list.size());
  Kokkos::deep_copy(
      exec, view,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(list.data(), list.size()));
  exec.fence(label); // the list may go
  return view;
}

} // namespace tessera::distributed::detail

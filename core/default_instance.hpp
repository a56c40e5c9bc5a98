// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The instance of an execution space that calls without one use.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// The default instance of an execution space.
/// \throws Error before Kokkos::initialize and after Kokkos::finalize, where Kokkos would end the process
template <class ExecutionSpace>
ExecutionSpace default_instance() {
  if (Kokkos::is_finalized())
    throw Error("Kokkos has been finalized: the library works between Kokkos::initialize and "
                "Kokkos::finalize");
  if (!Kokkos::is_initialized())
    throw Error("Kokkos is not initialized: call Kokkos::initialize, or make a Kokkos::ScopeGuard, first");
  return ExecutionSpace();
}

} // namespace tessera

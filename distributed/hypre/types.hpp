// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where hypre keeps what belongs to an execution space.

#include <Kokkos_Core.hpp>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_mv.h> // the arrays of matrices and vectors, which no public function gives
#include <type_traits>

namespace tessera::distributed {

static_assert(std::is_same_v<HYPRE_Complex, double>, "Tessera works with a hypre that computes in double");

/// hypre computes where the execution space does, or on the host where that is a device that hypre was not
/// built for.
template <class ExecutionSpace>
struct HypreTypes {
#if defined(HYPRE_USING_GPU)
  using Space = ExecutionSpace;
#else
  using Space = std::conditional_t<std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>,
                                   ExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
#endif
  /// Whether hypre computes on a device.
  static constexpr bool on_device = !std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
  static constexpr HYPRE_MemoryLocation memory = on_device ? HYPRE_MEMORY_DEVICE : HYPRE_MEMORY_HOST;
  /// Whether hypre's arrays lie in the execution space's memory.
  static constexpr bool shares_memory = std::is_same_v<Space, ExecutionSpace>;

  /// An array of hypre's.
  template <class T>
  using Array = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;
};

} // namespace tessera::distributed

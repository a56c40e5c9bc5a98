// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Atomic operations on numbers that are in a team's scratch memory.
///
/// Kokkos' own are assembly for any address on CUDA: the processor asks for each of them in which memory the
/// number is, and adds in double by one of three ways. CUDA's own are seen through by the compiler, which
/// knows scratch memory of level 0 from its pointer. Relaxed, within the device, as Kokkos' are.

#include <tessera/core/execution_spaces.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#define TESSERA_ON_CUDA(...) KOKKOS_IF_ON_DEVICE((return __VA_ARGS__;))
#define TESSERA_NOT_ON_CUDA(...) KOKKOS_IF_ON_HOST((return __VA_ARGS__;))
#else
#define TESSERA_ON_CUDA(...)
#define TESSERA_NOT_ON_CUDA(...) return __VA_ARGS__;
#endif

namespace tessera {

/// \return the number before the addition
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T scratch_fetch_add(T* target, T value) {
  TESSERA_ON_CUDA(::atomicAdd(target, value))
  TESSERA_NOT_ON_CUDA(Kokkos::atomic_fetch_add(target, value))
}

/// \return the number before the operation
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T scratch_fetch_or(T* target, T value) {
  TESSERA_ON_CUDA(::atomicOr(target, value))
  TESSERA_NOT_ON_CUDA(Kokkos::atomic_fetch_or(target, value))
}

/// Replaces the number by `desired` if it is `expected`.
/// \return the number before
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T scratch_compare_exchange(T* target, T expected, T desired) {
  TESSERA_ON_CUDA(::atomicCAS(target, expected, desired))
  TESSERA_NOT_ON_CUDA(Kokkos::atomic_compare_exchange(target, expected, desired))
}

/// Adds to numbers in scratch memory that the threads of a team share; plainly on hosts, where a team of the
/// kernels that take it has one thread.
template <class ExecutionSpace>
struct ScratchAdd {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(T& target, T value) const {
    if constexpr (runs_on_host<ExecutionSpace>)
      target += value;
    else
      scratch_fetch_add(&target, value);
  }
};

} // namespace tessera

#undef TESSERA_ON_CUDA
#undef TESSERA_NOT_ON_CUDA

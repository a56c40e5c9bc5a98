// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Fetching ahead into the device's second-level cache, for which Kokkos has no name.

#include <Kokkos_Core.hpp>

namespace tessera {

/// Asks for the cache line of an address in global memory and waits for nothing; does nothing but on CUDA.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const void* address) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

} // namespace tessera

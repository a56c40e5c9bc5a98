// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers that a compiler must not reason about.

#include <Kokkos_Core.hpp>

namespace tessera {

/// The same number, of which nvcc knows nothing more: what a loop computes from it is computed there, and not
/// before the loop, to wait in registers that are needed for something else.
KOKKOS_FORCEINLINE_FUNCTION int opaque(int number) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(number));
#endif
  return number;
}

} // namespace tessera

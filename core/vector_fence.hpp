// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the lanes of a thread see of each other's writes.

#include <Kokkos_Core.hpp>

namespace tessera {

/// After it the lanes of a thread's vector see what each of them wrote before it. Kokkos' loops over lanes
/// end so on CUDA, not on HIP: there lanes run in step, but the compiler may reorder what they read and
/// write.
KOKKOS_FORCEINLINE_FUNCTION void vector_fence() {
#ifdef __HIP_DEVICE_COMPILE__
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
#endif
}

} // namespace tessera

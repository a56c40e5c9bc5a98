// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Exchange between the lanes of a warp, outside team policies, where Kokkos has none.

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// Whether `shuffle`, `shuffle_down`, `shuffle_up`, `shuffle_xor` and `warp_lane` work in kernels of an
/// execution space. They are for warps all of whose threads come by.
template <class ExecutionSpace>
inline constexpr bool has_shuffles =
#ifdef KOKKOS_ENABLE_CUDA
    std::is_same_v<ExecutionSpace, Kokkos::Cuda>;
#else
    false;
#endif

#ifdef __CUDA_ARCH__

__device__ __forceinline__ int warp_lane() {
  return static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y) & 31;
}

/// The value of lane `from`.
template <class T>
__device__ __forceinline__ T shuffle(T value, int from) {
  return __shfl_sync(0xffffffffu, value, from);
}

/// The value of the lane `distance` above; a lane's own where there is none.
template <class T>
__device__ __forceinline__ T shuffle_down(T value, int distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}

/// The value of the lane `distance` below; a lane's own where there is none.
template <class T>
__device__ __forceinline__ T shuffle_up(T value, int distance) {
  return __shfl_up_sync(0xffffffffu, value, distance);
}

/// The value of the lane whose number differs in the bits of `mask`.
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}

#endif

} // namespace tessera

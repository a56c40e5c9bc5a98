// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a CUDA device's multiprocessors have.

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera {

/// Bytes of scratch (shared memory) that the teams of a multiprocessor share; 0 where that is not known.
template <class ExecutionSpace>
std::size_t multiprocessor_scratch(const ExecutionSpace&) {
  return 0;
}
#ifdef KOKKOS_ENABLE_CUDA
inline std::size_t multiprocessor_scratch(const Kokkos::Cuda& exec) {
  return exec.cuda_device_prop().sharedMemPerMultiprocessor;
}
#endif

} // namespace tessera

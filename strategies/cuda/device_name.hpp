// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The name of the device that an execution space instance works on.

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

/// The device's name; empty where the execution space has none.
template <class ExecutionSpace>
std::string name_of_device(const ExecutionSpace&) {
  return {};
}
#ifdef KOKKOS_ENABLE_CUDA
inline std::string name_of_device(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().name; }
#endif
#ifdef KOKKOS_ENABLE_HIP
inline std::string name_of_device(const Kokkos::HIP& exec) { return exec.hip_device_prop().name; }
#endif

} // namespace tessera

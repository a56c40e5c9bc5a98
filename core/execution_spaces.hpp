// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The execution spaces of this Kokkos that the library compares, and where they run.

#include <Kokkos_Core.hpp>

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace detail {
template <class... Tuples>
using concatenated_t = decltype(std::tuple_cat(std::declval<Tuples>()...));
} // namespace detail

/// Every execution space that Kokkos was built with, of those that the library supports and that the build
/// did not leave out (CMake's TESSERA_BACKENDS).
using ExecutionSpaces = detail::concatenated_t<
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(TESSERA_WITHOUT_SERIAL)
    std::tuple<Kokkos::Serial>,
#endif
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(TESSERA_WITHOUT_OPENMP)
    std::tuple<Kokkos::OpenMP>,
#endif
#if defined(KOKKOS_ENABLE_CUDA) && !defined(TESSERA_WITHOUT_CUDA)
    std::tuple<Kokkos::Cuda>,
#endif
#if defined(KOKKOS_ENABLE_HIP) && !defined(TESSERA_WITHOUT_HIP)
    std::tuple<Kokkos::HIP>,
#endif
#if defined(KOKKOS_ENABLE_SYCL) && !defined(TESSERA_WITHOUT_SYCL)
    std::tuple<Kokkos::SYCL>,
#endif
    std::tuple<>>;

/// Whether kernels run on the host's cores.
template <class ExecutionSpace>
inline constexpr bool runs_on_host = std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

/// Lanes of devices that work in step, as numbers of lanes are chosen: CUDA's warp, half of HIP's wavefront.
inline constexpr int warp_lanes = 32;

/// Threads of the smallest team that leaves no lane of a device idle: CUDA's warp, HIP's whole wavefront.
template <class ExecutionSpace>
inline constexpr int wave_lanes = warp_lanes;
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr int wave_lanes<Kokkos::HIP> =
    Kokkos::Impl::HIPTraits::WarpSize; // Kokkos has no public constant
#endif

/// Name of an execution space on command lines and in results: serial, openmp, cuda, hip, sycl.
template <class ExecutionSpace>
std::string backend_name() {
  std::string name = ExecutionSpace::name();
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

} // namespace tessera

#if defined(KOKKOS_ENABLE_SERIAL) && !defined(TESSERA_WITHOUT_SERIAL)
#define TESSERA_IF_SERIAL(X, ...) X(__VA_ARGS__, Kokkos::Serial)
#else
#define TESSERA_IF_SERIAL(X, ...)
#endif
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(TESSERA_WITHOUT_OPENMP)
#define TESSERA_IF_OPENMP(X, ...) X(__VA_ARGS__, Kokkos::OpenMP)
#else
#define TESSERA_IF_OPENMP(X, ...)
#endif
#if defined(KOKKOS_ENABLE_CUDA) && !defined(TESSERA_WITHOUT_CUDA)
#define TESSERA_IF_CUDA(X, ...) X(__VA_ARGS__, Kokkos::Cuda)
#else
#define TESSERA_IF_CUDA(X, ...)
#endif
#if defined(KOKKOS_ENABLE_HIP) && !defined(TESSERA_WITHOUT_HIP)
#define TESSERA_IF_HIP(X, ...) X(__VA_ARGS__, Kokkos::HIP)
#else
#define TESSERA_IF_HIP(X, ...)
#endif
#if defined(KOKKOS_ENABLE_SYCL) && !defined(TESSERA_WITHOUT_SYCL)
#define TESSERA_IF_SYCL(X, ...) X(__VA_ARGS__, Kokkos::SYCL)
#else
#define TESSERA_IF_SYCL(X, ...)
#endif
/// Expands `X(..., Space)` for every execution space; for explicit instantiations.
#define TESSERA_FOR_EACH_SPACE(X, ...)                                                                       \
  TESSERA_IF_SERIAL(X, __VA_ARGS__)                                                                          \
  TESSERA_IF_OPENMP(X, __VA_ARGS__)                                                                          \
  TESSERA_IF_CUDA(X, __VA_ARGS__)                                                                            \
  TESSERA_IF_HIP(X, __VA_ARGS__)                                                                             \
  TESSERA_IF_SYCL(X, __VA_ARGS__)

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Kernels whose arguments travel with their launch.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

/// Whether CUDA and HIP take a kernel of this functor with its arguments by value: 4 KB, of which Kokkos'
/// policy and what it adds to a team's functor get 512 bytes.
template <class Functor>
constexpr bool fits_by_value = sizeof(Functor) <= 4096 - 512;

#ifdef KOKKOS_ENABLE_HIP
namespace detail {
/// HIP compiles a kernel without bounds for teams of 1024 threads, and spills what is over 128 registers.
template <template <class...> class Policy, class... Properties>
auto bounded(const Policy<Properties...>& policy) {
  if constexpr (std::is_same_v<typename Policy<Properties...>::launch_bounds, Kokkos::LaunchBounds<>> &&
                !(std::is_same_v<Properties, Kokkos::LaunchBounds<>> || ...))
    return Policy<Properties..., Kokkos::LaunchBounds<256, 1>>(policy);
  else
    return policy;
}
} // namespace detail
#endif

/// The policy for a functor whose arguments travel with the launch.
///
/// From 512 bytes on Kokkos passes functors through constant memory, where they stay until their kernel has
/// ended: the host waits for one kernel before it launches the next, and neither can be captured in a graph.
/// What `fits_by_value` need not go that way. Other execution spaces get the policy as it is.
template <class Functor, class Policy>
auto by_value(const Policy& policy) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<typename Policy::execution_space, Kokkos::Cuda> && fits_by_value<Functor>)
    return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  else
#endif
#ifdef KOKKOS_ENABLE_HIP
      if constexpr (std::is_same_v<typename Policy::execution_space, Kokkos::HIP>) {
    if constexpr (fits_by_value<Functor>)
      return Kokkos::Experimental::require(detail::bounded(policy),
                                           Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    else
      return detail::bounded(policy);
  } else
#endif
    return policy;
}

} // namespace tessera

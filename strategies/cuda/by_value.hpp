#pragma once

/// \file
/// Kernels whose arguments travel with their launch.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

/// Whether CUDA takes a kernel of this functor with its arguments by value: 4 KB, of which Kokkos' policy and
/// what it adds to a team's functor get 512 bytes.
template <class Functor>
constexpr bool fits_by_value = sizeof(Functor) <= 4096 - 512;

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
    return policy;
}

} // namespace tessera

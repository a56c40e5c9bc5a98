#pragma once

/// \file
/// How the contributions of elements that share a node are kept apart, in every family.

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// How contributions of several elements to one entry are added. Not every strategy offers every way.
enum class Conflicts {
  atomics, ///< all elements at once, atomic additions; not deterministic where several threads run
  colors,  ///< a launch per color: elements of one share no node, and sums have a fixed order
  gather,  ///< element results are stored, and a second kernel sums them by nodes
  patches, ///< neighbouring elements are summed in scratch memory, what they share by a second kernel
};

/// Adds with an atomic operation; a plain addition where the execution space has but one thread.
template <class ExecutionSpace>
struct AtomicAdd {
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Scalar& target, Scalar value) const {
#ifdef KOKKOS_ENABLE_SERIAL
    if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Serial>) {
      target += value;
      return;
    }
#endif
    Kokkos::atomic_add(&target, value);
  }
};

/// Adds without protection, for threads that own their targets.
struct PlainAdd {
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Scalar& target, Scalar value) const {
    target += value;
  }
};

} // namespace tessera

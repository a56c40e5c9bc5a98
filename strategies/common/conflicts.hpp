// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How the contributions of elements that share a node are kept apart, in every family.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace tessera {

/// How contributions of several elements to one entry are added. Not every strategy offers every way.
enum class Conflicts {
  /// All elements at once, atomic additions; not deterministic where several threads run. On hosts,
  /// `RecomputingResidual` and `RecomputingElementByElement` take parts in a fixed order (`OrderedParts`).
  atomics,
  colors,  ///< a launch per color: elements of one share no node, and sums have a fixed order
  gather,  ///< element results are stored, and a second kernel sums them by nodes
  patches, ///< neighbouring elements are summed in scratch memory, what they share by a second kernel
};

/// The way's name as the code, options and suffixes of variants spell it.
inline const char* to_string(Conflicts conflicts) {
  switch (conflicts) {
  case Conflicts::atomics:
    return "atomics";
  case Conflicts::colors:
    return "colors";
  case Conflicts::gather:
    return "gather";
  case Conflicts::patches:
    return "patches";
  }
  return "unknown";
}

/// \throws UnsupportedError, listing what there is, for a way that strategy `who` does not offer
inline void require_offered(const std::string& who, Conflicts conflicts,
                            std::initializer_list<Conflicts> offered) {
  std::string names;
  for (const Conflicts way : offered) {
    if (way == conflicts) return;
    names += (names.empty() ? "" : ", ") + std::string(to_string(way));
  }
  throw UnsupportedError(who + ": Conflicts::" + to_string(conflicts) + " is not offered; there are " +
                         names);
}

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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Numbers that look random.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::detail {

/// A permutation of the 64-bit integers: splitmix64's step and finalizer (G. L. Steele, D. Lea and C. H.
/// Flood 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t number) {
  std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

} // namespace tessera::solvers::detail

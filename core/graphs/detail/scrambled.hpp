// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers that look random and are the same on every execution space.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// A permutation of the 32-bit integers that looks random: the finalizer of MurmurHash3 (A. Appleby, public
/// domain).
KOKKOS_INLINE_FUNCTION std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}

} // namespace tessera::detail

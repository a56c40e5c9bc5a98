// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers that look random and depend on an index alone.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/avx512.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::sparse::detail {

/// Bits that depend on `i` and `seed` alone (finalizer of MurmurHash3, A. Appleby).
KOKKOS_INLINE_FUNCTION std::uint32_t random_bits(Ordinal i, std::uint32_t seed) {
  std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9e3779b9u + seed;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

#ifdef TESSERA_GATHERS
/// The same of eight indices.
inline avx512::Ints8 random_bits_of(avx512::Ints8 i, std::uint32_t seed) {
  using namespace avx512;
  Ints8 h = add(multiply(i, all8_bits(0x9e3779b9u)), all8_bits(seed));
  h = multiply(unlike(h, shift_right<16>(h)), all8_bits(0x85ebca6bu));
  h = multiply(unlike(h, shift_right<13>(h)), all8_bits(0xc2b2ae35u));
  return unlike(h, shift_right<16>(h));
}
#endif

/// A number between −1 and 1.
KOKKOS_INLINE_FUNCTION float random_number(Ordinal i, std::uint32_t seed) {
  return static_cast<float>(random_bits(i, seed) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

/// Two such numbers, of 16 bits each.
KOKKOS_INLINE_FUNCTION Kokkos::pair<double, double> random_pair(Ordinal i) {
  const std::uint32_t h = random_bits(i, 1);
  return {static_cast<double>(h >> 16) * (2.0 / 65536.0) - 1.0,
          static_cast<double>(h & 0xffffu) * (2.0 / 65536.0) - 1.0};
}

} // namespace tessera::solvers::sparse::detail

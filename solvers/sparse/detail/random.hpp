#pragma once

/// \file
/// Numbers that look random and depend on an index alone.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>

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
inline __m256i random_bits_of(__m256i i, std::uint32_t seed) {
  const auto all = [](std::uint32_t bits) { return _mm256_set1_epi32(static_cast<int>(bits)); };
  __m256i h = _mm256_add_epi32(_mm256_mullo_epi32(i, all(0x9e3779b9u)), all(seed));
  h = _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, 16)), all(0x85ebca6bu));
  h = _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, 13)), all(0xc2b2ae35u));
  return _mm256_xor_si256(h, _mm256_srli_epi32(h, 16));
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

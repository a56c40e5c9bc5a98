#pragma once

/// \file
/// Sums of sparse products by the lanes of a host's vector. Compilers do not gather by themselves for many
/// processors, so that AVX-512 is asked for it by name.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512CD__) && !defined(__CUDACC__) &&       \
    !defined(__HIPCC__)
#define TESSERA_GATHERS
#include <immintrin.h>
#endif

namespace tessera::solvers::sparse::detail {

inline constexpr int host_lanes = 16;
inline constexpr int ahead =
    64 * host_lanes; // what is fetched before it is needed: entries of some rows later

/// Sum of the lanes, by halves.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of_lanes(Scalar (&lanes)[host_lanes]) {
  for (int lane = 0; lane < 8; ++lane) lanes[lane] += lanes[lane + 8];
  for (int lane = 0; lane < 4; ++lane) lanes[lane] += lanes[lane + 4];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

#ifdef TESSERA_GATHERS
#if defined(__znver4__) || defined(__znver5__)
/// Two words in one load; volatile, for compilers would load a vector and take them out of it, which takes
/// longer.
using TwoWords [[gnu::may_alias, gnu::aligned(4)]] = volatile const std::uint64_t;

/// x[Step · k + Index(words[k])] for four k.
template <class Index, int Step, class Word>
inline __m128 load_four(const Word* words, const float* x) {
  const std::uint64_t first = *reinterpret_cast<TwoWords*>(words),
                      second = *reinterpret_cast<TwoWords*>(words + 2);
  __m128 loaded = _mm_load_ss(x + static_cast<Index>(first));
  loaded = _mm_insert_ps(loaded, _mm_load_ss(x + Step + static_cast<Index>(first >> 32)), 0x10);
  loaded = _mm_insert_ps(loaded, _mm_load_ss(x + 2 * Step + static_cast<Index>(second)), 0x20);
  return _mm_insert_ps(loaded, _mm_load_ss(x + 3 * Step + static_cast<Index>(second >> 32)), 0x30);
}

/// The same for all lanes: on AMD's processors single loads take two thirds of a gather's time.
template <class Index, int Step, class Word>
inline __m512 load_lanes(const Word* words, const float* x) {
  const auto four = [&](int part) { return load_four<Index, Step>(words + 4 * part, x + 4 * Step * part); };
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_set_m128(four(1), four(0))),
                            _mm256_set_m128(four(3), four(2)), 1);
}

/// x[columns[lane]].
inline __m512 gather_columns(const Ordinal* columns, const float* x) {
  return load_lanes<Ordinal, 0>(columns, x);
}
/// The same of the leading lanes that are given; the others are anything in x.
inline __m512 gather_leading(__mmask16 in, const Ordinal* columns, const float* x) {
  alignas(64) Ordinal known[host_lanes];
  _mm512_store_si512(known, _mm512_maskz_loadu_epi32(in, columns));
  return gather_columns(known, x);
}
/// x[lane + offset] for offsets in the lower halves of words.
inline __m512 gather_offsets(const std::uint32_t* words, const float* x) {
  return load_lanes<std::int16_t, 1>(words, x);
}
#else
/// x[columns[lane]].
inline __m512 gather_columns(const Ordinal* columns, const float* x) {
  return _mm512_i32gather_ps(_mm512_loadu_si512(columns), x, sizeof(float));
}
/// The same of the leading lanes that are given; the others are anything in x, or zero.
inline __m512 gather_leading(__mmask16 in, const Ordinal* columns, const float* x) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), in, _mm512_maskz_loadu_epi32(in, columns), x,
                                  sizeof(float));
}
/// x[lane + offset] for offsets in the lower halves of words.
inline __m512 gather_offsets(const std::uint32_t* words, const float* x) {
  const __m512i own = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i offsets = _mm512_srai_epi32(_mm512_slli_epi32(_mm512_loadu_si512(words), 16), 16);
  return _mm512_i32gather_ps(_mm512_add_epi32(own, offsets), x, sizeof(float));
}
#endif
#endif

/// sums[lane] += Σ_k value · x[lane + offset] of words (upper half of the value, offset in 16 bits) that
/// follow each other by `host_lanes`; of the first `lanes` lanes.
inline void add_words(const std::uint32_t* words, Offset count, int lanes, const float* x, float* sums) {
#ifdef TESSERA_GATHERS
  if (lanes == host_lanes) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    __m512 sum = _mm512_loadu_ps(sums);
    for (Offset k = 0; k < count; ++k, words += host_lanes) {
      __builtin_prefetch(words + ahead);
      const __m512i values = _mm512_and_si512(_mm512_loadu_si512(words), upper);
      sum = _mm512_fmadd_ps(_mm512_castsi512_ps(values), gather_offsets(words, x), sum);
    }
    _mm512_storeu_ps(sums, sum);
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) {
    float sum = sums[lane];
    for (Offset k = 0; k < count; ++k) {
      const std::uint32_t word = words[k * host_lanes + lane];
      sum +=
          Kokkos::bit_cast<float>(word & 0xffff0000u) * x[lane + static_cast<std::int16_t>(word & 0xffffu)];
    }
    sums[lane] = sum;
  }
}

/// sums[lane] += Σ_k values · x[columns], which follow each other by `host_lanes`; of the first `lanes`
/// lanes.
inline void add_entries(const float* values, const Ordinal* columns, Offset count, int lanes, const float* x,
                        float* sums) {
#ifdef TESSERA_GATHERS
  if (lanes == host_lanes) {
    __m512 sum = _mm512_loadu_ps(sums);
    for (Offset k = 0; k < count * host_lanes; k += host_lanes) {
      __builtin_prefetch(values + k + ahead);
      __builtin_prefetch(columns + k + ahead);
      sum = _mm512_fmadd_ps(_mm512_loadu_ps(values + k), gather_columns(columns + k, x), sum);
    }
    _mm512_storeu_ps(sums, sum);
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) {
    float sum = sums[lane];
    for (Offset k = lane; k < count * host_lanes; k += host_lanes) sum += values[k] * x[columns[k]];
    sums[lane] = sum;
  }
}

/// Σ values(k) x(columns(k)) of one row.
inline float long_dot(const float* values, const Ordinal* columns, Ordinal length, const float* x) {
  float sums[host_lanes] = {};
  const Ordinal rounds = length / host_lanes, done = rounds * host_lanes;
  add_entries(values, columns, rounds, host_lanes, x, sums);
  for (Ordinal k = done; k < length; ++k) sums[k - done] += values[k] * x[columns[k]];
  return sum_of_lanes(sums);
}

} // namespace tessera::solvers::sparse::detail

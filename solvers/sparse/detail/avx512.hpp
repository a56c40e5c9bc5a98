// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Operations on the lanes of a host's vectors, by name, where the processor has AVX-512. All of the
/// library's intrinsics are here. Compilers do not gather by themselves for many processors, so that they are
/// asked for it. Operations that take a mask first leave the other lanes zero, unless they say what these
/// are.

#include <tessera/core/types.hpp>

#include <cstdint>

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512CD__) && !defined(__CUDACC__) &&       \
    !defined(__HIPCC__)
/// Whether hosts have vectors that gather.
#define TESSERA_GATHERS
#include <immintrin.h>

namespace tessera::solvers::sparse::detail::avx512 {

using Ints16 = __m512i;   ///< 16 numbers of 32 bits
using Singles16 = __m512; ///< 16
using Doubles8 = __m512d; ///< 8
using Ints8 = __m256i;    ///< 8 numbers of 32 bits
using Singles8 = __m256;  ///< 8
using Mask16 = __mmask16;
using Mask8 = __mmask8;

inline constexpr int lanes = 16;

/// The first lanes, so many of them.
inline Mask16 leading16(Offset count) {
  return static_cast<Mask16>(count >= lanes ? 0xffffu : (1u << count) - 1u);
}
inline Mask8 leading8(Offset count) { return static_cast<Mask8>(leading16(count < 8 ? count : 8)); }

// The same number in all lanes.
inline Ints16 all(std::int32_t number) { return _mm512_set1_epi32(number); }
inline Ints16 all_bits(std::uint32_t bits) { return _mm512_set1_epi32(static_cast<int>(bits)); }
inline Ints8 all8(std::int32_t number) { return _mm256_set1_epi32(number); }
inline Ints8 all8_bits(std::uint32_t bits) { return _mm256_set1_epi32(static_cast<int>(bits)); }
inline Singles16 all(float number) { return _mm512_set1_ps(number); }
inline Doubles8 all(double number) { return _mm512_set1_pd(number); }

// Numbers from memory and back.
inline Singles16 load(const float* from) { return _mm512_loadu_ps(from); }
inline Ints16 load(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
inline Ints16 load(Mask16 in, const Ordinal* from) { return _mm512_maskz_loadu_epi32(in, from); }
inline Singles16 load(Mask16 in, const float* from) { return _mm512_maskz_loadu_ps(in, from); }
inline Ints16 load_bits(Mask16 in, const float* from) { return _mm512_maskz_loadu_epi32(in, from); }
inline Doubles8 load(Mask8 in, const double* from) { return _mm512_maskz_loadu_pd(in, from); }
inline Ints8 load(Mask8 in, const Ordinal* from) { return _mm256_maskz_loadu_epi32(in, from); }
inline Singles8 load(Mask8 in, const float* from) { return _mm256_maskz_loadu_ps(in, from); }
inline void store(float* to, Singles16 from) { _mm512_storeu_ps(to, from); }
inline void store(void* to, Ints16 from) { _mm512_storeu_si512(to, from); }
inline void store(Mask16 in, Ordinal* to, Ints16 from) { _mm512_mask_storeu_epi32(to, in, from); }
inline void store(Mask8 in, float* to, Singles8 from) { _mm256_mask_storeu_ps(to, in, from); }

// Numbers from places in memory and back.
inline Ints16 gather(Ints16 at, const Ordinal* from) {
  return _mm512_i32gather_epi32(at, from, sizeof(Ordinal));
}
inline Ints16 gather(Mask16 in, Ints16 at, const Ordinal* from) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), in, at, from, sizeof(Ordinal));
}
inline Singles8 gather(Mask8 in, Ints8 at, const float* from) {
  return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), in, at, from, sizeof(float));
}
inline void scatter(Mask16 in, Ordinal* to, Ints16 at, Ints16 from) {
  _mm512_mask_i32scatter_epi32(to, in, at, from, sizeof(Ordinal));
}
inline void scatter_lower(Mask8 in, Ordinal* to, Ints16 at, Ints16 from) {
  _mm256_mask_i32scatter_epi32(to, in, _mm512_castsi512_si256(at), _mm512_castsi512_si256(from),
                               sizeof(Ordinal));
}

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
inline Singles16 load_lanes(const Word* words, const float* x) {
  const auto four = [&](int part) { return load_four<Index, Step>(words + 4 * part, x + 4 * Step * part); };
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_set_m128(four(1), four(0))),
                            _mm256_set_m128(four(3), four(2)), 1);
}

/// x[columns[lane]].
inline Singles16 gather_columns(const Ordinal* columns, const float* x) {
  return load_lanes<Ordinal, 0>(columns, x);
}
/// The same of the leading lanes that are given; the others are anything in x.
inline Singles16 gather_leading(Mask16 in, const Ordinal* columns, const float* x) {
  alignas(64) Ordinal known[lanes];
  _mm512_store_si512(known, _mm512_maskz_loadu_epi32(in, columns));
  return gather_columns(known, x);
}
/// x[lane + offset] for offsets in the lower halves of words.
inline Singles16 gather_offsets(const std::uint32_t* words, const float* x) {
  return load_lanes<std::int16_t, 1>(words, x);
}
#else
/// x[columns[lane]].
inline Singles16 gather_columns(const Ordinal* columns, const float* x) {
  return _mm512_i32gather_ps(_mm512_loadu_si512(columns), x, sizeof(float));
}
/// The same of the leading lanes that are given; the others are anything in x, or zero.
inline Singles16 gather_leading(Mask16 in, const Ordinal* columns, const float* x) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), in, _mm512_maskz_loadu_epi32(in, columns), x,
                                  sizeof(float));
}
/// x[lane + offset] for offsets in the lower halves of words.
inline Singles16 gather_offsets(const std::uint32_t* words, const float* x) {
  const __m512i own = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i offsets = _mm512_srai_epi32(_mm512_slli_epi32(_mm512_loadu_si512(words), 16), 16);
  return _mm512_i32gather_ps(_mm512_add_epi32(own, offsets), x, sizeof(float));
}
#endif

// Numbers as others.
inline Singles16 as_singles(Ints16 bits) { return _mm512_castsi512_ps(bits); }
inline Singles8 lower(Singles16 a) { return _mm512_castps512_ps256(a); }
inline Singles8 upper(Singles16 a) { return _mm512_extractf32x8_ps(a, 1); }
inline Doubles8 to_doubles(Singles8 a) { return _mm512_cvtps_pd(a); }
inline Doubles8 to_doubles_unsigned(Ints8 a) { return _mm512_cvtepu32_pd(a); }
inline Singles8 to_singles(Doubles8 a) { return _mm512_cvtpd_ps(a); }

// Arithmetic.
inline Ints16 add(Ints16 a, Ints16 b) { return _mm512_add_epi32(a, b); }
inline Singles16 add(Singles16 a, Singles16 b) { return _mm512_add_ps(a, b); }
inline Doubles8 add(Doubles8 a, Doubles8 b) { return _mm512_add_pd(a, b); }
inline Ints8 add(Ints8 a, Ints8 b) { return _mm256_add_epi32(a, b); }
inline Ints16 subtract(Ints16 a, Ints16 b) { return _mm512_sub_epi32(a, b); }
inline Doubles8 subtract(Doubles8 a, Doubles8 b) { return _mm512_sub_pd(a, b); }
inline Doubles8 multiply(Doubles8 a, Doubles8 b) { return _mm512_mul_pd(a, b); }
inline Doubles8 multiply(Mask8 in, Doubles8 a, Doubles8 b) { return _mm512_maskz_mul_pd(in, a, b); }
inline Ints8 multiply(Ints8 a, Ints8 b) { return _mm256_mullo_epi32(a, b); }
inline Singles16 multiply_add(Singles16 a, Singles16 b, Singles16 c) {
  return _mm512_fmadd_ps(a, b, c);
} ///< a b + c
inline Doubles8 multiply_add(Doubles8 a, Doubles8 b, Doubles8 c) {
  return _mm512_fmadd_pd(a, b, c);
} ///< a b + c
inline Singles16 absolute(Singles16 a) { return _mm512_abs_ps(a); }
inline Doubles8 absolute(Doubles8 a) { return _mm512_abs_pd(a); }
inline Ints16 both(Ints16 a, Ints16 b) { return _mm512_and_si512(a, b); } ///< bits
inline Ints16 either(Ints16 a, Ints16 b) { return _mm512_or_si512(a, b); }
inline Ints8 both(Ints8 a, Ints8 b) { return _mm256_and_si256(a, b); }
inline Ints8 unlike(Ints8 a, Ints8 b) { return _mm256_xor_si256(a, b); }
template <int Bits>
inline Ints16 shift_right(Ints16 a) {
  return _mm512_srli_epi32(a, Bits);
}
template <int Bits>
inline Ints8 shift_right(Ints8 a) {
  return _mm256_srli_epi32(a, Bits);
}
/// (number · factor) >> shift of numbers that are not negative, products in 64 bits.
inline Ints16 multiply_shift(Ints16 numbers, std::uint64_t factor, int shift) {
  const __m512i by_factor = _mm512_set1_epi64(static_cast<std::int64_t>(factor));
  const __m128i by = _mm_cvtsi32_si128(shift);
  const __m512i even = _mm512_srl_epi64(_mm512_mul_epu32(numbers, by_factor), by);
  const __m512i odd = _mm512_srl_epi64(_mm512_mul_epu32(_mm512_srli_epi64(numbers, 32), by_factor), by);
  return _mm512_or_si512(even, _mm512_slli_epi64(odd, 32));
}

// Arithmetic in some lanes: the others stay as they are in a.
inline Ints16 add_in(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_add_epi32(a, in, a, b); }
inline Doubles8 add_in(Mask8 in, Doubles8 a, Doubles8 b) { return _mm512_mask_add_pd(a, in, a, b); }
inline Singles16 larger_in(Mask16 in, Singles16 a, Singles16 b) { return _mm512_mask_max_ps(a, in, a, b); }
inline Ints16 replace_in(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_mov_epi32(a, in, b); } ///< by b
inline Doubles8 replace_in(Mask8 in, Doubles8 a, Doubles8 b) { return _mm512_mask_mov_pd(a, in, b); }
inline Singles16 only(Mask16 in, Singles16 a) { return _mm512_maskz_mov_ps(in, a); }

// Over the lanes.
inline float sum(Singles16 a) { return _mm512_reduce_add_ps(a); }
inline double sum(Doubles8 a) { return _mm512_reduce_add_pd(a); }
inline float sum(Mask16 in, Singles16 a) { return _mm512_mask_reduce_add_ps(in, a); }
inline float largest(Singles16 a) { return _mm512_reduce_max_ps(a); }

// Comparisons.
inline Mask16 less(Ints16 a, Ints16 b) { return _mm512_cmplt_epi32_mask(a, b); }
inline Mask16 less(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_cmplt_epi32_mask(in, a, b); }
inline Mask16 less_unsigned(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_cmplt_epu32_mask(in, a, b); }
inline Mask16 differ(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_cmpneq_epi32_mask(in, a, b); }
inline Mask8 differ(Mask8 in, Ints8 a, Ints8 b) { return _mm256_mask_cmpneq_epi32_mask(in, a, b); }
inline Mask8 equal(Mask8 in, Ints8 a, Ints8 b) { return _mm256_mask_cmpeq_epi32_mask(in, a, b); }
inline Mask16 not_zero(Mask16 in, Ints16 a) { return _mm512_mask_test_epi32_mask(in, a, a); }
inline Mask16 negative(Ints16 a) { return _mm512_movepi32_mask(a); }
/// Lanes whose number no lane before them has.
inline Mask16 first_of_equals(Mask16 in, Ints16 a) {
  const Ints16 equals = _mm512_conflict_epi32(a);
  return _mm512_mask_testn_epi32_mask(in, equals, equals);
}
inline int count(Mask16 in) { return __builtin_popcount(in); }

// Lanes in other places.
/// The number of a lane in all lanes.
inline Ints16 spread(Ints16 a, int lane) { return _mm512_permutexvar_epi32(all(lane), a); }
/// The leading numbers of b, one after the other, in some lanes; the others' stay as they are in a.
inline Ints16 expand_into(Mask16 in, Ints16 a, Ints16 b) { return _mm512_mask_expand_epi32(a, in, b); }
/// The numbers of some lanes, one after the other, and those of `rest` behind them.
inline Ints16 close_up(Mask16 in, Ints16 a, Ints16 rest) { return _mm512_mask_compress_epi32(rest, in, a); }
inline Ints16 close_up(Mask16 in, Ints16 a) { return _mm512_maskz_compress_epi32(in, a); }

} // namespace tessera::solvers::sparse::detail::avx512
#endif

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sums of sparse products by the lanes of a host's vector.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/avx512.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::sparse::detail {

inline constexpr int host_lanes = 16;

/// Sum of the lanes, by halves.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of_lanes(Scalar (&lanes)[host_lanes]) {
  for (int lane = 0; lane < 8; ++lane) lanes[lane] += lanes[lane + 8];
  for (int lane = 0; lane < 4; ++lane) lanes[lane] += lanes[lane + 4];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/// Asks for what a later slice reads.
template <class Number>
[[gnu::always_inline]] inline void fetch_ahead(const Number* slice, Offset count) {
  for (Offset k = 0; k < count; ++k) __builtin_prefetch(slice + k * host_lanes + tuning::fetched_entries);
}

/// sums[lane] += Σ_k term(k, lane) of the first `lanes` lanes, four at a time: their sums do not wait for
/// each other, and stay in registers.
template <class Term>
[[gnu::always_inline]] inline void add_terms(Offset count, int lanes, float* sums, const Term& term) {
  int lane = 0;
  for (; lane + 4 <= lanes; lane += 4) {
    float a = sums[lane], b = sums[lane + 1], c = sums[lane + 2], d = sums[lane + 3];
    for (Offset k = 0; k < count; ++k) {
      a += term(k, lane);
      b += term(k, lane + 1);
      c += term(k, lane + 2);
      d += term(k, lane + 3);
    }
    sums[lane] = a, sums[lane + 1] = b, sums[lane + 2] = c, sums[lane + 3] = d;
  }
  for (; lane < lanes; ++lane)
    for (Offset k = 0; k < count; ++k) sums[lane] += term(k, lane);
}

/// sums[lane] += Σ_k value · x[lane + offset] of words (upper half of the value, offset in 16 bits) that
/// follow each other by `host_lanes`; of the first `lanes` lanes.
inline void add_words(const std::uint32_t* words, Offset count, int lanes, const float* x, float* sums) {
#ifdef TESSERA_GATHERS
  if (lanes == host_lanes) {
    const avx512::Ints16 upper = avx512::all_bits(0xffff0000u);
    avx512::Singles16 sum = avx512::load(sums);
    for (Offset k = 0; k < count; ++k, words += host_lanes) {
      __builtin_prefetch(words + tuning::fetched_entries);
      const avx512::Ints16 values = avx512::both(avx512::load(words), upper);
      sum = avx512::multiply_add(avx512::as_singles(values), avx512::gather_offsets(words, x), sum);
    }
    avx512::store(sums, sum);
    return;
  }
#endif
  fetch_ahead(words, count);
  add_terms(count, lanes, sums, [=](Offset k, std::ptrdiff_t lane) {
    const std::uint32_t word = (words + lane)[k * host_lanes];
    return Kokkos::bit_cast<float>(word & 0xffff0000u) * (x + lane)[static_cast<std::int16_t>(word)];
  });
}

/// sums[lane] += Σ_k values · x[columns], which follow each other by `host_lanes`; of the first `lanes`
/// lanes.
inline void add_entries(const float* values, const Ordinal* columns, Offset count, int lanes, const float* x,
                        float* sums) {
#ifdef TESSERA_GATHERS
  if (lanes == host_lanes) {
    avx512::Singles16 sum = avx512::load(sums);
    for (Offset k = 0; k < count * host_lanes; k += host_lanes) {
      __builtin_prefetch(values + k + tuning::fetched_entries);
      __builtin_prefetch(columns + k + tuning::fetched_entries);
      sum = avx512::multiply_add(avx512::load(values + k), avx512::gather_columns(columns + k, x), sum);
    }
    avx512::store(sums, sum);
    return;
  }
#endif
  fetch_ahead(values, count);
  fetch_ahead(columns, count);
  add_terms(count, lanes, sums, [=](Offset k, std::ptrdiff_t lane) {
    return (values + lane)[k * host_lanes] * x[(columns + lane)[k * host_lanes]];
  });
}

/// Σ values(k) x(columns(k)) of one row.
inline float long_dot(const float* values, const Ordinal* columns, Ordinal length, const float* x) {
  float sums[host_lanes] = {};
  const Ordinal rounds = length / host_lanes, done = rounds * host_lanes;
  add_entries(values, columns, static_cast<Offset>(rounds), host_lanes, x, sums);
  for (Ordinal k = done; k < length; ++k) sums[k - done] += values[k] * x[columns[k]];
  return sum_of_lanes(sums);
}

} // namespace tessera::solvers::sparse::detail

#pragma once

/// \file
/// Passes over the short rows of a host's matrices: a row is a vector or two, so that loops do not branch.
/// Without AVX-512 entries follow one another, and sums differ by rounding.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::sparse::detail {

#ifdef TESSERA_GATHERS
/// The first lanes, so many of them.
inline __mmask16 leading_lanes(Offset count) {
  return static_cast<__mmask16>(count >= host_lanes ? 0xffffu : (1u << count) - 1u);
}
#endif

/// out[k] = from[at[k]].
KOKKOS_INLINE_FUNCTION void gather_row(const Ordinal* from, const Ordinal* at, Offset count, Ordinal* out) {
#ifdef TESSERA_GATHERS
  for (Offset k = 0; k < count; k += host_lanes) {
    const __mmask16 in = leading_lanes(count - k);
    const __m512i index = _mm512_maskz_loadu_epi32(in, at + k);
    _mm512_mask_storeu_epi32(
        out + k, in, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), in, index, from, sizeof(Ordinal)));
  }
#else
  for (Offset k = 0; k < count; ++k) out[k] = from[at[k]];
#endif
}

/// out[k] = own · values[k] · scale[columns[k]].
KOKKOS_INLINE_FUNCTION void scale_row(double own, const double* values, const Ordinal* columns, Offset count,
                                      const float* scale, float* out) {
#ifdef TESSERA_GATHERS
  const __m512d factor = _mm512_set1_pd(own);
  const auto scale_half = [&](Offset k, __mmask8 in, __m256 others) {
    const __m512d scaled = _mm512_mul_pd(factor, _mm512_maskz_loadu_pd(in, values + k));
    _mm256_mask_storeu_ps(out + k, in, _mm512_cvtpd_ps(_mm512_mul_pd(scaled, _mm512_cvtps_pd(others))));
  };
  for (Offset k = 0; k < count; k += host_lanes) {
    const __mmask16 in = leading_lanes(count - k);
    const __m512 others = gather_leading(in, columns + k, scale);
    scale_half(k, static_cast<__mmask8>(in), _mm512_castps512_ps256(others));
    scale_half(k + 8, static_cast<__mmask8>(in >> 8), _mm512_extractf32x8_ps(others, 1));
  }
#else
  for (Offset k = 0; k < count; ++k) out[k] = static_cast<float>(own * values[k] * scale[columns[k]]);
#endif
}

/// Entries of a row.
struct SparseRow {
  const float* values;
  const Ordinal* columns;
  Ordinal count;
};

/// Of a matrix of single values.
template <class ExecutionSpace>
KOKKOS_FUNCTION SparseRow row_of(const Matrix<ExecutionSpace>& a, Ordinal row) {
  const Offset first = a.graph.row_map(row);
  return {a.values.data() + first, a.graph.columns.data() + first, a.graph.length(row)};
}

/// Σ values(k) x(columns(k)) in double.
KOKKOS_INLINE_FUNCTION double double_dot(const SparseRow& a, const float* x) {
#ifdef TESSERA_GATHERS
  __m512d sum = _mm512_setzero_pd();
  for (Ordinal k = 0; k < a.count; k += 8) {
    const auto in = static_cast<__mmask8>(leading_lanes(Kokkos::min(Ordinal{8}, a.count - k)));
    const __m256 other = _mm256_mmask_i32gather_ps(
        _mm256_setzero_ps(), in, _mm256_maskz_loadu_epi32(in, a.columns + k), x, sizeof(float));
    __builtin_prefetch(a.columns + k + ahead / 2);
    __builtin_prefetch(a.values + k + ahead / 2);
    sum = _mm512_fmadd_pd(_mm512_cvtps_pd(_mm256_maskz_loadu_ps(in, a.values + k)), _mm512_cvtps_pd(other),
                          sum);
  }
  return _mm512_reduce_add_pd(sum);
#else
  double sum = 0;
  for (Ordinal k = 0; k < a.count; ++k)
    sum += static_cast<double>(a.values[k]) * static_cast<double>(x[a.columns[k]]);
  return sum;
#endif
}

/// What a row weighs.
struct RowWeight {
  float sum = 0;     ///< of all |entries|
  float largest = 0; ///< |entry| outside the diagonal
};

KOKKOS_INLINE_FUNCTION RowWeight weight_of(const SparseRow& a, Ordinal row) {
  RowWeight weight;
#ifdef TESSERA_GATHERS
  __m512 sum = _mm512_setzero_ps(), largest = _mm512_setzero_ps();
  for (Ordinal k = 0; k < a.count; k += host_lanes) {
    const __mmask16 in = leading_lanes(a.count - k);
    const __m512 value = _mm512_abs_ps(_mm512_maskz_loadu_ps(in, a.values + k));
    const __mmask16 others = _mm512_mask_cmpneq_epi32_mask(in, _mm512_maskz_loadu_epi32(in, a.columns + k),
                                                           _mm512_set1_epi32(row));
    sum = _mm512_add_ps(sum, value);
    largest = _mm512_mask_max_ps(largest, others, largest, value);
  }
  weight = {_mm512_reduce_add_ps(sum), _mm512_reduce_max_ps(largest)};
#else
  for (Ordinal k = 0; k < a.count; ++k) {
    const float value = Kokkos::abs(a.values[k]);
    weight.sum += value;
    if (a.columns[k] != row) weight.largest = Kokkos::max(weight.largest, value);
  }
#endif
  return weight;
}

/// A row's columns but its own: those that 16 bits tell relative to the row, and the others.
struct NearColumns {
  Ordinal near = 0, far = 0;
};

KOKKOS_INLINE_FUNCTION NearColumns near_columns(const SparseRow& a, Ordinal row) {
  NearColumns found;
#ifdef TESSERA_GATHERS
  for (Ordinal k = 0; k < a.count; k += host_lanes) {
    const __mmask16 in = leading_lanes(a.count - k);
    const __m512i offset =
        _mm512_sub_epi32(_mm512_maskz_loadu_epi32(in, a.columns + k), _mm512_set1_epi32(row));
    const __mmask16 others = _mm512_mask_test_epi32_mask(in, offset, offset);
    const __mmask16 near = _mm512_mask_cmplt_epu32_mask(
        others, _mm512_add_epi32(offset, _mm512_set1_epi32(32768)), _mm512_set1_epi32(65536));
    found.near += Kokkos::popcount(static_cast<unsigned>(near));
    found.far += Kokkos::popcount(static_cast<unsigned>(others & ~near));
  }
#else
  for (Ordinal k = 0; k < a.count; ++k) {
    const bool near = static_cast<std::uint32_t>(a.columns[k] - row) + 32768u < 65536u;
    found.near += near && a.columns[k] != row ? 1 : 0;
    found.far += near ? 0 : 1;
  }
#endif
  return found;
}

/// Sums of a row of a matrix in double.
struct RowSums {
  double diagonal = 0, all = 0, absolute = 0;
  double skew = 0, squares = 0; ///< terms a_ij (u_i v_j − v_i u_j) of random numbers, and their squares

  /// \param own  the row's random numbers.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal row, const Kokkos::pair<double, double>& own, Ordinal column,
                                       double value) {
    all += value;
    absolute += Kokkos::abs(value);
    if (column == row) {
      diagonal = value;
      return;
    }
    const auto other = random_pair(column);
    const double term = value * (own.first * other.second - own.second * other.first);
    skew += term;
    squares += term * term;
  }
};

KOKKOS_INLINE_FUNCTION RowSums row_sums(const double* values, const Ordinal* columns, Offset count,
                                        Ordinal row) {
  const auto own = random_pair(row);
#ifdef TESSERA_GATHERS
  const auto number = [](__m256i bits) {
    return _mm512_fmadd_pd(_mm512_cvtepu32_pd(bits), _mm512_set1_pd(2.0 / 65536.0), _mm512_set1_pd(-1.0));
  };
  const __m512d u = _mm512_set1_pd(own.first), v = _mm512_set1_pd(own.second);
  __m512d diagonal = _mm512_setzero_pd(), all = diagonal, absolute = diagonal, skew = diagonal,
          squares = diagonal;
  for (Offset k = 0; k < count; k += 8) {
    const auto in = static_cast<__mmask8>(leading_lanes(Kokkos::min<Offset>(8, count - k)));
    const __m256i column = _mm256_maskz_loadu_epi32(in, columns + k);
    const __m512d value = _mm512_maskz_loadu_pd(in, values + k);
    const __mmask8 others = _mm256_mask_cmpneq_epi32_mask(in, column, _mm256_set1_epi32(row));
    const __m256i bits = random_bits_of(column, 1);
    const __m512d turned =
        _mm512_sub_pd(_mm512_mul_pd(u, number(_mm256_and_si256(bits, _mm256_set1_epi32(0xffff)))),
                      _mm512_mul_pd(v, number(_mm256_srli_epi32(bits, 16))));
    const __m512d term = _mm512_maskz_mul_pd(others, value, turned);
    diagonal = _mm512_mask_mov_pd(diagonal, static_cast<__mmask8>(in & ~others), value);
    all = _mm512_add_pd(all, value);
    absolute = _mm512_add_pd(absolute, _mm512_abs_pd(value));
    skew = _mm512_add_pd(skew, term);
    squares = _mm512_fmadd_pd(term, term, squares);
  }
  return {_mm512_reduce_add_pd(diagonal), _mm512_reduce_add_pd(all), _mm512_reduce_add_pd(absolute),
          _mm512_reduce_add_pd(skew), _mm512_reduce_add_pd(squares)};
#else
  RowSums sums;
  for (Offset k = 0; k < count; ++k) sums.add(row, own, columns[k], values[k]);
  return sums;
#endif
}

/// to[place[columns[k]]] = values[k], and zeros elsewhere; `length` is a multiple of 16. Short rows end with
/// their last entry again and again, so that their loops have a known length.
KOKKOS_INLINE_FUNCTION void spread_row(const SparseRow& row, const Ordinal* place, Ordinal length,
                                       float* to) {
  constexpr Ordinal at_once = 8;
  for (Ordinal k = 0; k < length; k += host_lanes)
    for (Ordinal lane = 0; lane < host_lanes; ++lane) to[k + lane] = 0;
  for (Ordinal begin = 0; begin < row.count; begin += at_once)
    for (Ordinal item = 0; item < at_once; ++item) {
      const Ordinal k = Kokkos::min(begin + item, row.count - 1);
      to[place[row.columns[k]]] = row.values[k];
    }
}

/// sums[0 … 16·Vectors) = Σ_k values[k] · rows[place[columns[k]] · stride …], added up in registers.
template <int Vectors>
KOKKOS_INLINE_FUNCTION void add_vectors(const SparseRow& a, const Ordinal* place, const float* rows,
                                        Ordinal stride, float* sums) {
#ifdef TESSERA_GATHERS
  __m512 sum[Vectors];
  for (auto& part : sum) part = _mm512_setzero_ps();
  for (Ordinal k = 0; k < a.count; ++k) {
    const float* const row = rows + static_cast<Offset>(place[a.columns[k]]) * stride;
    const __m512 factor = _mm512_set1_ps(a.values[k]);
    for (int j = 0; j < Vectors; ++j)
      sum[j] = _mm512_fmadd_ps(factor, _mm512_loadu_ps(row + j * host_lanes), sum[j]);
  }
  for (int j = 0; j < Vectors; ++j) _mm512_storeu_ps(sums + j * host_lanes, sum[j]);
#else
  for (int j = 0; j < Vectors * host_lanes; ++j) sums[j] = 0;
  for (Ordinal k = 0; k < a.count; ++k) {
    const float* const row = rows + static_cast<Offset>(place[a.columns[k]]) * stride;
    for (int j = 0; j < Vectors * host_lanes; ++j) sums[j] += a.values[k] * row[j];
  }
#endif
}

/// The same of so many vectors, from 1 to `Most`.
template <int Most>
KOKKOS_INLINE_FUNCTION void add_vectors_of(Ordinal vectors, const SparseRow& a, const Ordinal* place,
                                           const float* rows, Ordinal stride, float* sums) {
  if constexpr (Most > 1)
    if (vectors < Most) return add_vectors_of<Most - 1>(vectors, a, place, rows, stride, sums);
  add_vectors<Most>(a, place, rows, stride, sums);
}

/// The same of whole rows of so many numbers, a multiple of 16.
KOKKOS_INLINE_FUNCTION void add_dense_rows(const SparseRow& a, const Ordinal* place, const float* rows,
                                           Ordinal stride, float* sums) {
  for (Ordinal done = 0; done < stride;) {
    const Ordinal vectors = Kokkos::min(Ordinal{6}, (stride - done) / host_lanes);
    add_vectors_of<6>(vectors, a, place, rows + done, stride, sums + done);
    done += vectors * host_lanes;
  }
}

/// out[s] = Σ_k term(k).second over the terms whose term(k).first is groups[s].
template <class Term>
KOKKOS_FORCEINLINE_FUNCTION void sums_of_groups(const Ordinal* groups, Ordinal count, Ordinal terms,
                                                const Term& term, float* out) {
#ifdef TESSERA_GATHERS
  for (Ordinal s = 0; s < count; s += 8) {
    const auto in = static_cast<__mmask8>(leading_lanes(Kokkos::min(Ordinal{8}, count - s)));
    const __m256i group = _mm256_maskz_loadu_epi32(in, groups + s);
    __m512d sum = _mm512_setzero_pd();
    for (Ordinal k = 0; k < terms; ++k) {
      const auto [key, value] = term(k);
      const __mmask8 here = _mm256_mask_cmpeq_epi32_mask(in, group, _mm256_set1_epi32(key));
      sum = _mm512_mask_add_pd(sum, here, sum, _mm512_set1_pd(value));
    }
    _mm256_mask_storeu_ps(out + s, in, _mm512_cvtpd_ps(sum));
  }
#else
  for (Ordinal s = 0; s < count; ++s) {
    double sum = 0;
    for (Ordinal k = 0; k < terms; ++k) {
      const auto [key, value] = term(k);
      sum += key == groups[s] ? value : 0;
    }
    out[s] = static_cast<float>(sum);
  }
#endif
}

} // namespace tessera::solvers::sparse::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Passes over the short rows of a host's matrices: a row is a vector or two, so that loops do not branch.
/// Without AVX-512 entries follow one another, and sums differ by rounding.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::sparse::detail {

/// out[k] = from[at[k]].
KOKKOS_INLINE_FUNCTION void gather_row(const Ordinal* from, const Ordinal* at, Offset count, Ordinal* out) {
#ifdef TESSERA_GATHERS
  for (Offset k = 0; k < count; k += host_lanes) {
    const avx512::Mask16 in = avx512::leading16(count - k);
    avx512::store(in, out + k, avx512::gather(in, avx512::load(in, at + k), from));
  }
#else
  for (Offset k = 0; k < count; ++k) out[k] = from[at[k]];
#endif
}

/// out[k] = own · values[k] · scale[columns[k]].
KOKKOS_INLINE_FUNCTION void scale_row(double own, const double* values, const Ordinal* columns, Offset count,
                                      const float* scale, float* out) {
#ifdef TESSERA_GATHERS
  const avx512::Doubles8 factor = avx512::all(own);
  const auto scale_half = [&](Offset k, avx512::Mask8 in, avx512::Singles8 others) {
    const avx512::Doubles8 scaled = avx512::multiply(factor, avx512::load(in, values + k));
    avx512::store(in, out + k, avx512::to_singles(avx512::multiply(scaled, avx512::to_doubles(others))));
  };
  for (Offset k = 0; k < count; k += host_lanes) {
    const avx512::Mask16 in = avx512::leading16(count - k);
    const avx512::Singles16 others = avx512::gather_leading(in, columns + k, scale);
    scale_half(k, static_cast<avx512::Mask8>(in), avx512::lower(others));
    scale_half(k + 8, static_cast<avx512::Mask8>(in >> 8), avx512::upper(others));
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
  avx512::Doubles8 sum = avx512::all(0.0);
  for (Ordinal k = 0; k < a.count; k += 8) {
    const avx512::Mask8 in = avx512::leading8(a.count - k);
    const avx512::Singles8 other = avx512::gather(in, avx512::load(in, a.columns + k), x);
    __builtin_prefetch(a.columns + k + tuning::fetched_entries / 2);
    __builtin_prefetch(a.values + k + tuning::fetched_entries / 2);
    sum = avx512::multiply_add(avx512::to_doubles(avx512::load(in, a.values + k)), avx512::to_doubles(other),
                               sum);
  }
  return avx512::sum(sum);
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
  avx512::Singles16 sum = avx512::all(0.0f), largest = avx512::all(0.0f);
  for (Ordinal k = 0; k < a.count; k += host_lanes) {
    const avx512::Mask16 in = avx512::leading16(a.count - k);
    const avx512::Singles16 value = avx512::absolute(avx512::load(in, a.values + k));
    const avx512::Mask16 others = avx512::differ(in, avx512::load(in, a.columns + k), avx512::all(row));
    sum = avx512::add(sum, value);
    largest = avx512::larger_in(others, largest, value);
  }
  weight = {avx512::sum(sum), avx512::largest(largest)};
#else
  for (Ordinal k = 0; k < a.count; ++k) {
    const float value = Kokkos::abs(a.values[k]);
    weight.sum += value;
    if (a.columns[k] != row) weight.largest = Kokkos::max(weight.largest, value);
  }
#endif
  return weight;
}

#ifdef TESSERA_GATHERS
/// Those of some offsets that 16 bits tell.
inline avx512::Mask16 near_offsets(avx512::Mask16 in, avx512::Ints16 offsets) {
  return avx512::less_unsigned(in, avx512::add(offsets, avx512::all(32768)), avx512::all(65536));
}
#endif

/// A row's columns but its own: those that 16 bits tell relative to the row, and the others.
struct NearColumns {
  Ordinal near = 0, far = 0;
};

KOKKOS_INLINE_FUNCTION NearColumns near_columns(const SparseRow& a, Ordinal row) {
  NearColumns found;
#ifdef TESSERA_GATHERS
  for (Ordinal k = 0; k < a.count; k += host_lanes) {
    const avx512::Mask16 in = avx512::leading16(a.count - k);
    const avx512::Ints16 offset = avx512::subtract(avx512::load(in, a.columns + k), avx512::all(row));
    const avx512::Mask16 others = avx512::not_zero(in, offset), near = near_offsets(others, offset);
    found.near += avx512::count(near);
    found.far += avx512::count(static_cast<avx512::Mask16>(others & ~near));
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
  using namespace avx512;
  const auto number = [](Ints8 bits) {
    return multiply_add(to_doubles_unsigned(bits), avx512::all(2.0 / 65536.0), avx512::all(-1.0));
  };
  const Doubles8 u = avx512::all(own.first), v = avx512::all(own.second);
  Doubles8 diagonal = avx512::all(0.0), all = diagonal, absolutes = diagonal, skew = diagonal,
           squares = diagonal;
  for (Offset k = 0; k < count; k += 8) {
    const Mask8 in = leading8(count - k);
    const Ints8 column = load(in, columns + k);
    const Doubles8 value = load(in, values + k);
    const Mask8 others = differ(in, column, all8(row));
    const Ints8 bits = random_bits_of(column, 1);
    const Doubles8 turned =
        subtract(multiply(u, number(both(bits, all8(0xffff)))), multiply(v, number(shift_right<16>(bits))));
    const Doubles8 term = multiply(others, value, turned);
    diagonal = replace_in(static_cast<Mask8>(in & ~others), diagonal, value);
    all = add(all, value);
    absolutes = add(absolutes, absolute(value));
    skew = add(skew, term);
    squares = multiply_add(term, term, squares);
  }
  return {sum(diagonal), sum(all), sum(absolutes), sum(skew), sum(squares)};
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
  avx512::Singles16 sum[Vectors];
  for (auto& part : sum) part = avx512::all(0.0f);
  for (Ordinal k = 0; k < a.count; ++k) {
    const float* const row = rows + static_cast<Offset>(place[a.columns[k]]) * stride;
    const avx512::Singles16 factor = avx512::all(a.values[k]);
    for (int j = 0; j < Vectors; ++j)
      sum[j] = avx512::multiply_add(factor, avx512::load(row + j * host_lanes), sum[j]);
  }
  for (int j = 0; j < Vectors; ++j) avx512::store(sums + j * host_lanes, sum[j]);
#else
  for (int j = 0; j < Vectors * host_lanes; ++j) sums[j] = 0;
  for (Ordinal k = 0; k < a.count; ++k) {
    const float* const row = rows + static_cast<Offset>(place[a.columns[k]]) * static_cast<Offset>(stride);
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
    const avx512::Mask8 in = avx512::leading8(count - s);
    const avx512::Ints8 group = avx512::load(in, groups + s);
    avx512::Doubles8 sum = avx512::all(0.0);
    for (Ordinal k = 0; k < terms; ++k) {
      const auto [key, value] = term(k);
      sum = avx512::add_in(avx512::equal(in, group, avx512::all8(key)), sum, avx512::all(value));
    }
    avx512::store(in, out + s, avx512::to_singles(sum));
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

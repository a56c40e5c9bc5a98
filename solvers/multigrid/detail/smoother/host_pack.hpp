#pragma once

/// \file
/// A host's packing of rows with single values, a slice at a time: a row is a vector or two.

#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid::detail {

#ifdef TESSERA_GATHERS
/// Upper halves of single-precision numbers, rounded to nearest.
inline __m512i rounded_upper_halves(__m512i bits) {
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
  return _mm512_and_si512(sum, _mm512_set1_epi32(static_cast<int>(0xffff0000u)));
}

/// Some lanes one after the other, a slice's width apart.
template <class Scalar>
inline void store_apart(__m512i lanes, __mmask16 which, Scalar*& to) {
  Scalar close[host_lanes];
  _mm512_storeu_si512(close, _mm512_maskz_compress_epi32(which, lanes));
  const int count = Kokkos::popcount(static_cast<unsigned>(which));
  for (int k = 0; k < count; ++k, to += host_lanes) *to = close[k];
}

/// Where a slice's entries go.
struct PackedSlice {
  static constexpr Ordinal room = 64; // words of a row, at most
  std::uint32_t* near;
  Ordinal width; // words of a row
  Ordinal* far_columns;
  float* far_values;
  Ordinal far_width;
};

/// What packing rows side by side found: their diagonal entries, and of the others, as they are packed, sums
/// and sums of absolute values, weighted.
struct PackedSums {
  double diagonal[host_lanes], sum[host_lanes], absolute[host_lanes];
};

/// Packs rows of single values.
class SlicePacker {
public:
  /// \param weights  by column; null for ones.
  SlicePacker(const float* weights, bool half) : weights_(weights), half_(half) {}

  /// Packs the rows from `first` on, `row(lane)` each. They lie one after the other before they are turned.
  template <class Row>
  void pack(const PackedSlice& to, Ordinal first, const Row& row, PackedSums& found) const {
    std::uint32_t near[host_lanes][PackedSlice::room + host_lanes];
    for (int lane = 0; lane < host_lanes; ++lane) pack(row(lane), first + lane, near[lane], to, lane, found);
    for (Ordinal k = 0; k < to.width; ++k)
      for (int lane = 0; lane < host_lanes; ++lane) to.near[k * host_lanes + lane] = near[lane][k];
  }

private:
  struct Sums {
    __m512d all, absolute;

    void add(__m512 values, __m512 weights) {
      add(_mm512_castps512_ps256(values), _mm512_castps512_ps256(weights));
      add(_mm512_extractf32x8_ps(values, 1), _mm512_extractf32x8_ps(weights, 1));
    }
    void add(__m256 values, __m256 weights) {
      const __m512d value = _mm512_cvtps_pd(values), weight = _mm512_cvtps_pd(weights);
      all = _mm512_fmadd_pd(value, weight, all);
      absolute = _mm512_fmadd_pd(_mm512_abs_pd(value), weight, absolute);
    }
  };

  /// Packs a row; its words, and zeros up to the slice's width, are left in `near`.
  void pack(const SparseRow& a, Ordinal row, std::uint32_t* near, const PackedSlice& to, int lane,
            PackedSums& found) const {
    Sums sums{_mm512_setzero_pd(), _mm512_setzero_pd()};
    const std::uint32_t* const end = near + to.width;
    Ordinal* far_columns = to.far_columns + lane;
    float* far_values = to.far_values + lane;
    found.diagonal[lane] = 1;
    for (Ordinal k = 0; k < a.count; k += host_lanes) {
      const __mmask16 in = leading_lanes(a.count - k);
      const __m512i columns = _mm512_maskz_loadu_epi32(in, a.columns + k);
      const __m512i values = _mm512_maskz_loadu_epi32(in, a.values + k);
      const __m512i offsets = _mm512_sub_epi32(columns, _mm512_set1_epi32(row));
      const __mmask16 others = _mm512_mask_test_epi32_mask(in, offsets, offsets);
      if (const auto own = static_cast<__mmask16>(in & ~others))
        found.diagonal[lane] = _mm512_mask_reduce_add_ps(own, _mm512_castsi512_ps(values));
      const __mmask16 is_near = near_of(offsets, others);
      const __m512i upper = rounded_upper_halves(values);
      const __m512i words = _mm512_or_si512(upper, _mm512_and_si512(offsets, _mm512_set1_epi32(0xffff)));
      _mm512_storeu_si512(near, _mm512_maskz_compress_epi32(is_near, words));
      near += Kokkos::popcount(static_cast<unsigned>(is_near));
      if (const auto far = static_cast<__mmask16>(others & ~is_near)) {
        store_apart(columns, far, far_columns);
        store_apart(values, far, far_values);
      }
      const __m512i kept = _mm512_mask_mov_epi32(values, is_near, upper);
      const __m512 weights =
          weights_ == nullptr ? _mm512_set1_ps(1) : gather_leading(in, a.columns + k, weights_);
      sums.add(_mm512_maskz_mov_ps(others, _mm512_castsi512_ps(kept)), weights);
    }
    for (; near < end; near += host_lanes) _mm512_storeu_si512(near, _mm512_setzero_si512());
    for (const Ordinal* last = to.far_columns + to.far_width * host_lanes; far_columns < last;
         far_columns += host_lanes, far_values += host_lanes) {
      *far_columns = row;
      *far_values = 0;
    }
    found.sum[lane] = _mm512_reduce_add_pd(sums.all);
    found.absolute[lane] = _mm512_reduce_add_pd(sums.absolute);
  }

  /// Those of the entries that 16 bits tell relative to their row.
  __mmask16 near_of(__m512i offsets, __mmask16 others) const {
    if (!half_) return 0;
    return _mm512_mask_cmplt_epu32_mask(others, _mm512_add_epi32(offsets, _mm512_set1_epi32(32768)),
                                        _mm512_set1_epi32(65536));
  }

  const float* weights_;
  bool half_;
};

/// Fills a host's packed matrix of single values slice by slice.
///
/// \tparam Pack  fills it row by row, which serves what is left of the last slice and very long rows.
template <class Pack, class Properties>
struct PackSlices {
  Pack rows;

  void operator()(Ordinal slice, Properties& found) const {
    const auto& packed = rows.packed;
    const Ordinal first = slice * host_lanes, lanes = Kokkos::min(packed.rows() - first, host_lanes);
    const auto width = [&](const auto& begin) {
      return static_cast<Ordinal>((begin(slice + 1) - begin(slice)) / host_lanes);
    };
    const PackedSlice to{packed.near.data() + packed.near_begin(slice), width(packed.near_begin),
                         packed.far.columns.data() + packed.far.begin(slice),
                         packed.far.values.data() + packed.far.begin(slice), width(packed.far.begin)};
    if (lanes < host_lanes || to.width > PackedSlice::room) {
      for (Ordinal lane = 0; lane < lanes; ++lane) {
        PlainRow entries{rows.matrix, first + lane};
        rows(first + lane, entries, found);
      }
      return;
    }
    PackedSums sums;
    SlicePacker(rows.test.data(), rows.half)
        .pack(to, first, [&](int lane) { return row_of(rows.matrix, first + lane); }, sums);
    for (int lane = 0; lane < host_lanes; ++lane)
      rows.set_diagonal(first + lane, sums.diagonal[lane], sums.sum[lane], sums.absolute[lane], found);
  }
};
#endif

} // namespace tessera::solvers::multigrid::detail

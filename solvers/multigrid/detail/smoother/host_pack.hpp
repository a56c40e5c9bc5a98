// SPDX-License-Identifier: BSD-3-Clause
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
inline avx512::Ints16 rounded_upper_halves(avx512::Ints16 bits) {
  using namespace avx512;
  const Ints16 odd = both(shift_right<16>(bits), all(1));
  return both(add(add(bits, odd), all(0x7fff)), all_bits(0xffff0000u));
}

/// Some lanes one after the other, a slice's width apart.
template <class Scalar>
inline void store_apart(avx512::Ints16 lanes, avx512::Mask16 which, Scalar*& to) {
  Scalar close[host_lanes];
  avx512::store(static_cast<void*>(close), avx512::close_up(which, lanes));
  const int count = avx512::count(which);
  for (int k = 0; k < count; ++k, to += host_lanes) *to = close[k];
}

/// Where a slice's entries go.
struct PackedSlice {
  static constexpr Ordinal capacity = 64; // words of a row, at most
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
  SlicePacker(const float* weights, bool half_storage) : weights_(weights), half_storage_(half_storage) {}

  /// Packs the rows from `first` on, `row(lane)` each. They lie one after the other before they are turned.
  template <class Row>
  void pack(const PackedSlice& to, Ordinal first, const Row& row, PackedSums& found) const {
    std::uint32_t near[host_lanes][PackedSlice::capacity + host_lanes];
    for (int lane = 0; lane < host_lanes; ++lane) pack(row(lane), first + lane, near[lane], to, lane, found);
    for (Ordinal k = 0; k < to.width; ++k)
      for (int lane = 0; lane < host_lanes; ++lane) to.near[k * host_lanes + lane] = near[lane][k];
  }

private:
  struct Sums {
    avx512::Doubles8 all = avx512::all(0.0), absolute = all;

    void add(avx512::Singles16 values, avx512::Singles16 weights) {
      add(avx512::lower(values), avx512::lower(weights));
      add(avx512::upper(values), avx512::upper(weights));
    }
    void add(avx512::Singles8 values, avx512::Singles8 weights) {
      const avx512::Doubles8 value = avx512::to_doubles(values), weight = avx512::to_doubles(weights);
      all = avx512::multiply_add(value, weight, all);
      absolute = avx512::multiply_add(avx512::absolute(value), weight, absolute);
    }
  };

  /// Packs a row; its words, and zeros up to the slice's width, are left in `near`.
  void pack(const SparseRow& a, Ordinal row, std::uint32_t* near, const PackedSlice& to, int lane,
            PackedSums& found) const {
    using namespace avx512;
    Sums sums;
    const std::uint32_t* const end = near + to.width;
    Ordinal* far_columns = to.far_columns + lane;
    float* far_values = to.far_values + lane;
    found.diagonal[lane] = 1;
    for (Ordinal k = 0; k < a.count; k += host_lanes) {
      const Mask16 in = leading16(a.count - k);
      const Ints16 columns = load(in, a.columns + k);
      const Ints16 values = load_bits(in, a.values + k);
      const Ints16 offsets = subtract(columns, all(row));
      const Mask16 others = not_zero(in, offsets);
      if (const auto own = static_cast<Mask16>(in & ~others))
        found.diagonal[lane] = sum(own, as_singles(values));
      const Mask16 is_near = half_storage_ ? near_offsets(others, offsets) : Mask16{0};
      const Ints16 rounded = rounded_upper_halves(values);
      const Ints16 words = either(rounded, both(offsets, all(0xffff)));
      store(static_cast<void*>(near), close_up(is_near, words));
      near += avx512::count(is_near);
      if (const auto far = static_cast<Mask16>(others & ~is_near)) {
        store_apart(columns, far, far_columns);
        store_apart(values, far, far_values);
      }
      const Ints16 kept = replace_in(is_near, values, rounded);
      const Singles16 weights = weights_ == nullptr ? all(1.0f) : gather_leading(in, a.columns + k, weights_);
      sums.add(only(others, as_singles(kept)), weights);
    }
    for (; near < end; near += host_lanes) store(static_cast<void*>(near), all(0));
    for (const Ordinal* last = to.far_columns + to.far_width * host_lanes; far_columns < last;
         far_columns += host_lanes, far_values += host_lanes) {
      *far_columns = row;
      *far_values = 0;
    }
    found.sum[lane] = sum(sums.all);
    found.absolute[lane] = sum(sums.absolute);
  }

  const float* weights_;
  bool half_storage_;
};

/// Fills a host's packed matrix of single values slice by slice.
///
/// \tparam RowPack  fills it row by row, which serves what is left of the last slice and very long rows.
template <class RowPack, class Properties>
struct PackSlices {
  RowPack rows;

  void operator()(Ordinal slice, Properties& found) const {
    const auto& packed = rows.packed;
    const Ordinal first = slice * host_lanes, lanes = Kokkos::min(packed.rows() - first, host_lanes);
    const auto width = [&](const auto& begin) {
      return static_cast<Ordinal>((begin(slice + 1) - begin(slice)) / host_lanes);
    };
    const PackedSlice to{packed.near.data() + packed.near_begin(slice), width(packed.near_begin),
                         packed.far.columns.data() + packed.far.begin(slice),
                         packed.far.values.data() + packed.far.begin(slice), width(packed.far.begin)};
    if (lanes < host_lanes || to.width > PackedSlice::capacity) {
      for (Ordinal lane = 0; lane < lanes; ++lane) {
        PlainRow entries{rows.matrix, first + lane};
        rows(first + lane, entries, found);
      }
      return;
    }
    PackedSums sums;
    SlicePacker(rows.test.data(), rows.half_storage)
        .pack(to, first, [&](int lane) { return row_of(rows.matrix, first + lane); }, sums);
    for (int lane = 0; lane < host_lanes; ++lane)
      rows.set_diagonal(first + lane, sums.diagonal[lane], sums.sum[lane], sums.absolute[lane], found);
  }
};
#endif

} // namespace tessera::solvers::multigrid::detail

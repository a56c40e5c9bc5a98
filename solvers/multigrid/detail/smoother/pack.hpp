// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How packed matrices are made and filled.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/graphs/detail/scan_lengths.hpp>
#include <tessera/solvers/multigrid/detail/smoother/host_pack.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Upper half of a single-precision number, rounded to nearest: eight bits of precision, all of the range.
KOKKOS_INLINE_FUNCTION std::uint32_t rounded_upper_half(float value) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
}

/// What filling a packed matrix found.
struct PackedProperties {
  /// Of the largest eigenvalue: the largest row sum of absolute values, each relative to the test vector
  /// (Gershgorin's circles of a similar matrix).
  double row_sum_bound = 0;
  Ordinal coupled_rows = 0; ///< that have couplings
  KOKKOS_FUNCTION PackedProperties& operator+=(const PackedProperties& other) {
    row_sum_bound = Kokkos::max(row_sum_bound, other.row_sum_bound);
    coupled_rows += other.coupled_rows;
    return *this;
  }
};

/// Most entries of some rows.
struct SliceWidths {
  Ordinal near = 0, far = 0;
  KOKKOS_FUNCTION SliceWidths& operator+=(const SliceWidths& other) {
    near = Kokkos::max(near, other.near);
    far = Kokkos::max(far, other.far);
    return *this;
  }
};

/// Offsets of slices from their widths, near and far, in one pass.
template <class ExecutionSpace>
struct SliceLengths {
  static constexpr int kinds = 2;
  Offsets<ExecutionSpace> near, far;

  KOKKOS_FUNCTION tessera::detail::LengthSums<kinds> lengths(Ordinal i) const {
    return {{i == 0 ? Offset{0} : near(i), i == 0 ? Offset{0} : far(i)}, {}};
  }
  KOKKOS_FUNCTION void store(Ordinal i, const Kokkos::Array<Offset, kinds>& through) const {
    near(i) = through[0];
    far(i) = through[1];
  }
};

/// Fills a packed matrix row by row.
template <class ExecutionSpace>
struct RowPack {
  Matrix<ExecutionSpace> matrix;
  PackedMatrix<ExecutionSpace> packed;
  Floats<ExecutionSpace> test;         // the vector whose product stays as it is; empty for none
  Floats<ExecutionSpace> test_product; // its product with the matrix
  bool half_storage; // near entries in half of single precision, see `PackedMatrix`; else all are far

  KOKKOS_FUNCTION bool is_near(Ordinal row, Ordinal column) const {
    const Ordinal offset = column - row;
    return half_storage && offset >= -32768 && offset <= 32767;
  }

  /// A row's entries that are near, and far.
  KOKKOS_FORCEINLINE_FUNCTION SliceWidths entries(Ordinal row) const {
    SliceWidths own;
    if (runs_on_host<ExecutionSpace> && half_storage && matrix.scalar()) {
      const NearColumns found = near_columns(row_of(matrix, row), row);
      return {.near = found.near, .far = found.far};
    }
    matrix.each_column(row, [&](Ordinal column) {
      if (column != row) ++(is_near(row, column) ? own.near : own.far);
    });
    return own;
  }

  /// Widths of a slice, in the entries of the offsets after its own: most entries of its rows that are near,
  /// and far.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal slice, int) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    SliceWidths most;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Kokkos::min(width, packed.rows() - slice * width)),
        [&](Ordinal lane, SliceWidths& widths) {
          const Ordinal row = slice * width + lane;
          widths += entries(row);
        },
        most);
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      packed.near_begin(slice + 1) = static_cast<Offset>(most.near) * width;
      packed.far.begin(slice + 1) = static_cast<Offset>(most.far) * width;
    });
  }

  /// Writes a row.
  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, PackedProperties& found) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    const Ordinal slice = row / width, lane = row % width;
    Offset near = packed.near_begin(slice) + lane, far = packed.far.begin(slice) + lane;
    const bool weighted = test.extent(0) > 0;
    double own = 1, sum = 0, absolute = 0;
    entries.each([&](Ordinal column) { return weighted ? test(column) : 1.0f; },
                 [&](Ordinal column, float value, double weight) {
                   if (column == row) {
                     own = value;
                     return;
                   }
                   if (is_near(row, column)) {
                     const std::uint32_t upper = rounded_upper_half(value);
                     value = Kokkos::bit_cast<float>(upper);
                     packed.near(near) = upper | (static_cast<std::uint32_t>(column - row) & 0xffffu);
                     near += width;
                   } else {
                     packed.far.columns(far) = column;
                     packed.far.values(far) = value;
                     far += width;
                   }
                   sum += value * weight;
                   absolute += Kokkos::abs(value) * weight;
                 });
    if (!entries.is_row()) return;
    for (; near < packed.near_begin(slice + 1); near += width) packed.near(near) = 0;
    for (; far < packed.far.begin(slice + 1); far += width) {
      packed.far.columns(far) = row;
      packed.far.values(far) = 0;
    }
    set_diagonal(row, own, sum, absolute, found);
  }

  /// Sets a row's diagonal, of which `own` is the matrix's; weighted sums are of what else was packed.
  KOKKOS_FORCEINLINE_FUNCTION void set_diagonal(Ordinal row, double own, double sum, double absolute,
                                                PackedProperties& found) const {
    double weight = 1;
    if (test.extent(0) > 0 && test(row) > 0) {
      weight = test(row);
      own = (static_cast<double>(test_product(row)) - sum) / weight;
    }
    packed.diagonal(row) = static_cast<float>(own);
    found += PackedProperties{.row_sum_bound = Kokkos::abs(own) + absolute / weight,
                              .coupled_rows = absolute > 0 ? 1 : 0};
  }
};

/// One allocation for the finest level's values and what is small of its packed form, see `packed_pattern`.
template <class ExecutionSpace>
void reserve_finest_rows(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace>& a) {
  const std::size_t begins = sizeof(Offset) * (Slices<ExecutionSpace>::count(a.rows()) + 1);
  reserve(work, "finest_rows", sizeof(float) * a.entries(), begins, begins, sizeof(float) * a.rows());
}

/// The slices of a packed matrix for a pattern; the values are left open.
template <class ExecutionSpace>
PackedMatrix<ExecutionSpace> packed_pattern(const Workspace<ExecutionSpace>& work,
                                            const Matrix<ExecutionSpace>& matrix, bool half_storage) {
  using Functor = RowPack<ExecutionSpace>;
  PackedMatrix<ExecutionSpace> packed;
  constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
  const Ordinal rows = matrix.rows(), slices = Slices<ExecutionSpace>::count(rows);
  packed.near_begin = make_kept<Offsets<ExecutionSpace>>(work, "packed::near_begin", slices + 1);
  packed.far.begin = make_kept<Offsets<ExecutionSpace>>(work, "packed::far_begin", slices + 1);
  packed.diagonal = make_kept<Floats<ExecutionSpace>>(work, "packed::diagonal", rows);
  for_each_row(work.exec, "Tessera::Multigrid::pack_count", slices, width, 0,
               Functor{matrix, packed, {}, {}, half_storage});
  const SliceLengths<ExecutionSpace> lengths{packed.near_begin, packed.far.begin};
  const auto words = scan_total(work, "Tessera::Multigrid::scan_slices", lengths, slices + 1).sum;
  const Offset far = words[1];
  reserve(work, "packed", sizeof(std::uint32_t) * words[0], sizeof(Ordinal) * far, sizeof(float) * far);
  packed.near = make_kept<Kokkos::View<std::uint32_t*, ExecutionSpace>>(work, "packed::near", words[0]);
  packed.far.columns = make_kept<Ordinals<ExecutionSpace>>(work, "packed::far_columns", far);
  packed.far.values = make_kept<Floats<ExecutionSpace>>(work, "packed::far_values", far);
  return packed;
}

/// Fills `packed`; see `RowPack`.
template <class ExecutionSpace>
PackedProperties pack(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                      const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
                      bool half_storage, const PackedMatrix<ExecutionSpace>& packed) {
  PackedProperties found;
  constexpr const char* label = "Tessera::Multigrid::pack";
  const RowPack<ExecutionSpace> rows{matrix, packed, test, test_product, half_storage};
#ifdef TESSERA_GATHERS
  if constexpr (runs_on_host<ExecutionSpace>)
    if (matrix.scalar()) {
      const auto slices =
          contiguous(Range<ExecutionSpace>(exec, 0, Slices<ExecutionSpace>::count(matrix.rows())));
      Kokkos::parallel_reduce(label, slices, PackSlices<RowPack<ExecutionSpace>, PackedProperties>{rows},
                              found);
      return found;
    }
#endif
  for_each_staged_row<true>(exec, label, matrix, rows, found);
  return found;
}

} // namespace tessera::solvers::multigrid::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of sparse matrices side by side: coalesced on devices, vectors on the host.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::sparse::detail {

/// Rows in slices, entry by entry side by side (sliced ELLPACK: A. Monakov, A. Lokhmotov and A. Avetisyan
/// 2010). A slice is as wide as a warp on devices, where each thread takes a row, and as a vector on the
/// host, where a thread takes a slice: what a loop is over is an item, a slice or a row.
template <class ExecutionSpace>
struct Slices {
  static constexpr bool host = runs_on_host<ExecutionSpace>;
  static constexpr Ordinal width = host ? host_lanes : 32;
  static constexpr int lanes = host ? width : 1; // of an item

  static Ordinal count(Ordinal rows) { return rows / width + (rows % width > 0 ? 1 : 0); }
  static Ordinal items(Ordinal rows) { return host ? count(rows) : rows; }

  KOKKOS_FORCEINLINE_FUNCTION static Ordinal first_row(Ordinal item) { return host ? item * width : item; }
  KOKKOS_FORCEINLINE_FUNCTION static Ordinal slice(Ordinal item) { return host ? item : item / width; }
  KOKKOS_FORCEINLINE_FUNCTION static int lanes_of(Ordinal rows, Ordinal item) {
    return static_cast<int>(Kokkos::min(Ordinal{lanes}, rows - first_row(item)));
  }

  /// Calls visit(lane) for the rows of an item. A full slice has a number of lanes that the compiler knows.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void each_lane(Ordinal rows, Ordinal item, const Visit& visit) {
    if constexpr (!host) {
      visit(0);
    } else if (rows - first_row(item) >= width) {
      for (int lane = 0; lane < lanes; ++lane) visit(lane);
    } else {
      for (int lane = 0; lane < rows - first_row(item); ++lane) visit(lane);
    }
  }

  /// out(row) = value(lane, row) for the rows of an item. All are computed before the first is written, so
  /// that they need not be distinct from what they are computed of.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Ordinal rows, Ordinal item, float* out, const Value& value) {
    float values[lanes];
    const Ordinal first = first_row(item);
    each_lane(rows, item, [&](int lane) { values[lane] = value(lane, first + lane); });
    each_lane(rows, item, [&](int lane) { out[first + lane] = values[lane]; });
  }

  /// Σ term(row) over the rows of an item.
  template <class Term>
  KOKKOS_FORCEINLINE_FUNCTION static double sum(Ordinal rows, Ordinal item, const Term& term) {
    if constexpr (!host) {
      return term(item);
    } else {
      double terms[width] = {};
      const Ordinal first = first_row(item);
      each_lane(rows, item, [&](int lane) { terms[lane] = term(first + lane); });
      return sum_of_lanes(terms);
    }
  }
};

/// Entries of rows in slices: columns of 32 bits and values in single precision.
template <class ExecutionSpace>
struct SlicedEntries {
  Offsets<ExecutionSpace> begin; // slice (+1)
  Ordinals<ExecutionSpace> columns;
  Floats<ExecutionSpace> values;

  std::size_t bytes() const { return bytes_of(begin) + bytes_of(columns) + bytes_of(values); }

  /// sums[lane] += the products of an item's rows with x.
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Ordinal rows, Ordinal item, const float* x,
                                               float* sums) const {
    using Slice = Slices<ExecutionSpace>;
    const Ordinal slice = Slice::slice(item);
    const Offset first = begin(slice), end = begin(slice + 1);
    if constexpr (Slice::host)
      add_entries(values.data() + first, columns.data() + first, (end - first) / Slice::width,
                  Slice::lanes_of(rows, item), x, sums);
    else
      for (Offset k = first + item % Slice::width; k < end; k += Slice::width)
        sums[0] += values(k) * x[columns(k)];
  }
};

/// Puts a matrix's rows into slices.
template <class ExecutionSpace>
struct SliceRows {
  using Slice = Slices<ExecutionSpace>;
  Matrix<ExecutionSpace> matrix;
  SlicedEntries<ExecutionSpace> sliced;

  struct Count {};
  struct Fill {};

  KOKKOS_FUNCTION Offset length(Ordinal row) const {
    return static_cast<Offset>(matrix.graph.length(row / matrix.block_rows)) * matrix.block_columns;
  }
  KOKKOS_FUNCTION Offset longest(Ordinal slice) const {
    Offset result = 0;
    for (Ordinal row = slice * Slice::width; row < end_of(slice); ++row)
      result = Kokkos::max(result, length(row));
    return result;
  }
  KOKKOS_FUNCTION Ordinal end_of(Ordinal slice) const {
    return Kokkos::min(matrix.rows(), (slice + 1) * Slice::width);
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal slice) const {
    sliced.begin(slice + 1) = longest(slice) * Slice::width;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal slice) const {
    for (Ordinal row = slice * Slice::width; row < end_of(slice); ++row) {
      Offset to = sliced.begin(slice) + row % Slice::width;
      matrix.each_entry(row, [&](Ordinal column, float value) {
        sliced.columns(to) = column;
        sliced.values(to) = value;
        to += Slice::width;
      });
      for (; to < sliced.begin(slice + 1); to += Slice::width) sliced.columns(to) = 0, sliced.values(to) = 0;
    }
  }
};

/// Rows in slices for a matrix's pattern; columns and values are left open.
template <class ExecutionSpace>
SlicedEntries<ExecutionSpace> sliced_pattern(const Workspace<ExecutionSpace>& work,
                                             const Matrix<ExecutionSpace>& matrix) {
  using Body = SliceRows<ExecutionSpace>;
  const Ordinal slices = Body::Slice::count(matrix.rows());
  SlicedEntries<ExecutionSpace> sliced{
      make_kept<Offsets<ExecutionSpace>>(work, "sliced_entries::begin", slices + 1), {}, {}};
  Kokkos::parallel_for("Tessera::Sparse::slice_rows",
                       Kokkos::RangePolicy<ExecutionSpace, typename Body::Count, Kokkos::IndexType<Ordinal>>(
                           work.exec, 0, slices),
                       Body{matrix, sliced});
  const Offset entries = lengths_to_offsets(work, sliced.begin).sum;
  sliced.columns = make_kept<Ordinals<ExecutionSpace>>(work, "sliced_entries::columns", entries);
  sliced.values = make_kept<Floats<ExecutionSpace>>(work, "sliced_entries::values", entries);
  return sliced;
}

/// Fills rows in slices.
template <class ExecutionSpace>
void sliced_values(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                   const SlicedEntries<ExecutionSpace>& sliced) {
  using Body = SliceRows<ExecutionSpace>;
  Kokkos::parallel_for("Tessera::Sparse::slice_rows",
                       Kokkos::RangePolicy<ExecutionSpace, typename Body::Fill, Kokkos::IndexType<Ordinal>>(
                           exec, 0, Body::Slice::count(matrix.rows())),
                       Body{matrix, sliced});
}

} // namespace tessera::solvers::sparse::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Checks of and reads from a sparse matrix given as plain views.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace tessera::solvers::detail {

/// \throws ArgumentError naming `who` unless the vectors of a product have an entry for each row
inline void check_vectors(const char* who, std::size_t rows, std::size_t x, std::size_t y) {
  if (x != rows || y != rows)
    throw ArgumentError(std::string(who) + ": x has " + std::to_string(x) + " entries and y " +
                        std::to_string(y) + ", both need " + std::to_string(rows));
}

/// The same for vectors that must not be one. \throws ArgumentError if they are
template <class X, class Y>
void check_distinct_vectors(const char* who, std::size_t rows, const X& x, const Y& y) {
  check_vectors(who, rows, x.extent(0), y.extent(0));
  if (rows > 0 && static_cast<const void*>(x.data()) == static_cast<const void*>(y.data()))
    throw ArgumentError(std::string(who) + ": x and y must be distinct");
}

/// A square matrix in compressed rows, as constant views in memory of the execution space.
template <class Scalar, class ExecutionSpace>
struct CrsViews {
  Kokkos::View<const Offset*, ExecutionSpace> row_map;  // rows + 1
  Kokkos::View<const Ordinal*, ExecutionSpace> columns; // entries
  Kokkos::View<const Scalar*, ExecutionSpace> values;   // entries

  Ordinal rows() const { return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1); }
};

/// y = |A| |x|.
template <class Scalar, class ExecutionSpace>
void absolute_product(const ExecutionSpace& exec, const CrsViews<Scalar, ExecutionSpace>& matrix,
                      const Kokkos::View<const Scalar*, ExecutionSpace>& x,
                      const Kokkos::View<Scalar*, ExecutionSpace>& y) {
  Kokkos::parallel_for(
      "Tessera::Crs::absolute_product",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        Scalar sum = 0;
        for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k)
          sum += Kokkos::abs(matrix.values(k)) * Kokkos::abs(x(matrix.columns(k)));
        y(row) = sum;
      });
}

/// Whether offsets increase up to the number of entries and columns are in range, by loops that vectorise.
template <class Scalar, class ExecutionSpace>
bool sound_entries(const ExecutionSpace& exec, const CrsViews<Scalar, ExecutionSpace>& matrix) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>;
  const auto rows = static_cast<Offset>(matrix.rows()),
             entries = static_cast<Offset>(matrix.columns.extent(0));
  const auto row_map = matrix.row_map;
  const auto columns = matrix.columns;
  Offset decreases = 0;
  Kokkos::parallel_reduce(
      "Tessera::Crs::check", Range(exec, 0, rows),
      KOKKOS_LAMBDA(const Offset row, Offset& sum) { sum += row_map(row) > row_map(row + 1) ? 1 : 0; },
      decreases);
  std::uint32_t largest = 0; // a negative column is larger than any
  Kokkos::parallel_reduce(
      "Tessera::Crs::check", Range(exec, 0, entries),
      KOKKOS_LAMBDA(const Offset k, std::uint32_t& most) {
        most = Kokkos::max(most, static_cast<std::uint32_t>(columns(k)));
      },
      Kokkos::Max<std::uint32_t>(largest));
  return decreases == 0 && (rows == 0 || (row_map(0) == 0 && row_map(rows) == entries)) &&
         static_cast<Offset>(largest) < rows;
}

/// Throws ArgumentError, naming `who` and the row, unless extents fit, offsets increase and columns are in
/// range.
template <class Scalar, class ExecutionSpace>
void check_crs(const ExecutionSpace& exec, const std::string& who,
               const CrsViews<Scalar, ExecutionSpace>& matrix) {
  const std::size_t entries = matrix.columns.extent(0);
  if (matrix.values.extent(0) != entries)
    throw ArgumentError(who + ": " + std::to_string(entries) + " columns but " +
                        std::to_string(matrix.values.extent(0)) + " values");
  if (matrix.row_map.extent(0) > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError(who + ": " + std::to_string(matrix.row_map.extent(0) - 1) +
                        " rows do not fit 32-bit numbers");
  const Ordinal rows = matrix.rows();
  const auto row_map = matrix.row_map;
  const auto columns = matrix.columns;
  if constexpr (runs_on_host<ExecutionSpace>)
    if (sound_entries(exec, matrix)) return; // what follows finds the row
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_row = none;
  Kokkos::parallel_reduce(
      "Tessera::Crs::check", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row, Ordinal& first_bad) {
        bool bad = row_map(row) > row_map(row + 1) || row_map(row + 1) > entries ||
                   (row == 0 && row_map(0) != 0) || (row == rows - 1 && row_map(rows) != entries);
        for (Offset k = row_map(row); !bad && k < row_map(row + 1); ++k)
          bad = columns(k) < 0 || columns(k) >= rows;
        if (bad) first_bad = Kokkos::min(first_bad, row);
      },
      Kokkos::Min<Ordinal>(bad_row));
  if (bad_row != none)
    throw ArgumentError(who + ": row " + std::to_string(bad_row) + " of " + std::to_string(rows) +
                        " has a column or an offset out of range (" + std::to_string(entries) + " entries)");
}

} // namespace tessera::solvers::detail

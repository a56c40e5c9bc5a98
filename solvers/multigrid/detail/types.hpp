#pragma once

/// \file
/// The arrays of a multigrid hierarchy: columns of 32 bits, offsets of 64, values in single precision.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::multigrid {

template <class ExecutionSpace>
using Ordinals = Kokkos::View<Ordinal*, ExecutionSpace>;
template <class ExecutionSpace>
using Offsets = Kokkos::View<Offset*, ExecutionSpace>;
template <class ExecutionSpace>
using Floats = Kokkos::View<float*, ExecutionSpace>;
template <class ExecutionSpace>
using Doubles = Kokkos::View<double*, ExecutionSpace>;
template <class ExecutionSpace>
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

/// Rows of a sparse matrix in single precision.
template <class ExecutionSpace>
struct Matrix {
  Offsets<ExecutionSpace> row_map;  // rows + 1
  Ordinals<ExecutionSpace> columns; // entries
  Floats<ExecutionSpace> values;    // entries

  KOKKOS_FUNCTION Ordinal rows() const {
    return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1);
  }
  Offset entries() const { return columns.extent(0); }
  std::size_t bytes() const { return bytes_of(row_map) + bytes_of(columns) + bytes_of(values); }
};

/// A vector per near-null mode, row × mode.
template <class ExecutionSpace>
using Modes = Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>;

/// An uninitialised array named after its use.
template <class View, class ExecutionSpace, class... Extents>
View make(const ExecutionSpace& exec, const char* what, Extents... extents) {
  return allocate<View>(exec, std::string("Tessera::Multigrid::") + what, extents...);
}

/// Turns lengths in row_map(1) … row_map(rows) into offsets, row_map(0) = 0. \return their sum
template <class ExecutionSpace>
Offset lengths_to_offsets(const ExecutionSpace& exec, const Offsets<ExecutionSpace>& row_map) {
  Offset total = 0;
  Kokkos::parallel_scan(
      "Tessera::Multigrid::scan_lengths",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(row_map.extent(0))),
      KOKKOS_LAMBDA(const Ordinal i, Offset& sum, const bool final) {
        sum += i == 0 ? 0 : row_map(i);
        if (final) row_map(i) = sum;
      },
      total);
  return total;
}

} // namespace tessera::solvers::multigrid

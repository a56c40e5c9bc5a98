// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The diagonal of a sparse matrix and its inverse.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

namespace tessera::solvers::detail {

/// The diagonal of a checked matrix; 0 where the row has no diagonal entry.
template <class Scalar, class ExecutionSpace>
Kokkos::View<Scalar*, ExecutionSpace> diagonal(const ExecutionSpace& exec,
                                               const CrsViews<Scalar, ExecutionSpace>& matrix) {
  const auto result =
      allocate<Kokkos::View<Scalar*, ExecutionSpace>>(exec, "Tessera::Diagonal::read", matrix.rows());
  Kokkos::parallel_for(
      "Tessera::Diagonal::read",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        Scalar value = 0;
        for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k)
          if (matrix.columns(k) == row) value = matrix.values(k);
        result(row) = value;
      });
  return result;
}

/// Entrywise inverse. \throws SolverError naming `who` and the first row whose entry is zero or not finite.
template <class Scalar, class ExecutionSpace>
Kokkos::View<Scalar*, ExecutionSpace> inverted(const ExecutionSpace& exec, const std::string& who,
                                               const Kokkos::View<const Scalar*, ExecutionSpace>& diagonal) {
  const auto rows = static_cast<Ordinal>(diagonal.extent(0));
  const auto result =
      allocate<Kokkos::View<Scalar*, ExecutionSpace>>(exec, "Tessera::Diagonal::inverse", rows);
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_row = none;
  Kokkos::parallel_reduce(
      "Tessera::Diagonal::invert",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row, Ordinal& first_bad) {
        result(row) = Scalar(1) / diagonal(row);
        // The inverse of a subnormal number overflows: as useless as that of zero.
        if (!Kokkos::isfinite(diagonal(row)) || !Kokkos::isfinite(result(row)))
          first_bad = Kokkos::min(first_bad, row);
      },
      Kokkos::Min<Ordinal>(bad_row));
  if (bad_row != none) {
    Scalar value = 0;
    Kokkos::deep_copy(exec, value, Kokkos::subview(diagonal, bad_row));
    exec.fence("Tessera::Diagonal::invert");
    std::ostringstream message;
    message << who << ": the diagonal entry of row " << bad_row << " is " << value
            << "; it must be finite and "
            << (value == 0 || !std::isfinite(value) ? "not zero"
                                                    : "large enough to be inverted; scale the problem");
    throw SolverError(message.str());
  }
  return result;
}

} // namespace tessera::solvers::detail

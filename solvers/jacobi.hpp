// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Jacobi's preconditioner: the inverse of the diagonal.

#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/diagonal.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers {

/// Jacobi's preconditioner: each row divided by its diagonal entry. CG fuses it with its vector updates.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class Jacobi {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// From the diagonal, one entry a row, in memory of the execution space; for matrix-free operators.
  /// \throws SolverError naming the first row whose entry is zero or not finite.
  Jacobi(const ExecutionSpace& exec, const ConstVector& diagonal)
      : inverse_diagonal_(detail::inverted(exec, "Jacobi", diagonal)) {}

  /// From an assembled matrix: row_map (extent rows + 1), columns and values.
  /// \throws ArgumentError if the matrix's extents, offsets or columns are inconsistent.
  /// \throws SolverError naming the first row whose diagonal entry is missing, zero or not finite.
  Jacobi(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
         const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values)
      : Jacobi(exec, checked_diagonal(exec, {row_map, columns, values})) {}

  std::size_t rows() const { return inverse_diagonal_.extent(0); }

  /// Inverse of the diagonal entry of a row.
  KOKKOS_FUNCTION Scalar scale(Ordinal row) const { return inverse_diagonal_(row); }

  /// y = D⁻¹ x; x and y may be one. \throws ArgumentError unless they have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_vectors("Jacobi", rows(), x.extent(0), y.extent(0));
    const ConstVector scale = inverse_diagonal_;
    Kokkos::parallel_for(
        "Tessera::Jacobi::apply",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0,
                                                                        static_cast<Ordinal>(rows())),
        KOKKOS_LAMBDA(const Ordinal row) { y(row) = scale(row) * x(row); });
  }

private:
  static ConstVector checked_diagonal(const ExecutionSpace& exec,
                                      const detail::CrsViews<Scalar, ExecutionSpace>& matrix) {
    detail::check_crs(exec, "Jacobi", matrix);
    return detail::diagonal(exec, matrix);
  }

  Vector inverse_diagonal_;
};

} // namespace tessera::solvers

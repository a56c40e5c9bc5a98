// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Block Jacobi: the inverses of the dense diagonal blocks of the nodes.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace tessera::solvers {

namespace detail {

/// Inverts a dense matrix in place by Gauss–Jordan elimination with row pivoting. False if it is singular or
/// not finite (G. H. Golub and C. F. Van Loan, "Matrix Computations", section 3.4).
template <int Size, class Scalar>
KOKKOS_INLINE_FUNCTION bool invert_in_place(Scalar (&a)[Size][Size]) {
  int swapped_with[Size];
  for (int k = 0; k < Size; ++k) {
    int pivot = k;
    for (int i = k + 1; i < Size; ++i)
      if (Kokkos::abs(a[i][k]) > Kokkos::abs(a[pivot][k])) pivot = i;
    swapped_with[k] = pivot;
    for (int j = 0; j < Size; ++j) Kokkos::kokkos_swap(a[k][j], a[pivot][j]);
    const Scalar inverse = Scalar(1) / a[k][k];
    if (!Kokkos::isfinite(inverse) || !Kokkos::isfinite(a[k][k])) return false;
    a[k][k] = 1;
    for (int j = 0; j < Size; ++j) a[k][j] *= inverse;
    for (int i = 0; i < Size; ++i) {
      if (i == k) continue;
      const Scalar factor = a[i][k];
      a[i][k] = 0;
      for (int j = 0; j < Size; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = Size - 1; k >= 0; --k)
    for (int i = 0; i < Size; ++i) Kokkos::kokkos_swap(a[i][k], a[i][swapped_with[k]]);
  for (int i = 0; i < Size; ++i)
    for (int j = 0; j < Size; ++j)
      if (!Kokkos::isfinite(a[i][j])) return false;
  return true;
}

/// Inverses of the diagonal blocks of a checked matrix, block × row × column.
/// \throws SolverError naming the first block that is singular or not finite.
template <int Size, class Scalar, class ExecutionSpace>
Kokkos::View<Scalar* [Size][Size], ExecutionSpace>
inverse_blocks(const ExecutionSpace& exec, const CrsViews<Scalar, ExecutionSpace>& matrix) {
  const Ordinal blocks = matrix.rows() / Size;
  const auto result = allocate<Kokkos::View<Scalar* [Size][Size], ExecutionSpace>>(
      exec, "Tessera::BlockJacobi::inverse_blocks", blocks);
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_block = none;
  Kokkos::parallel_reduce(
      "Tessera::BlockJacobi::invert",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, blocks),
      KOKKOS_LAMBDA(const Ordinal block, Ordinal& first_bad) {
        Scalar a[Size][Size] = {};
        for (int i = 0; i < Size; ++i) {
          const Ordinal row = block * Size + i;
          for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k) {
            const Ordinal j = matrix.columns(k) - block * Size;
            if (j >= 0 && j < Size) a[i][j] = matrix.values(k);
          }
        }
        if (!invert_in_place<Size>(a)) first_bad = Kokkos::min(first_bad, block);
        for (int i = 0; i < Size; ++i)
          for (int j = 0; j < Size; ++j) result(block, i, j) = a[i][j];
      },
      Kokkos::Min<Ordinal>(bad_block));
  if (bad_block != none)
    throw SolverError("BlockJacobi: the diagonal block of rows " + std::to_string(bad_block * Size) + " to " +
                      std::to_string(bad_block * Size + Size - 1) + " is singular or not finite");
  return result;
}

} // namespace detail

/// Block Jacobi for `Size` components a node: the dense `Size` × `Size` blocks on the diagonal are inverted
/// once and applied to each node's entries (rows node · Size … node · Size + Size−1).
template <int Size, class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class BlockJacobi {
  static_assert(Size >= 1, "tessera::solvers::BlockJacobi: the block's size must be at least 1.");

public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// From an assembled matrix: row_map (extent rows + 1), columns and values.
  /// \throws ArgumentError if the matrix is inconsistent or its rows are no multiple of `Size`.
  /// \throws SolverError naming the rows of the first block that is singular or not finite.
  BlockJacobi(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
              const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values)
      : inverse_blocks_(detail::inverse_blocks<Size>(exec, checked(exec, {row_map, columns, values}))) {}

  std::size_t rows() const { return Size * inverse_blocks_.extent(0); }

  /// y = D⁻¹ x, D the block diagonal.
  /// \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("BlockJacobi", rows(), x, y);
    const auto inverse_blocks = inverse_blocks_;
    Kokkos::parallel_for(
        "Tessera::BlockJacobi::apply",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
            exec, 0, static_cast<Ordinal>(inverse_blocks.extent(0))),
        KOKKOS_LAMBDA(const Ordinal block) {
          for (int i = 0; i < Size; ++i) {
            Scalar sum = 0;
            for (int j = 0; j < Size; ++j) sum += inverse_blocks(block, i, j) * x(block * Size + j);
            y(block * Size + i) = sum;
          }
        });
  }

private:
  static detail::CrsViews<Scalar, ExecutionSpace> checked(const ExecutionSpace& exec,
                                                          detail::CrsViews<Scalar, ExecutionSpace> matrix) {
    detail::check_crs(exec, "BlockJacobi", matrix);
    if (matrix.rows() % Size != 0)
      throw ArgumentError("BlockJacobi: " + std::to_string(matrix.rows()) +
                          " rows are no multiple of the block's " + std::to_string(Size));
    return matrix;
  }

  Kokkos::View<Scalar* [Size][Size], ExecutionSpace> inverse_blocks_;
};

} // namespace tessera::solvers

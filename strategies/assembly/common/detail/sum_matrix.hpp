// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sums of entries of a vector as a sparse product.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>

#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// Whether this build has the product of `SumMatrix`.
#ifdef TESSERA_HAVE_KOKKOSKERNELS
inline constexpr bool have_sparse_product = true;
#else
inline constexpr bool have_sparse_product = false;
#endif

/// A matrix of zeros and ones, stored by rows: its product with a vector sums entries of the vector. Device
/// memory.
template <class ExecutionSpace>
struct SumMatrix {
  Ordinal num_columns = 0;
  Kokkos::View<Offset*, ExecutionSpace> row_map; ///< row (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> columns;
  Kokkos::View<std::int8_t*, ExecutionSpace>
      values; ///< all one; a byte where both scalars would need an array

  std::size_t bytes() const { return bytes_of(row_map) + bytes_of(columns) + bytes_of(values); }

#ifdef TESSERA_HAVE_KOKKOSKERNELS
  /// y = S g, or y += S g, by Kokkos Kernels; without waiting for it.
  /// \param g `num_columns` entries in device memory
  template <class Scalar>
  void multiply(const ExecutionSpace& exec, const Scalar* g, const Kokkos::View<Scalar*, ExecutionSpace>& y,
                bool add) const;
#endif
};

#ifdef TESSERA_HAVE_KOKKOSKERNELS
template <class ExecutionSpace>
template <class Scalar>
void SumMatrix<ExecutionSpace>::multiply(const ExecutionSpace& exec, const Scalar* g,
                                         const Kokkos::View<Scalar*, ExecutionSpace>& y, bool add) const {
  using Matrix = KokkosSparse::CrsMatrix<const std::int8_t, const Ordinal,
                                         typename Kokkos::View<Scalar*, ExecutionSpace>::device_type, void,
                                         const Offset>;
  const auto rows = static_cast<Ordinal>(row_map.extent(0)) - 1;
  const Matrix matrix("Tessera::SumMatrix::multiply", rows, num_columns, columns.extent(0), values, row_map,
                      columns);
  const Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryUnmanaged> x(g, num_columns);
  KokkosSparse::spmv(exec, KokkosSparse::NoTranspose, Scalar(1), matrix, x, Scalar(add ? 1 : 0), y);
}
#endif

} // namespace tessera::detail

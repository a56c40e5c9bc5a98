// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sparse matrix times vector for an assembled matrix, without Kokkos Kernels.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/crs_product.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>

namespace tessera::solvers {

namespace detail {

/// x·y.
template <class Scalar, class ExecutionSpace>
struct CrsDot {
  Kokkos::View<const Scalar*, ExecutionSpace> x, y;
  KOKKOS_FUNCTION void operator()(Ordinal row, double& dot) const {
    dot += static_cast<double>(x(row)) * static_cast<double>(y(row));
  }
};

} // namespace detail

/// An assembled square matrix as an operator. The views are shared, not copied: new values are seen at once.
///
/// Traffic of one product: each entry's value and column, each row's offset, x and y once. One thread's lanes
/// share a long row on a GPU, as many as keep about six entries a lane, and a team reads short ones as a
/// stream; on a CPU a thread works through rows.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class CrsOperator {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// \param exec     instance that checks the matrix.
  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, 0 … rows−1.
  /// \param values   value of each entry.
  /// \throws ArgumentError if the extents do not fit, offsets decrease or a column is out of range.
  CrsOperator(const ExecutionSpace& exec, const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
              const Kokkos::View<const Ordinal*, ExecutionSpace>& columns, const ConstVector& values)
      : matrix_{row_map, columns, values} {
    detail::check_crs(exec, "CrsOperator", matrix_);
  }

  std::size_t rows() const { return static_cast<std::size_t>(matrix_.rows()); }

  /// y = A x and dot = x·y. Deterministic on one execution space. \throws ArgumentError as `apply`
  void apply_dot(const ExecutionSpace& exec, const ConstVector& x, const Vector& y,
                 const DeviceScalar<ExecutionSpace>& dot) const {
    detail::check_distinct_vectors("CrsOperator", rows(), x, y);
    if constexpr (runs_on_host<ExecutionSpace>) {
      const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
      Kokkos::parallel_reduce("Tessera::CrsOperator::apply_dot", range(exec),
                              detail::CrsRows<Scalar, ExecutionSpace>{matrix_, x, y}, dot);
    } else { // a sum within the product's kernel was slower than a pass of its own
      apply(exec, x, y);
      Kokkos::parallel_reduce("Tessera::CrsOperator::dot", range(exec),
                              detail::CrsDot<Scalar, ExecutionSpace>{x, y}, dot);
    }
  }

  /// y = A x. Deterministic on one execution space.
  /// \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("CrsOperator", rows(), x, y);
    const Kokkos::Profiling::ScopedRegion region("Tessera::CrsOperator::apply");
    detail::crs_product(exec, matrix_, x, y);
  }

  /// y = |A| |x|.
  void apply_absolute(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::absolute_product(exec, matrix_, x, y);
  }

private:
  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> range(const ExecutionSpace& exec) const {
    return contiguous(
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, matrix_.rows()));
  }

  detail::CrsViews<Scalar, ExecutionSpace> matrix_;
};

} // namespace tessera::solvers

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Kokkos Kernels as a baseline: its sparse matrix times vector as an operator, its Gauss–Seidel as a
/// preconditioner, and conjugate gradients written on its BLAS. Only with TESSERA_HAVE_KOKKOSKERNELS.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/attainable.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/detail/best_iterate.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/diagonal.hpp>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrminf.hpp>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace tessera::solvers {

/// An assembled square matrix as an operator, multiplied by KokkosSparse::spmv. The views are shared, not
/// copied.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class KokkosKernelsOperator {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, 0 … rows−1.
  /// \param values   value of each entry.
  /// \throws ArgumentError if the extents do not fit, offsets decrease or a column is out of range.
  KokkosKernelsOperator(const ExecutionSpace& exec,
                        const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                        const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
                        const ConstVector& values)
      : views_{row_map, columns, values}, matrix_(make_matrix(exec, views_)),
        handle_(std::make_shared<Handle>()) {}

  std::size_t rows() const { return static_cast<std::size_t>(matrix_.numRows()); }

  /// y = A x. \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("KokkosKernelsOperator", rows(), x, y);
    const Kokkos::Profiling::ScopedRegion region("Tessera::KokkosKernelsOperator::apply");
    if (rows() > 0) KokkosSparse::spmv(exec, handle_.get(), "N", Scalar(1), matrix_, x, Scalar(0), y);
  }

  /// y = |A| |x|, by a kernel of ours.
  void apply_absolute(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::absolute_product(exec, views_, x, y);
  }

private:
  using Matrix =
      KokkosSparse::CrsMatrix<const Scalar, const Ordinal, typename Vector::device_type, void, const Offset>;
  using Handle = KokkosSparse::SPMVHandle<typename Vector::device_type, Matrix, ConstVector, Vector>;

  static Matrix make_matrix(const ExecutionSpace& exec,
                            const detail::CrsViews<Scalar, ExecutionSpace>& matrix) {
    detail::check_crs(exec, "KokkosKernelsOperator", matrix);
    return Matrix("Tessera::KokkosKernelsOperator::matrix", matrix.rows(), matrix.rows(),
                  matrix.columns.extent(0), matrix.values, matrix.row_map, matrix.columns);
  }

  detail::CrsViews<Scalar, ExecutionSpace> views_;
  Matrix matrix_;
  std::shared_ptr<Handle> handle_; // what spmv learns about the matrix in its first call
};

/// Kokkos Kernels' symmetric Gauss–Seidel by multicolor sweeps as a preconditioner: sweeps forward and back
/// from zero. Needs a matrix with a symmetric pattern. On a GPU its coloring differs from run to run, and so
/// does the preconditioner, hence the number of iterations may vary by a few.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class KokkosKernelsGaussSeidel {
public:
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const Scalar*, ExecutionSpace>;

  /// Colors the rows, and takes a copy of the values: new values need a new preconditioner.
  ///
  /// \param exec     instance that runs the set-up and every application.
  /// \param row_map  first entry of each row, extent rows + 1.
  /// \param columns  column of each entry, 0 … rows−1.
  /// \param values   value of each entry.
  /// \param sweeps   symmetric sweeps an application, >= 1.
  /// \throws ArgumentError if the matrix is inconsistent or `sweeps` is below 1.
  /// \throws SolverError naming the first row whose diagonal entry is missing, zero or not finite.
  KokkosKernelsGaussSeidel(const ExecutionSpace& exec,
                           const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                           const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
                           const ConstVector& values, int sweeps = 1)
      : matrix_{row_map, columns, values}, sweeps_(sweeps), handle_(std::make_shared<Handle>()) {
    if (sweeps < 1)
      throw ArgumentError("KokkosKernelsGaussSeidel: sweeps must be at least 1, got " +
                          std::to_string(sweeps));
    detail::check_crs(exec, "KokkosKernelsGaussSeidel", matrix_);
    detail::inverted<Scalar, ExecutionSpace>(exec, "KokkosKernelsGaussSeidel",
                                             detail::diagonal(exec, matrix_));
    if (matrix_.rows() == 0) return;
    handle_->create_gs_handle(exec, 1);
    KokkosSparse::gauss_seidel_symbolic(exec, handle_.get(), matrix_.rows(), matrix_.rows(), row_map, columns,
                                        true);
    KokkosSparse::gauss_seidel_numeric(exec, handle_.get(), matrix_.rows(), matrix_.rows(), row_map, columns,
                                       values, true);
  }

  std::size_t rows() const { return static_cast<std::size_t>(matrix_.rows()); }

  /// y = M⁻¹ x. \throws ArgumentError unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    detail::check_distinct_vectors("KokkosKernelsGaussSeidel", rows(), x, y);
    if (rows() == 0) return;
    KokkosSparse::symmetric_gauss_seidel_apply(exec, handle_.get(), matrix_.rows(), matrix_.rows(),
                                               matrix_.row_map, matrix_.columns, matrix_.values, y, x, true,
                                               true, Scalar(1), sweeps_);
  }

private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, Ordinal, Scalar, ExecutionSpace,
                                                                  MemorySpace, MemorySpace>;

  detail::CrsViews<Scalar, ExecutionSpace> matrix_;
  int sweeps_;
  std::shared_ptr<Handle> handle_;
};

/// Conjugate gradients as Kokkos Kernels' performance test writes them (its
/// perf_test/sparse/KokkosSparse_pcg.hpp, which is not installed): one call of KokkosBlas for each vector
/// operation. The yardstick for the fused kernels of `cg`.
///
/// Parameters, results and exceptions as `cg`, without the checks of the options.
template <class Scalar, class ExecutionSpace, class Preconditioner>
CgResult kokkos_kernels_cg(const ExecutionSpace& exec, const KokkosKernelsOperator<Scalar, ExecutionSpace>& a,
                           const Preconditioner& preconditioner,
                           const std::type_identity_t<Kokkos::View<const Scalar*, ExecutionSpace>>& b,
                           const std::type_identity_t<Kokkos::View<Scalar*, ExecutionSpace>>& x,
                           const CgOptions& options = {}) {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  const Kokkos::Profiling::ScopedRegion region("Tessera::KokkosKernelsCg::solve");
  detail::check_solver_arguments("kokkos_kernels_cg", a.rows(), preconditioner.rows(), b.extent(0),
                                 x.extent(0), options);
  const auto vector = [&](const std::string& label) {
    return allocate<Vector>(exec, "Tessera::KokkosKernelsCg::" + label, a.rows());
  };
  const Vector solution = vector("solution"), r = vector("r"), p = vector("p"), q = vector("q"),
               z = vector("z");
  const auto dot = [&](const auto& left, const auto& right) {
    return static_cast<double>(KokkosBlas::dot(exec, left, right));
  };
  const auto take_residual = [&](const Vector& target) { // target = b − A x
    a.apply(exec, solution, q);
    Kokkos::deep_copy(exec, target, b);
    KokkosBlas::axpby(exec, Scalar(-1), q, Scalar(1), target);
    return std::sqrt(dot(target, target));
  };
  CgResult result;
  Kokkos::deep_copy(exec, solution, x);
  result.initial_residual = take_residual(r);
  result.rhs_norm = std::sqrt(dot(b, b));
  if (result.rhs_norm < detail::smallest_norm)
    detail::check_lost(static_cast<double>(KokkosBlas::nrminf(exec, b)));
  detail::CgStopping stopping(options, std::numeric_limits<Scalar>::epsilon(), result);
  detail::CgCurvature curvature(detail::cg_rounding<Scalar>(a.rows()));
  auto next = stopping.begin(result);
  detail::BestIterate<Scalar, ExecutionSpace> best(result.initial_residual);
  double rz = 0;
  while (next != detail::CgNext::stop) {
    preconditioner.apply(exec, r, z);
    const double rz_new = dot(r, z);
    detail::require_positive(result.iterations, "r·M⁻¹r", rz_new, detail::preconditioner_indefinite);
    const bool anew = next == detail::CgNext::restart;
    if (anew)
      Kokkos::deep_copy(exec, p, z);
    else
      KokkosBlas::axpby(exec, Scalar(1), z, static_cast<Scalar>(rz_new / rz), p);
    curvature.add(rz_new, anew ? 0 : rz_new / rz);
    rz = rz_new;
    ++result.iterations;
    a.apply(exec, p, q);
    const double pq = dot(p, q);
    curvature.check(result.iterations, pq);
    KokkosBlas::axpby(exec, static_cast<Scalar>(rz / pq), p, Scalar(1), solution);
    KokkosBlas::axpby(exec, static_cast<Scalar>(-rz / pq), q, Scalar(1), r);
    stopping.add(result, std::sqrt(dot(r, r)));
    next = detail::CgNext::go_on;
    if (stopping.look(result)) {
      next = stopping.judge(result, take_residual(z),
                            [&] { return detail::attainable_residual(exec, a, b, solution, q); });
      if (next != detail::CgNext::stop) best.keep(exec, solution, result.true_residual);
    }
    if (next == detail::CgNext::restart) Kokkos::deep_copy(exec, r, z);
  }
  curvature.describe(result);
  best.give(exec, solution, x, result);
  exec.fence("Tessera::KokkosKernelsCg::kokkos_kernels_cg");
  return result;
}

} // namespace tessera::solvers

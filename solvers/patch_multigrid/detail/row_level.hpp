// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A level without patches, relaxed by Jacobi's method (paper 4, equation 7): what section 6 sets patches
/// against.

#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/patch_multigrid/detail/level.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace tessera::solvers::patch_multigrid::detail {

/// A in compressed rows, ωD⁻¹, P and R, and the level's vectors. B is `inner` steps of Jacobi on the whole
/// matrix, from zero. A step reads u in the product and writes it in the kernel after that.
template <class Scalar, class ExecutionSpace>
struct Level<Scalar, ExecutionSpace, BlockFormat::none> : LevelTransfers<Scalar, ExecutionSpace> {
  using Base = LevelTransfers<Scalar, ExecutionSpace>;
  using typename Base::Vector;
  static constexpr bool staged = false; ///< there are no blocks

  TransferMatrix<Scalar, ExecutionSpace> matrix;
  std::optional<CrsOperator<Scalar, ExecutionSpace>> product;
  Vector scale; ///< ωD⁻¹

  void take(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& a,
            const DoublePartition<ExecutionSpace>&) {
    matrix = {exec, a};
    product.emplace(exec, matrix.row_map, matrix.columns, matrix.values);
    scale = make<Vector>(exec, "scale", a.rows());
    const auto diagonal = solvers::detail::diagonal<double, ExecutionSpace>(exec, views(a));
    const auto target = scale;
    const double omega = this->omega;
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::scale", rows(exec),
        KOKKOS_LAMBDA(const Ordinal row) { target(row) = static_cast<Scalar>(omega / diagonal(row)); });
  }

  /// u = B b and r = b − A u.
  void relax_before(const ExecutionSpace& exec) const {
    const auto weight = scale, right = this->b, solution = this->u, residual = this->r;
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::relax_before", rows(exec),
        KOKKOS_LAMBDA(const Ordinal row) { solution(row) = weight(row) * right(row); });
    for (int k = 1; k < this->inner; ++k) step(exec);
    product->apply(exec, solution, residual);
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::residual", rows(exec),
        KOKKOS_LAMBDA(const Ordinal row) { residual(row) = right(row) - residual(row); });
  }
  /// u += B (b − A u); r is overwritten.
  void relax_after(const ExecutionSpace& exec) const {
    for (int k = 0; k < this->inner; ++k) step(exec);
  }
  /// u += ωD⁻¹ (b − A u).
  void step(const ExecutionSpace& exec) const {
    const auto weight = scale, right = this->b, solution = this->u, image = this->r;
    product->apply(exec, solution, image);
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::relax", rows(exec),
        KOKKOS_LAMBDA(const Ordinal row) { solution(row) += weight(row) * (right(row) - image(row)); });
  }

  std::size_t bytes() const { return Base::bytes() + matrix.bytes() + bytes_of(scale); }

private:
  Range<ExecutionSpace> rows(const ExecutionSpace& exec) const {
    return {exec, 0, static_cast<Ordinal>(scale.extent(0))};
  }
};

} // namespace tessera::solvers::patch_multigrid::detail

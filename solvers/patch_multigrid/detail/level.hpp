// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One level of the V-cycle in one precision, relaxed by patches.

#include <tessera/solvers/patch_multigrid/detail/partitions.hpp>
#include <tessera/solvers/patch_multigrid/detail/patch_relaxation.hpp>
#include <tessera/solvers/patch_multigrid/detail/transfer.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::patch_multigrid::detail {

/// P and R of a level, and its vectors. Copies share their views.
template <class Scalar, class ExecutionSpace>
struct LevelTransfers {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;

  TransferMatrix<Scalar, ExecutionSpace> prolongator, restrictor;
  Vector b, u, r;
  double omega = 1;
  int inner = 1;

  void make_vectors(const ExecutionSpace& exec, Ordinal rows) {
    b = make<Vector>(exec, "b", rows);
    u = make<Vector>(exec, "u", rows);
    r = make<Vector>(exec, "r", rows);
  }

  template <class CoarseVector>
  void restrict_to(const ExecutionSpace& exec, const CoarseVector& coarse) const {
    using Coarse = typename CoarseVector::non_const_value_type;
    Transfer<Scalar, Scalar, Coarse, ExecutionSpace, false>{restrictor, r, coarse, 1}.run(
        exec, "Tessera::PatchMultigrid::restrict", 32);
  }
  template <class CoarseVector>
  void prolong_from(const ExecutionSpace& exec, const CoarseVector& coarse) const {
    using Coarse = typename CoarseVector::non_const_value_type;
    Transfer<Scalar, Coarse, Scalar, ExecutionSpace, true>{prolongator, coarse, u, 1}.run(
        exec, "Tessera::PatchMultigrid::prolong", 1);
  }

  std::size_t bytes() const {
    return prolongator.bytes() + restrictor.bytes() + bytes_of(b) + bytes_of(u) + bytes_of(r);
  }
};

/// A_I, A_B and A_D of a level, relaxed by patches.
template <class Scalar, class ExecutionSpace, BlockFormat Format>
struct Level : LevelTransfers<Scalar, ExecutionSpace> {
  using Base = LevelTransfers<Scalar, ExecutionSpace>;
  using typename Base::Vector;
  using Relaxation = PatchRelaxation<Scalar, ExecutionSpace, Format>;

  PatchMatrix<Scalar, ExecutionSpace, Format> matrix;
  bool staged = false; ///< whether a team's scratch holds the largest block beside the vectors

  void take(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& a,
            const DoublePartition<ExecutionSpace>& partition) {
    matrix = patch_matrix<Scalar, Format, ExecutionSpace>(exec, views(a), patches_of_rows(exec, partition),
                                                          partition.patch_offsets);
    const auto limit = static_cast<std::size_t>(
        Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(Relaxation::scratch_level));
    // On the host a copy gains nothing.
    staged = !runs_on_host<ExecutionSpace> && Relaxation::scratch_bytes(matrix, true) <= limit;
  }

  /// u and r = b − A u from u = 0 (Algorithm 5.3, lines 1 and 2).
  void relax_before(const ExecutionSpace& exec) const {
    relaxation(this->b).template run<typename Relaxation::Before>(exec,
                                                                  "Tessera::PatchMultigrid::relax_before");
    BoundaryCorrection<Scalar, ExecutionSpace, Format>{matrix, this->u, this->r}.run(exec);
  }
  /// Improves u (Algorithm 5.3, last two lines); r is overwritten.
  void relax_after(const ExecutionSpace& exec) const {
    Kokkos::deep_copy(exec, this->r, this->b);
    BoundaryCorrection<Scalar, ExecutionSpace, Format>{matrix, this->u, this->r}.run(exec);
    relaxation(this->r).template run<typename Relaxation::After>(exec,
                                                                 "Tessera::PatchMultigrid::relax_after");
  }

  std::size_t bytes() const { return Base::bytes() + matrix.bytes(); }

private:
  Relaxation relaxation(const Vector& right) const {
    return {matrix, right, this->u, this->r, static_cast<Scalar>(this->omega), this->inner, staged};
  }
};

} // namespace tessera::solvers::patch_multigrid::detail

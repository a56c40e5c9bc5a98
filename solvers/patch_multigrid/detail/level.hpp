#pragma once

/// \file
/// One level of the V-cycle in one precision.

#include <tessera/solvers/patch_multigrid/detail/patch_relaxation.hpp>
#include <tessera/solvers/patch_multigrid/detail/transfer.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::patch_multigrid::detail {

/// A_I, A_B, A_D, P and R of a level, and its vectors. Copies share their views.
template <class Scalar, class ExecutionSpace, BlockFormat Format>
struct Level {
  using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
  using Relaxation = PatchRelaxation<Scalar, ExecutionSpace, Format>;

  PatchMatrix<Scalar, ExecutionSpace, Format> matrix;
  TransferMatrix<Scalar, ExecutionSpace> prolongator, restrictor;
  Vector b, u, r;
  double omega = 1;
  int inner = 1;
  bool staged = false;

  void make_vectors(const ExecutionSpace& exec) {
    b = make<Vector>(exec, "b", matrix.rows());
    u = make<Vector>(exec, "u", matrix.rows());
    r = make<Vector>(exec, "r", matrix.rows());
  }

  /// Whether a team's scratch holds the largest block beside the vectors. On the host a copy gains nothing.
  void choose_place_of_blocks() {
    const auto limit = static_cast<std::size_t>(
        Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(Relaxation::scratch_level));
    staged = !runs_on_host<ExecutionSpace> && Relaxation::scratch_bytes(matrix, true) <= limit;
  }

  /// u and r = b − A u from u = 0 (Algorithm 5.3, lines 1 and 2).
  void relax_before(const ExecutionSpace& exec) const {
    relaxation(b).template run<typename Relaxation::Before>(exec, "Tessera::PatchMultigrid::relax_before");
    BoundaryCorrection<Scalar, ExecutionSpace, Format>{matrix, u, r}.run(exec);
  }
  /// Improves u (Algorithm 5.3, last two lines); r is overwritten.
  void relax_after(const ExecutionSpace& exec) const {
    Kokkos::deep_copy(exec, r, b);
    BoundaryCorrection<Scalar, ExecutionSpace, Format>{matrix, u, r}.run(exec);
    relaxation(r).template run<typename Relaxation::After>(exec, "Tessera::PatchMultigrid::relax_after");
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
    return matrix.bytes() + prolongator.bytes() + restrictor.bytes() + bytes_of(b) + bytes_of(u) +
           bytes_of(r);
  }

private:
  Relaxation relaxation(const Vector& right) const {
    return {matrix, right, u, r, static_cast<Scalar>(omega), inner, staged};
  }
};

} // namespace tessera::solvers::patch_multigrid::detail

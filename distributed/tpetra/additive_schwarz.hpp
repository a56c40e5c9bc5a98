// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid on each rank's equations, and a coarse level over all ranks.

#include <tessera/core/default_instance.hpp>
#include <tessera/distributed/additive_schwarz_options.hpp>
#include <tessera/distributed/detail/schwarz_cycle.hpp>
#include <tessera/distributed/mesh.hpp>
#include <tessera/distributed/tpetra/detail/operator_base.hpp>
#include <tessera/distributed/tpetra/system.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace tessera::distributed {

namespace detail {

/// Tpetra's vectors and product, as `SchwarzCycle` asks for them.
template <class ExecutionSpace>
struct TpetraProduct {
  using Vector = typename OperatorBase<ExecutionSpace>::Vector;
  const typename TpetraTypes<ExecutionSpace>::Matrix& matrix;

  static auto read(const Vector& x) {
    return Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0);
  }
  static auto write(Vector& x) {
    return Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadWrite), Kokkos::ALL, 0);
  }
  void subtract_product(const Vector& from, Vector& to) const {
    matrix.apply(from, to, Teuchos::NO_TRANS, -1.0, 1.0);
  }
};

} // namespace detail

/// A preconditioner for `belos_cg`: y = C x + (I - C A) S (I - A C) x, where S = Σ Rᵀ M⁻¹ R is a cycle of
/// `solvers::Multigrid` for each rank's own block of the matrix, and C = P (Pᵀ A P)⁻¹ Pᵀ, where P has a few
/// aggregates of nodes on each rank with the rigid motions or a constant for each component (J. Mandel,
/// "Balancing domain decomposition", 1993). On one rank it is the multigrid alone, without a coarse level it
/// is S. For symmetric positive definite matrices, and symmetric itself.
///
/// Messages of an application: two products with the matrix, and twice the sum over all ranks of the coarse
/// vector. Deterministic for a number of ranks, where the sum of MPI is.
template <class ExecutionSpace>
class AdditiveSchwarz final : public detail::OperatorBase<ExecutionSpace> {
  using Base = detail::OperatorBase<ExecutionSpace>;

public:
  /// Collective, after the system has been assembled.
  /// \throws ArgumentError for options out of range; on every rank what `Multigrid` throws on one
  template <class Element>
  AdditiveSchwarz(const ExecutionSpace& exec, const TpetraSystem<ExecutionSpace>& system,
                  const Mesh<Element, ExecutionSpace>& mesh, const AdditiveSchwarzOptions& options = {})
      : Base(system.maps().owned), system_(system),
        cycle_(exec, system.ranks(), mesh, system.local(), system.equations(), options) {
    if (cycle_.coarse_rows() == 0) return;
    residual_ = std::make_unique<Vector>(system.maps().owned);
    correction_ = std::make_unique<Vector>(system.maps().owned);
  }

  /// The same on the default instance.
  template <class Element>
  AdditiveSchwarz(const TpetraSystem<ExecutionSpace>& system, const Mesh<Element, ExecutionSpace>& mesh,
                  const AdditiveSchwarzOptions& options = {})
      : AdditiveSchwarz(default_instance<ExecutionSpace>(), system, mesh, options) {}

  /// Collective: takes the system's present values; aggregates stay. \throws as the constructor
  void refresh() { cycle_.refresh(); }

  /// Rows of the coarse level; 0 where there is none.
  std::size_t coarse_rows() const { return cycle_.coarse_rows(); }

private:
  using typename Base::Vector;

  void apply_to(const Vector& x, Vector& y) const override {
    const detail::TpetraProduct<ExecutionSpace> tpetra{*system_.matrix()};
    cycle_.apply(tpetra, x, y, residual_.get(), correction_.get());
  }

  TpetraSystem<ExecutionSpace> system_;
  detail::SchwarzCycle<ExecutionSpace> cycle_;
  std::unique_ptr<Vector> residual_, correction_; ///< of one application, where there is a coarse level
};

} // namespace tessera::distributed

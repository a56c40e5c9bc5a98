// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid on each rank's equations, and a coarse level over all ranks.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh.hpp>
#include <tessera/distributed/tpetra/detail/coarse_level.hpp>
#include <tessera/distributed/tpetra/detail/diagonal_block.hpp>
#include <tessera/distributed/tpetra/detail/operator_base.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera::distributed {

/// Options of `AdditiveSchwarz`.
struct AdditiveSchwarzOptions {
  solvers::MultigridOptions multigrid;
  /// The coarse level has at most so many rows, but for one aggregate on each rank; every rank solves it for
  /// itself, by a dense factorization. 0: no coarse level, so that iterations grow with the number of ranks.
  int coarse_rows = 384;
};

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
  using Multigrid = solvers::Multigrid<ExecutionSpace>;

public:
  /// Collective, after the system has been assembled.
  /// \throws ArgumentError for options out of range; on every rank what `Multigrid` throws on one
  template <class Element>
  AdditiveSchwarz(const ExecutionSpace& exec, const TpetraSystem<ExecutionSpace>& system,
                  const Mesh<Element, ExecutionSpace>& mesh, const AdditiveSchwarzOptions& options = {})
      : Base(system.maps().owned), exec_(exec), system_(system) {
    agree(system.ranks(), [&] {
      if (options.coarse_rows < 0)
        throw ArgumentError("AdditiveSchwarz: coarse_rows must be at least 0, got " +
                            std::to_string(options.coarse_rows));
      make_multigrid(mesh, options.multigrid);
    });
    if (system.ranks().size() == 1 || options.coarse_rows == 0) return;
    coarse_.emplace(exec, mesh, system.local(), system.equations().owned, options.coarse_rows);
    residual_ = std::make_unique<Vector>(system.maps().owned);
    correction_ = std::make_unique<Vector>(system.maps().owned);
  }

  /// The same on the default instance.
  template <class Element>
  AdditiveSchwarz(const TpetraSystem<ExecutionSpace>& system, const Mesh<Element, ExecutionSpace>& mesh,
                  const AdditiveSchwarzOptions& options = {})
      : AdditiveSchwarz(default_instance<ExecutionSpace>(), system, mesh, options) {}

  /// Collective: takes the system's present values; aggregates stay. \throws as the constructor
  void refresh() {
    agree(system_.ranks(), [&] {
      if (!multigrid_) return;
      detail::fill_block(exec_, system_.local(), block_);
      multigrid_->refresh(exec_, block_.row_map, block_.columns, block_.values);
    });
    if (coarse_) coarse_->refresh(exec_, system_.local());
  }

  /// Rows of the coarse level; 0 where there is none.
  std::size_t coarse_rows() const { return coarse_ ? coarse_->rows() : 0; }

private:
  using typename Base::Vector;

  template <class Element>
  void make_multigrid(const Mesh<Element, ExecutionSpace>& mesh, const solvers::MultigridOptions& options) {
    const auto owned = system_.equations().owned;
    if (owned == 0) return;
    block_ = detail::diagonal_block(exec_, system_.local(), owned);
    const auto owned_nodes = to_size(mesh.owned_nodes());
    auto nodes = Multigrid::nodes_of(exec_, system_.local().graph().equations, mesh.local().coordinates());
    nodes.coordinates =
        Kokkos::subview(nodes.coordinates, std::make_pair(std::size_t(0), owned_nodes), Kokkos::ALL);
    const auto cut = [](auto& view, std::size_t end) {
      if (view.extent(0) > 0) view = Kokkos::subview(view, std::make_pair(std::size_t(0), end));
    };
    cut(nodes.first_row, owned_nodes + 1);
    cut(nodes.row_component, to_size(owned));
    multigrid_.emplace(exec_, block_.row_map, block_.columns, block_.values, nodes, options);
  }

  using View = Kokkos::View<double*, ExecutionSpace>;
  using ConstView = Kokkos::View<const double*, ExecutionSpace>;

  static ConstView read(const Vector& x) {
    return Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0);
  }
  static View write(Vector& x) {
    return Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadWrite), Kokkos::ALL, 0);
  }

  void apply_to(const Vector& x, Vector& y) const override {
    if (!coarse_) {
      smooth(x, y);
      return;
    }
    const auto& matrix = *system_.matrix();
    y.putScalar(0.0);
    coarse_->add(exec_, read(x), write(y)); // y = C x
    residual_->assign(x);
    matrix.apply(y, *residual_, Teuchos::NO_TRANS, -1.0, 1.0); // x - A y
    smooth(*residual_, *correction_);
    y.update(1.0, *correction_, 1.0);
    matrix.apply(*correction_, *residual_, Teuchos::NO_TRANS, -1.0, 0.0);
    coarse_->add(exec_, read(*residual_), write(y)); // the coarse part of -A times the correction
    exec_.fence("Tessera::AdditiveSchwarz::apply");
  }

  void smooth(const Vector& x, Vector& y) const {
    if (multigrid_) multigrid_->apply(exec_, read(x), write(y));
    exec_.fence("Tessera::AdditiveSchwarz::apply");
  }

  ExecutionSpace exec_;
  TpetraSystem<ExecutionSpace> system_;
  detail::DiagonalBlock<ExecutionSpace> block_;
  std::optional<Multigrid> multigrid_; ///< none on a rank without equations
  std::optional<detail::CoarseLevel<ExecutionSpace>> coarse_;
  std::unique_ptr<Vector> residual_, correction_; ///< of one application, where there is a coarse level
};

} // namespace tessera::distributed

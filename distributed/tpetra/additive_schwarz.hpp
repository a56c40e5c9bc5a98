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

/// A preconditioner for `belos_cg`: y = Σ Rᵀ M⁻¹ R x + P (Pᵀ A P)⁻¹ Pᵀ x, where R restricts to a rank's owned
/// equations, M⁻¹ is a cycle of `solvers::Multigrid` for their block of the matrix, and P has a few aggregates
/// of nodes on each rank, with the rigid motions or a constant for each component. On one rank it is the
/// multigrid alone. For symmetric positive definite matrices, and symmetric itself.
///
/// Messages of an application: one sum over all ranks of the coarse vector. Deterministic for a number of ranks,
/// where the sum of MPI is.
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
    if (system.ranks().size() > 1 && options.coarse_rows > 0)
      coarse_.emplace(exec, mesh, system.local(), system.equations().owned, options.coarse_rows);
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

  void apply_to(const Vector& x, Vector& y) const override {
    const Kokkos::View<const double*, ExecutionSpace> from =
        Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0);
    const Kokkos::View<double*, ExecutionSpace> to =
        Kokkos::subview(y.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0);
    if (multigrid_) multigrid_->apply(exec_, from, to);
    if (coarse_) coarse_->add(exec_, from, to);
    exec_.fence("Tessera::AdditiveSchwarz::apply");
  }

  ExecutionSpace exec_;
  TpetraSystem<ExecutionSpace> system_;
  detail::DiagonalBlock<ExecutionSpace> block_;
  std::optional<Multigrid> multigrid_; ///< none on a rank without equations
  std::optional<detail::CoarseLevel<ExecutionSpace>> coarse_;
};

} // namespace tessera::distributed

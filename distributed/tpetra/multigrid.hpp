// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid over all ranks as an operator of Tpetra's.

#include <tessera/core/default_instance.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/distributed/tpetra/detail/operator_base.hpp>
#include <tessera/distributed/tpetra/system.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed {

/// `Multigrid` as a preconditioner for `belos_cg`.
template <class ExecutionSpace>
class TpetraMultigrid final : public detail::OperatorBase<ExecutionSpace> {
  using Base = detail::OperatorBase<ExecutionSpace>;

public:
  /// Collective, after the system has been assembled.
  /// \throws ArgumentError for options out of range; on every rank what `solvers::Multigrid` throws on one
  template <class Cells>
  TpetraMultigrid(const ExecutionSpace& exec, const TpetraSystem<ExecutionSpace>& system,
                  const Mesh<Cells, ExecutionSpace>& mesh, const MultigridOptions& options = {})
      : Base(system.maps().owned), exec_(exec),
        multigrid_(exec, mesh, system.local(), system.equations(), options) {}

  /// The same on the default instance.
  template <class Cells>
  TpetraMultigrid(const TpetraSystem<ExecutionSpace>& system, const Mesh<Cells, ExecutionSpace>& mesh,
                  const MultigridOptions& options = {})
      : TpetraMultigrid(default_instance<ExecutionSpace>(), system, mesh, options) {}

  /// Collective: takes the system's present values; aggregates stay. \throws as the constructor
  void refresh() { multigrid_.refresh(exec_); }

  const MultigridReport& report() const { return multigrid_.report(); }

private:
  using typename Base::Vector;

  void apply_to(const Vector& x, Vector& y) const override {
    multigrid_.apply(exec_, Kokkos::subview(x.getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0),
                     Kokkos::subview(y.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0));
    exec_.fence("Tessera::TpetraMultigrid::apply");
  }

  ExecutionSpace exec_;
  Multigrid<ExecutionSpace> multigrid_;
};

} // namespace tessera::distributed

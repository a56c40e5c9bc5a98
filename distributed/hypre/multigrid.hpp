// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid over all ranks for hypre's iteration.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/check_rows.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/hypre/types.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace tessera::distributed {

namespace detail {

/// What copies of a `HypreMultigrid` share. hypre's arrays lie in the execution space's memory.
template <class ExecutionSpace>
struct HypreMultigridState {
  ExecutionSpace exec;
  HypreSystem<ExecutionSpace> system;
  Multigrid<ExecutionSpace> multigrid;

  using View = Kokkos::View<double*, ExecutionSpace>;
  static View view(HYPRE_ParVector x) {
    hypre_Vector* const local = hypre_ParVectorLocalVector(x);
    return View(hypre_VectorData(local), static_cast<std::size_t>(hypre_VectorSize(local)));
  }

  /// As hypre calls a preconditioner. hypre's functions are C, which exceptions do not pass.
  static HYPRE_Int solve(HYPRE_Solver state, HYPRE_ParCSRMatrix, HYPRE_ParVector x,
                         HYPRE_ParVector y) noexcept {
    const auto& self = *reinterpret_cast<const HypreMultigridState*>(state);
    fence_hypre<ExecutionSpace>("Tessera::HypreMultigrid::solve");
    self.multigrid.apply(self.exec, view(x), view(y));
    self.exec.fence("Tessera::HypreMultigrid::solve");
    return 0;
  }
};

} // namespace detail

/// `Multigrid` as a preconditioner for `hypre_cg`: what `TpetraMultigrid` is for `belos_cg`. Copies share it.
template <class ExecutionSpace>
class HypreMultigrid {
public:
  using execution_space = ExecutionSpace;

  /// Collective, after the system has been refilled.
  /// \param mesh of the system
  /// \throws on every rank ArgumentError for another mesh or options out of range; UnsupportedError where
  /// hypre computes
  ///   on the host and the space on a device; SolverError that names a row of zeros, or of values that are
  ///   not finite; what `solvers::Multigrid` throws on one rank
  template <class Cells>
  HypreMultigrid(const ExecutionSpace& exec, const HypreSystem<ExecutionSpace>& system,
                 const Mesh<Cells, ExecutionSpace>& mesh, const MultigridOptions& options = {})
      : state_(make(exec, system, mesh, options)) {}

  /// The same on the default instance.
  template <class Cells>
  HypreMultigrid(const HypreSystem<ExecutionSpace>& system, const Mesh<Cells, ExecutionSpace>& mesh,
                 const MultigridOptions& options = {})
      : HypreMultigrid(default_instance<ExecutionSpace>(), system, mesh, options) {}

  /// Collective: takes the values of `system().local()`; aggregates stay. \throws as the constructor
  void refresh() const { state_->multigrid.refresh(state_->exec); }

  const MultigridReport& report() const { return state_->multigrid.report(); }

  const HypreSystem<ExecutionSpace>& system() const { return state_->system; }
  /// Tells hypre's conjugate gradients of it.
  void precondition(HYPRE_Solver pcg) const {
    HYPRE_ParCSRPCGSetPrecond(pcg, State::solve, detail::set_up_before,
                              reinterpret_cast<HYPRE_Solver>(state_.get()));
  }

private:
  using State = detail::HypreMultigridState<ExecutionSpace>;

  template <class Cells>
  static std::shared_ptr<State> make(const ExecutionSpace& exec, const HypreSystem<ExecutionSpace>& system,
                                     const Mesh<Cells, ExecutionSpace>& mesh,
                                     const MultigridOptions& options) {
    agree(system.ranks(), [&] {
      if (!HypreTypes<ExecutionSpace>::shares_memory)
        throw UnsupportedError(
            "HypreMultigrid: hypre was built for the host alone, and the multigrid is on a device");
      if (mesh.global_nodes().data() != system.global_nodes().data())
        throw ArgumentError("HypreMultigrid: the mesh is not that of the system");
    });
    detail::check_rows(system);
    return std::make_shared<State>(
        State{exec, system, {exec, mesh, system.local(), system.equations(), options}});
  }

  std::shared_ptr<State> state_;
};

} // namespace tessera::distributed

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid on each rank's equations, and a coarse level over all ranks, for hypre's iteration.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/additive_schwarz_options.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/schwarz_cycle.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/check_rows.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/hypre/types.hpp>
#include <tessera/distributed/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <optional>

namespace tessera::distributed {

namespace detail {

/// hypre's vectors and product, as `SchwarzCycle` asks for them; hypre's arrays lie in the execution space's
/// memory.
template <class ExecutionSpace>
struct HypreProduct {
  using View = Kokkos::View<double*, ExecutionSpace>;
  HYPRE_ParCSRMatrix matrix;

  static View write(HYPRE_ParVector x) {
    fence_hypre<ExecutionSpace>("Tessera::HypreSchwarz::apply");
    hypre_Vector* const local = hypre_ParVectorLocalVector(x);
    return View(hypre_VectorData(local), static_cast<std::size_t>(hypre_VectorSize(local)));
  }
  static Kokkos::View<const double*, ExecutionSpace> read(HYPRE_ParVector x) { return write(x); }
  void subtract_product(HYPRE_ParVector from, HYPRE_ParVector to) const {
    HYPRE_ParCSRMatrixMatvec(-1.0, matrix, from, 1.0, to);
  }
};

/// What copies of a `HypreSchwarz` share.
template <class ExecutionSpace>
struct HypreSchwarzState {
  HypreSystem<ExecutionSpace> system;
  SchwarzCycle<ExecutionSpace> cycle;
  std::optional<HypreVector<ExecutionSpace>> residual, correction; ///< where there is a coarse level

  /// Collective.
  void apply(HYPRE_ParVector x, HYPRE_ParVector y) const {
    HYPRE_ParVector vectors[2] = {nullptr, nullptr};
    if (residual) vectors[0] = residual->get();
    if (correction) vectors[1] = correction->get();
    cycle.apply(HypreProduct<ExecutionSpace>{system.matrix()}, x, y, &vectors[0], &vectors[1]);
  }

  /// As hypre calls a preconditioner. hypre's functions are C, which exceptions do not pass.
  static HYPRE_Int solve(HYPRE_Solver state, HYPRE_ParCSRMatrix, HYPRE_ParVector x,
                         HYPRE_ParVector y) noexcept {
    reinterpret_cast<const HypreSchwarzState*>(state)->apply(x, y);
    return 0;
  }
};

} // namespace detail

/// A preconditioner for `hypre_cg`: what `AdditiveSchwarz` is for `belos_cg`. Copies share it.
template <class ExecutionSpace>
class HypreSchwarz {
public:
  using execution_space = ExecutionSpace;

  /// Collective, after the system has been refilled.
  /// \param mesh of the system
  /// \throws on every rank ArgumentError for another mesh or options out of range; UnsupportedError where
  /// hypre computes
  ///   on the host and the space on a device; SolverError that names a row of zeros, or of values that are
  ///   not finite; what `Multigrid` throws on one rank
  template <class Element>
  HypreSchwarz(const ExecutionSpace& exec, const HypreSystem<ExecutionSpace>& system,
               const Mesh<Element, ExecutionSpace>& mesh, const AdditiveSchwarzOptions& options = {})
      : state_(make(exec, system, mesh, options)) {
    if (state_->cycle.coarse_rows() == 0) return;
    const detail::HypreRange range(system.equations());
    state_->residual.emplace(system.ranks(), range);
    state_->correction.emplace(system.ranks(), range);
  }

  /// The same on the default instance.
  template <class Element>
  HypreSchwarz(const HypreSystem<ExecutionSpace>& system, const Mesh<Element, ExecutionSpace>& mesh,
               const AdditiveSchwarzOptions& options = {})
      : HypreSchwarz(default_instance<ExecutionSpace>(), system, mesh, options) {}

  /// Collective: takes the values of `system().local()`; aggregates stay. \throws as the constructor
  void refresh() const { state_->cycle.refresh(); }

  /// Rows of the coarse level; 0 where there is none.
  std::size_t coarse_rows() const { return state_->cycle.coarse_rows(); }

  const HypreSystem<ExecutionSpace>& system() const { return state_->system; }
  /// Tells hypre's conjugate gradients of it.
  void precondition(HYPRE_Solver pcg) const {
    HYPRE_ParCSRPCGSetPrecond(pcg, State::solve, detail::set_up_before,
                              reinterpret_cast<HYPRE_Solver>(state_.get()));
  }

private:
  using State = detail::HypreSchwarzState<ExecutionSpace>;

  template <class Element>
  static std::shared_ptr<State> make(const ExecutionSpace& exec, const HypreSystem<ExecutionSpace>& system,
                                     const Mesh<Element, ExecutionSpace>& mesh,
                                     const AdditiveSchwarzOptions& options) {
    agree(system.ranks(), [&] {
      if (!HypreTypes<ExecutionSpace>::shares_memory)
        throw UnsupportedError(
            "HypreSchwarz: hypre was built for the host alone, and the multigrid is on a device");
      if (mesh.global_nodes().data() != system.global_nodes().data())
        throw ArgumentError("HypreSchwarz: the mesh is not that of the system");
    });
    detail::check_rows(system);
    return std::make_shared<State>(
        State{system,
              {exec, system.ranks(), mesh, system.local(), system.equations(), options},
              std::nullopt,
              std::nullopt});
  }

  std::shared_ptr<State> state_;
};

} // namespace tessera::distributed

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// hypre's algebraic multigrid, told what a space knows.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/check_rows.hpp>
#include <tessera/distributed/hypre/detail/components.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/hypre/types.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::distributed {

/// What BoomerAMG does where nodes have several components.
enum class AmgComponents {
  apart,    ///< coarsens and interpolates each component by itself
  nodal,    ///< coarsens nodes, with all of their components
  rotations ///< coarsens nodes, and interpolates rotations too: for elasticity
};

/// BoomerAMG's options. What is not set is hypre's own, which depends on whether hypre computes on a device.
struct BoomerAmgOptions {
  /// In 0 … 1. Not set, it is 0.5 in three dimensions where components are coarsened apart, else 0.25.
  std::optional<double> strong_threshold = std::nullopt;
  int aggressive_levels = 0;                    ///< >= 0: levels of aggressive coarsening
  std::optional<int> coarsening = std::nullopt; ///< hypre's number (`HYPRE_BoomerAMGSetCoarsenType`)
  std::optional<int> relaxation = std::nullopt; ///< hypre's number (`HYPRE_BoomerAMGSetRelaxType`)
  /// Not set, it is `rotations` where there are as many components as dimensions, each node has equations of
  /// all of them or none, and hypre computes on the host; else `apart`.
  std::optional<AmgComponents> components = std::nullopt;
  /// How rotations enter the interpolation, hypre's number (`HYPRE_BoomerAMGSetInterpVecVariant`): 2 (GM) or
  /// 3 (LN), of A. Baker, T. Kolev and U. Yang 2010.
  int interpolation_variant = 2;
};

/// hypre's BoomerAMG as a preconditioner: one V-cycle. Copies share it.
template <class ExecutionSpace>
class BoomerAmg {
public:
  using execution_space = ExecutionSpace;

  /// Collective, after the system has been refilled; once for its values. Levels are made of them.
  /// \param mesh of the system
  /// \throws on every rank ArgumentError for another mesh or options out of range; UnsupportedError for
  /// `nodal` and `rotations`
  ///   where nodes have equations of some components alone, or on a device, and for `rotations` of other
  ///   spaces than those with a component per dimension; SolverError that names a row of zeros, or of values
  ///   that are not finite, or with hypre's words; OutOfMemoryError
  template <class Cells>
  BoomerAmg(const HypreSystem<ExecutionSpace>& system, const Mesh<Cells, ExecutionSpace>& mesh,
            const BoomerAmgOptions& options = {})
      : system_(system) {
    const auto exec = default_instance<ExecutionSpace>();
    agree(system.ranks(), [&] {
      if (mesh.global_nodes().data() != system.global_nodes().data())
        throw ArgumentError("BoomerAMG: the mesh is not that of the system");
      check(options);
    });
    detail::check_rows(system);
    const AmgComponents kind = kind_of(exec, mesh, options);
    const bool loose = kind == AmgComponents::apart && Cells::dimension == 3;
    detail::hypre_calls(system.ranks(), "BoomerAMG's options", [&] {
      HYPRE_Solver made = nullptr;
      HYPRE_BoomerAMGCreate(&made);
      solver_ = Handle(made, HYPRE_BoomerAMGDestroy);
      set(options, options.strong_threshold.value_or(loose ? 0.5 : 0.25));
      if (components() > 1) set_components(exec, mesh.owned_nodes(), kind);
    });
    if (kind == AmgComponents::rotations) set_rotations(exec, mesh, options.interpolation_variant);
    if (system.equations().total > 0) set_up();
  }

  HYPRE_Solver get() const { return solver_.get(); }
  /// Tells hypre's conjugate gradients of it.
  void precondition(HYPRE_Solver pcg) const {
    HYPRE_ParCSRPCGSetPrecond(pcg, HYPRE_BoomerAMGSolve, detail::set_up_before, get());
  }
  const HypreSystem<ExecutionSpace>& system() const { return system_; }

private:
  using Handle = detail::HypreHandle<HYPRE_Solver>;
  using Types = HypreTypes<ExecutionSpace>;

  static void check(const BoomerAmgOptions& options) {
    const double threshold = options.strong_threshold.value_or(0.25);
    if (!(threshold >= 0 && threshold <= 1))
      throw ArgumentError("BoomerAMG: the strong threshold is " + std::to_string(threshold) +
                          ", and must be in 0 ... 1");
    if (options.aggressive_levels < 0)
      throw ArgumentError("BoomerAMG: " + std::to_string(options.aggressive_levels) +
                          " aggressive levels, and there must be 0 or more");
    if (options.interpolation_variant != 2 && options.interpolation_variant != 3)
      throw ArgumentError("BoomerAMG: the interpolation variant is " +
                          std::to_string(options.interpolation_variant) + ", and must be 2 or 3");
  }

  int components() const { return system_.local().graph().equations.components; }

  /// Collective: what to do with components.
  template <class Cells>
  AmgComponents kind_of(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                        const BoomerAmgOptions& options) const {
    const bool whole =
        detail::all_or_none(exec, system_.ranks(), system_.local().graph().equations, mesh.owned_nodes());
    const bool elastic = components() == Cells::dimension && components() > 1;
    const auto kind = options.components.value_or(
        elastic && whole && !Types::on_device ? AmgComponents::rotations : AmgComponents::apart);
    agree(system_.ranks(), [&] { check(kind, whole, elastic); });
    return kind;
  }

  void set(const BoomerAmgOptions& options, double strong_threshold) const {
    HYPRE_Solver amg = solver_.get();
    HYPRE_BoomerAMGSetTol(amg, 0);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetStrongThreshold(amg, strong_threshold);
    HYPRE_BoomerAMGSetAggNumLevels(amg, options.aggressive_levels);
    if (options.coarsening) HYPRE_BoomerAMGSetCoarsenType(amg, *options.coarsening);
    if (options.relaxation) HYPRE_BoomerAMGSetRelaxType(amg, *options.relaxation);
  }

  void set_components(const ExecutionSpace& exec, Ordinal owned_nodes, AmgComponents kind) const {
    HYPRE_Solver amg = solver_.get();
    HYPRE_BoomerAMGSetNumFunctions(amg, components());
    HYPRE_BoomerAMGSetDofFunc(amg, detail::make_components(exec, system_.local().graph().equations,
                                                           owned_nodes, to_size(system_.equations().owned)));
    if (kind == AmgComponents::apart) return;
    // As MFEM sets them for elasticity: row sums of blocks, and the diagonal the negative sum of the others.
    HYPRE_BoomerAMGSetNodal(amg, 4);
    HYPRE_BoomerAMGSetNodalDiag(amg, 1);
  }

  /// Collective.
  void set_up() const {
    detail::forget_triangles(system_.matrix());
    // A rotation that the interpolation has already leaves a coarse row of zeros. hypre's smoothers pass it
    // over, and its set-up notes the matrix as a wrong argument.
    const HYPRE_Int kinds =
        rotations_.empty() ? detail::hypre_errors : detail::hypre_errors & ~HYPRE_ERROR_ARG;
    detail::hypre_calls(
        system_.ranks(), "HYPRE_BoomerAMGSetup",
        [&] { HYPRE_BoomerAMGSetup(solver_.get(), system_.matrix(), system_.rhs(), system_.rhs()); }, kinds);
  }

  static void check(AmgComponents kind, bool whole, bool elastic) {
    if (kind == AmgComponents::apart) return;
    if (Types::on_device)
      throw UnsupportedError("BoomerAMG coarsens nodes on the host alone; choose AmgComponents::apart");
    if (!whole)
      throw UnsupportedError("BoomerAMG wants as many equations at each node, and some have a part of their "
                             "components alone: choose AmgComponents::apart, or keep constrained rows "
                             "(ConstraintTreatment::zeroed)");
    if (kind == AmgComponents::rotations && !elastic)
      throw UnsupportedError("rotations have as many components as there are dimensions");
  }

  template <class Cells>
  void set_rotations(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh, int variant) {
    rotations_ = detail::make_rotations(exec, system_.ranks(), detail::HypreRange(system_.equations()),
                                        system_.local().graph().equations, mesh);
    for (const auto& rotation : rotations_) pointers_->push_back(rotation.get());
    HYPRE_Solver amg = solver_.get();
    HYPRE_BoomerAMGSetInterpRefine(amg, 1);
    HYPRE_BoomerAMGSetInterpVecVariant(amg, variant);
    HYPRE_BoomerAMGSetInterpVecQMax(amg, 4);
    HYPRE_BoomerAMGSetSmoothInterpVectors(amg, 1);
    HYPRE_BoomerAMGSetInterpVectors(amg, static_cast<HYPRE_Int>(pointers_->size()), pointers_->data());
  }

  HypreSystem<ExecutionSpace> system_; ///< hypre keeps its matrix
  std::vector<detail::HypreVector<ExecutionSpace>> rotations_;
  /// Of `rotations_`; hypre keeps their array.
  std::shared_ptr<std::vector<HYPRE_ParVector>> pointers_ = std::make_shared<std::vector<HYPRE_ParVector>>();
  Handle solver_; ///< the first to go
};

} // namespace tessera::distributed

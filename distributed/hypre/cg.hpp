// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// hypre's conjugate gradients.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/detail/mesh_validation.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/judged_iteration.hpp>
#include <tessera/distributed/hypre/boomer_amg.hpp>
#include <tessera/distributed/hypre/detail/cg_iteration.hpp>
#include <tessera/distributed/hypre/detail/check_rows.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/krylov_result.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>

namespace tessera::distributed {

/// When to stop.
struct HypreCgOptions {
  /// Of ‖b − A x‖ to ‖b‖, or to the first residual where b is zero. Not set, it is 1e-8, or what rounding
  /// allows where that is more and at most 1e-4, as `solvers::CgOptions` has it.
  std::optional<double> relative_tolerance = std::nullopt;
  int max_iterations = 1000;
};

namespace detail {

template <class ExecutionSpace>
struct NotFinite {
  Kokkos::View<double*, ExecutionSpace> values;
  KOKKOS_FUNCTION bool operator()(Ordinal i) const { return !Kokkos::isfinite(values(i)); }
};

/// The first guess. \throws ArgumentError
template <class ExecutionSpace>
void check_guess(const ExecutionSpace& exec, const HypreSystem<ExecutionSpace>& system,
                 const Kokkos::View<double*, ExecutionSpace>& x) {
  if (x.extent(0) != to_size(system.local().num_rows()))
    throw ArgumentError("hypre_cg: x has " + std::to_string(x.extent(0)) + " entries for " +
                        std::to_string(system.local().num_rows()) + " local equations");
  const Ordinal i = tessera::detail::first_offender(exec, "Tessera::hypre_cg::check_guess",
                                                    system.equations().owned, NotFinite<ExecutionSpace>{x});
  if (i != tessera::detail::no_offender)
    throw ArgumentError("hypre_cg: the first guess of " + name_of_equation(system, i) + " is not finite");
}

} // namespace detail

/// Collective: hypre's conjugate gradients with a `BoomerAmg` or a `HypreMultigrid`, for symmetric positive
/// definite matrices. The verdict rests on b − A x, which a product computes before and after hypre's
/// iteration, as that of `belos_cg`. An iteration that does not converge is no error.
/// \param preconditioner made of the system's values, or of earlier ones that are near
/// \param x an entry for each local equation, as `HypreSystem::make_vector`; the owned ones are the first
/// guess
///   on entry, on return the solution, or where there is none the iterate with the least b − A x that was
///   computed. `expand` fills the others.
/// \throws on every rank ArgumentError for another length of x, or a guess that is not finite; SolverError
///   that names a row of zeros or of values that are not finite, or with hypre's words
template <class Preconditioner>
KrylovResult hypre_cg(const Preconditioner& preconditioner,
                      const Kokkos::View<double*, typename Preconditioner::execution_space>& x,
                      const HypreCgOptions& options = {}) {
  using ExecutionSpace = typename Preconditioner::execution_space;
  const auto exec = default_instance<ExecutionSpace>();
  const HypreSystem<ExecutionSpace>& system = preconditioner.system();
  agree(system.ranks(), [&] { detail::check_guess(exec, system, x); });
  detail::check_rows(system);
  detail::HypreCg<Preconditioner> iteration(preconditioner);
  iteration.x().take(exec, x);
  const KrylovResult result =
      detail::JudgedIteration(options.relative_tolerance, options.max_iterations).run(iteration);
  iteration.x().give(exec, x);
  return result;
}

} // namespace tessera::distributed

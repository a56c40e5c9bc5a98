// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The solvers that tessera-solve offers, by name.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tessera::tools {

/// "multigrid" is cg with a V-cycle, "cg" with Jacobi; the others name their preconditioner or Kokkos
/// Kernels' parts. "gmres" has ILU(0), or Jacobi without Kokkos Kernels, "direct" is LU where UMFPACK is.
/// Multigrid ends where 200 iterations bring no smaller residual. "automatic" is multigrid for 1,000 unknowns
/// or more, and cg below and where multigrid refuses the system or does not converge; the notes say which and
/// why.
std::vector<std::string> solver_names();

/// "; try --solver gmres or direct": those that take what `solver` gives up on; empty for "direct".
std::string other_solvers(const std::string& solver);

/// Coordinates of the nodes, node × dimension.
template <class ExecutionSpace>
using NodeCoordinates = Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace>;

/// What a solver has to say beside its result, a line each.
using SolverNotes = std::vector<std::string>;

/// How a solution went, and how far it is to be relied on.
template <class ExecutionSpace>
struct Solved {
  solvers::CgResult iteration;
  /// The solution without its error as `solvers::solution_error` estimates it, where that is known.
  std::optional<Kokkos::View<double*, ExecutionSpace>> corrected{};
};

/// Solves system.values() x = system.rhs(); `x` holds the first guess. The result's `attainable` is set.
/// \throws ArgumentError for an unknown solver; SolverError as the solvers, with
///         `other_solvers`
template <class ExecutionSpace>
Solved<ExecutionSpace> solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                             const NodeCoordinates<ExecutionSpace>& coordinates,
                             const Kokkos::View<double*, ExecutionSpace>& x,
                             const solvers::CgOptions& options, SolverNotes& notes);

} // namespace tessera::tools

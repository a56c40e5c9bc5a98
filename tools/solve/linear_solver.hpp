#pragma once

/// \file
/// The solvers that tessera-solve offers, by name.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace tessera::tools {

/// "multigrid" is cg with a V-cycle, "cg" with Jacobi; the others name their preconditioner or Kokkos
/// Kernels' parts. "automatic" is multigrid for 1,000 unknowns or more, and cg below and where multigrid
/// refuses the system; the notes say which and why.
std::vector<std::string> solver_names();

/// Coordinates of the nodes, node × dimension.
template <class ExecutionSpace>
using NodeCoordinates = Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace>;

/// What a solver has to say beside its result, a line each.
using SolverNotes = std::vector<std::string>;

/// Solves system.values() x = system.rhs(); `x` holds the first guess.
/// \throws ArgumentError for an unknown solver; SolverError as the solvers
template <class ExecutionSpace>
solvers::CgResult solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                        const NodeCoordinates<ExecutionSpace>& coordinates,
                        const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
                        SolverNotes& notes);

} // namespace tessera::tools

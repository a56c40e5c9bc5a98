#pragma once

/// \file
/// The solvers that tessera-solve offers, by name.

#include <tessera/core/linear_system.hpp>
#include <tessera/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace tessera::tools {

/// "cg" is ours with Jacobi; the others name their preconditioner or Kokkos Kernels' parts.
std::vector<std::string> solver_names();

/// Solves system.values() x = system.rhs(); `x` holds the first guess.
/// \throws ArgumentError for an unknown solver; SolverError as the solvers
template <class ExecutionSpace>
solvers::CgResult solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                        const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options);

} // namespace tessera::tools

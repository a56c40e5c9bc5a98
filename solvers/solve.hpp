// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Solves an assembled system in one call.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/require_rows.hpp>

namespace tessera::solvers {

/// Solves K x = f of an assembled symmetric positive definite system by conjugate gradients with Jacobi's
/// preconditioner.
///
/// \param exec     instance that runs everything; the call returns after it has ended.
/// \param system   assembled; not changed.
/// \param x        first guess on entry, solution on return: one entry per equation, of the system's scalar.
///                 `FunctionSpace::expand` turns it into the values of all degrees of freedom.
/// \param options  when to stop.
/// \throws ArgumentError and SolverError as `cg` for operators; SolverError naming the first node that no
///         element has (`require_rows`), or the first row whose diagonal entry is zero or not finite
template <class Scalar, class ExecutionSpace, class Solution>
CgResult cg(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& system, const Solution& x,
            const CgOptions& options = {}) {
  const auto graph = require_rows(exec, "cg", system.graph());
  const CrsOperator<Scalar, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const Jacobi<Scalar, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  return cg(exec, matrix, jacobi, system.rhs(), x, options);
}

/// The same on the default instance.
template <class Scalar, class ExecutionSpace, class Solution>
CgResult cg(const LinearSystem<Scalar, ExecutionSpace>& system, const Solution& x,
            const CgOptions& options = {}) {
  return cg(ExecutionSpace(), system, x, options);
}

} // namespace tessera::solvers

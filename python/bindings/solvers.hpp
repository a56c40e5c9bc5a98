// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Multigrid and conjugate gradients for matrices of arrays, GMRES for slow flow.

#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include "arrays.hpp"
#include "problem.hpp"
#include <cstddef>
#include <functional>

namespace tessera::python {

/// A matrix in compressed rows, not owned.
struct MatrixArrays {
  Located<const Offset> row_map;
  Located<const Ordinal> columns;
  Located<const double> values;
};

/// \throws as `Multigrid`'s constructor
std::shared_ptr<solvers::Multigrid<Exec>> make_multigrid(const MatrixArrays& matrix,
                                                         const solvers::MultigridNodes<Exec>& nodes,
                                                         const solvers::MultigridOptions& options);
void refresh(solvers::Multigrid<Exec>& multigrid, const MatrixArrays& matrix);
/// y = M⁻¹ x, both of `multigrid.rows()` entries.
void apply(const solvers::Multigrid<Exec>& multigrid, const Located<const double>& x,
           const Located<double>& y);
/// Conjugate gradients from the first guess in x, by multigrid or, without it, by Jacobi's preconditioner.
/// \param b, x  an entry for each row
/// \param between  called before each iteration; what it throws ends the solution, and leaves x as it was
solvers::CgResult cg(const MatrixArrays& matrix, const solvers::Multigrid<Exec>* multigrid,
                     const Located<const double>& b, const Located<double>& x,
                     const solvers::CgOptions& options, const std::function<void()>& between);
/// GMRES with multigrid for velocities and pressure, as `cg`, for a system that `SlowFlow` was assembled
/// into.
/// \throws ArgumentError where it was another form; as `stokes_preconditioner` and `flexible_gmres`
solvers::CgResult solve_flow(AnySystem& system, const Located<double>& x, const solvers::CgOptions& options,
                             const std::function<void()>& between);

} // namespace tessera::python

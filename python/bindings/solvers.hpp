// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Multigrid and conjugate gradients for matrices of arrays on the host, which a device gets copies of.

#include <tessera/solvers/cg_result.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include "arrays.hpp"
#include <cstddef>
#include <functional>

namespace tessera::python {

/// A matrix in compressed rows on the host, not owned.
struct HostMatrix {
  const Offset* row_map;
  const Ordinal* columns;
  const double* values;
  std::size_t rows, entries;
};

/// \throws as `Multigrid`'s constructor
std::shared_ptr<solvers::Multigrid<Exec>> make_multigrid(const HostMatrix& matrix,
                                                         const solvers::MultigridNodes<Exec>& nodes,
                                                         const solvers::MultigridOptions& options);
void refresh(solvers::Multigrid<Exec>& multigrid, const HostMatrix& matrix);
/// y = M⁻¹ x, both of `multigrid.rows()` entries on the host.
void apply(const solvers::Multigrid<Exec>& multigrid, const double* x, double* y);
/// Conjugate gradients from the first guess in x, by multigrid or, without it, by Jacobi's preconditioner.
/// \param b, x  of `matrix.rows` entries on the host
/// \param between  called before each iteration; what it throws ends the solution, and leaves x as it was
solvers::CgResult cg(const HostMatrix& matrix, const solvers::Multigrid<Exec>* multigrid, const double* b,
                     double* x, const solvers::CgOptions& options, const std::function<void()>& between);

} // namespace tessera::python

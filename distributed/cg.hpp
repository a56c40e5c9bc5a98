// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Conjugate gradients over all ranks, with MPI alone.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/crs_operator.hpp>
#include <tessera/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace tessera::distributed {

/// Collective: `solvers::cg` on all ranks together, for symmetric positive definite matrices. The same on
/// every rank, and deterministic for a number of ranks.
/// \param preconditioner of owned equations, as `distributed::Multigrid`
/// \param b  an entry for each local equation, as `LinearSystem::rhs`; the owned ones are read
/// \param x  the same: the owned ones are the first guess on entry, the solution on return. `expand` fills
/// the
///   others.
/// \throws on every rank ArgumentError for other lengths or options out of range; OutOfMemoryError;
/// SolverError
///   as `solvers::cg`
template <class ExecutionSpace, class Preconditioner, class Rhs>
solvers::CgResult cg(const ExecutionSpace& exec, const CrsOperator<ExecutionSpace>& a,
                     const Preconditioner& preconditioner, const Rhs& b,
                     const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options = {}) {
  static_assert(solvers::OperatorOverRanks<CrsOperator<ExecutionSpace>, ExecutionSpace>,
                "distributed::cg: each compiler of a device's source has to know the sums over ranks");
  const std::size_t rows = a.rows();
  agree(a.ranks(), [&] {
    if (b.extent(0) < rows || x.extent(0) != b.extent(0))
      throw ArgumentError("distributed::cg: b has " + std::to_string(b.extent(0)) + " entries and x " +
                          std::to_string(x.extent(0)) + ", both need one for each local equation, of which " +
                          std::to_string(rows) + " are owned");
    solvers::detail::check_solver_arguments("distributed::cg", rows, preconditioner.rows(), rows, rows,
                                            options);
  });
  const auto owned = std::make_pair(std::size_t(0), rows);
  return solvers::cg(exec, a, preconditioner, Kokkos::subview(b, owned), Kokkos::subview(x, owned), options);
}

} // namespace tessera::distributed

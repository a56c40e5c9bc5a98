// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Negative diagonal entries of coarse levels.

#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::multigrid::detail {

/// Counts negative diagonal entries on the device, for which the host does not wait level by level.
template <class ExecutionSpace>
struct NegativeEntries {
  Kokkos::View<Ordinal, ExecutionSpace> count;

  explicit NegativeEntries(const Workspace<ExecutionSpace>& work)
      : count(make_temporary<Kokkos::View<Ordinal, ExecutionSpace>>(work, "negative")) {
    Kokkos::deep_copy(work.exec, count, 0);
  }

  /// \throws SolverError if there are some
  void require_none(const ExecutionSpace& exec) const {
    Ordinal found = 0;
    Kokkos::deep_copy(exec, found, count);
    exec.fence("Tessera::Multigrid::negative_entries");
    if (found > 0)
      throw SolverError("Multigrid: the matrix is not positive definite, or its coarse levels, in single "
                        "precision, have lost that (coefficients that differ much, a strength near 1): " +
                        std::to_string(found) + " of their diagonal entries are negative");
  }
};

} // namespace tessera::solvers::multigrid::detail

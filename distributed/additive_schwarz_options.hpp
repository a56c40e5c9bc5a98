// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Options of Tessera's multigrid over many ranks, whichever library iterates.

#include <tessera/solvers/multigrid/multigrid.hpp>

namespace tessera::distributed {

/// Options of `AdditiveSchwarz` and `HypreSchwarz`.
struct AdditiveSchwarzOptions {
  solvers::MultigridOptions multigrid{};
  /// The coarse level has at most so many rows, but for one aggregate on each rank; every rank solves it for
  /// itself, by a dense factorization. 0: no coarse level, so that iterations grow with the number of ranks.
  int coarse_rows = 384;
};

} // namespace tessera::distributed

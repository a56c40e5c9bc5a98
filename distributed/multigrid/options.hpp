// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Options of Tessera's multigrid over many ranks, and what it reports.

#include <tessera/core/types.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/types.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <optional>
#include <vector>

namespace tessera::distributed {

/// Options of `distributed::Multigrid`.
struct MultigridOptions {
  /// Of each rank's levels, and of the gathered level's own.
  solvers::MultigridOptions levels{};
  /// The first level with at most so many rows on all ranks together is gathered: each rank goes on from
  /// there with all of it; the coarsest if none has. If it is not given, a quarter of the finest level of the
  /// largest rank, and at least 512.
  std::optional<Ordinal> gathered_rows = {};
  /// How values get to other ranks; if it is not given, by MPI as it answers at run time (`usable_transfer`).
  std::optional<Transfer> transfer = {};
};

/// What a set-up made.
struct MultigridReport {
  /// Rows of each level on all ranks together; the last is the gathered one.
  std::vector<GlobalOrdinal> rows;
  /// Of the hierarchy that each rank has for the gathered level; on one rank that is the whole.
  solvers::MultigridReport gathered;
};

} // namespace tessera::distributed

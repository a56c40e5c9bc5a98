// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A mesh that one rank has, in pieces for all.

#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>

#include <vector>

namespace tessera::distributed::detail {

/// Collective: each rank's piece of what rank 0 has, one after the other, so that rank 0 holds one message at
/// a time.
/// \param whole   on rank 0
/// \param rank_of on rank 0: who gets each element
Piece dealt_out(const Communicator& ranks, const Piece& whole, const std::vector<Ordinal>& rank_of);

} // namespace tessera::distributed::detail

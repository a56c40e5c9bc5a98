// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ways in which values get from rank to rank here.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/peers/detail/peer_memory.hpp>

#include "distributed/rows.hpp"
#include <vector>

namespace tessera::test {

/// Collective: by MPI, and by peers where the ranks are some: always on hosts, on devices with one for each.
inline std::vector<distributed::Transfer> transfers() {
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  std::vector<distributed::Transfer> all{distributed::Transfer::host};
  if (distributed::detail::are_peers(ranks, !runs_on_host<Space>)) all.push_back(distributed::Transfer::peer);
  return all;
}

} // namespace tessera::test

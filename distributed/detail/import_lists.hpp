// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sends which nodes' values to whom.

#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/types.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace tessera::distributed::detail {

/// One rank's side of the exchange of values: with each neighbor, a range of a list.
struct ImportLists {
  std::vector<int> owners;                ///< ranks that own ghosts of this one, ascending
  std::vector<std::size_t> ghost_offsets; ///< of each owner's ghosts, which follow each other, from 0
  std::vector<int> readers;               ///< ranks that have ghosts of this one's nodes, ascending
  std::vector<std::size_t> sent_offsets;  ///< of each reader's nodes in `sent`
  std::vector<Ordinal> sent;              ///< owned nodes, in the order of the reader's ghosts
};

/// Collective: asks the owner of each ghost for it.
/// \param nodes        global numbers of the rank's nodes, the owned ones first
/// \param ghost_owners of the other nodes, ascending
/// \throws MeshError on every rank for a ghost that its owner does not own, an owner that is out of range or
///   the rank itself, or owners that do not ascend
ImportLists import_lists(const Communicator& ranks, std::span<const GlobalOrdinal> nodes,
                         std::span<const int> ghost_owners);

} // namespace tessera::distributed::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same numbers on all ranks for the new nodes of elevated elements.

#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/types.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// A new node of a rank.
struct NewNode {
  /// Numbers from 1 and weights of the corners of its edge or face, ascending after zeros: what ranks know it
  /// by.
  std::array<std::pair<GlobalOrdinal, std::int64_t>, 4> corners{};
  GlobalOrdinal place = 0; ///< of the rank's first element that has it
  bool shared = false;     ///< on an edge or face
};

/// Collective: the least place that any rank has for each node, behind the numbers of the old ones. Messages:
/// nine numbers for each node on an edge or face, and one back.
/// \param old_nodes numbers of the rank's other nodes, all ranks' without gaps
std::vector<GlobalOrdinal> shared_places(const Communicator& ranks, const std::vector<NewNode>& nodes,
                                         const std::vector<GlobalOrdinal>& old_nodes);

} // namespace tessera::distributed::detail

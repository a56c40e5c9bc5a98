// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whom a node belongs to, found by ranks that each know all about a range of numbers.

#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>
#include <tessera/distributed/types.hpp>

#include <vector>

namespace tessera::distributed::detail {

/// Collective: fills `node_owners` where they are empty, and makes coordinates and masks the same on all
/// ranks that have a node: coordinates of the lowest of them, masks of all together.
/// \throws MeshError on every rank for a number that is negative or stands twice, numbers of nodes with gaps,
/// a
///   node that no element has, ranks that disagree about a node's owner or place, an owner out of range, and
///   an element that two ranks have
void look_up(const Communicator& ranks, Piece& piece);

/// Collective: the numbers 0, 1, ... in the order of those given, which any rank may share with others and
/// which may leave gaps. \throws MeshError on every rank for a number that is negative or stands twice on a
/// rank
void close_gaps(const Communicator& ranks, std::vector<GlobalOrdinal>& ids);

} // namespace tessera::distributed::detail

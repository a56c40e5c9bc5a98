// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The elements that make a rank's rows whole.

#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>

namespace tessera::distributed::detail {

/// Collective: the elements of all ranks that touch a node that this rank owns, ascending; its owned nodes in
/// the order of the piece, then those that it has no element of, ascending; then ghosts by owner and number.
/// \param piece that `look_up` has completed
Piece with_ghost_layer(const Communicator& ranks, Piece piece);

} // namespace tessera::distributed::detail

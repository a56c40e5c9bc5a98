// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From pieces without ghosts to a mesh of all ranks.

#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/directory.hpp>
#include <tessera/distributed/detail/ghost_layer.hpp>
#include <tessera/distributed/detail/piece_of_mesh.hpp>
#include <tessera/distributed/mesh.hpp>

#include <utility>

namespace tessera::distributed::detail {

/// Collective. \throws as make_mesh
template <class Cells, class ExecutionSpace>
Mesh<Cells, ExecutionSpace> mesh_of_pieces(const ExecutionSpace& exec, const Communicator& ranks, Piece own,
                                           const SharedNames& names) {
  look_up(ranks, own);
  const Piece whole = with_ghost_layer(ranks, std::move(own));
  const auto part = agree(ranks, [&] {
    return PartMaker<typename Mesh<Cells, ExecutionSpace>::Local>(exec, whole, names).part();
  });
  return {exec, ranks, part.mesh, part.global_nodes, part.ghost_owners, part.global_elements};
}

} // namespace tessera::distributed::detail

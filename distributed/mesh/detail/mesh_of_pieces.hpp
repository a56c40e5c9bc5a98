// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From pieces without ghosts to a mesh of all ranks.

#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/directory.hpp>
#include <tessera/distributed/mesh/detail/ghost_layer.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>
#include <tessera/distributed/mesh/detail/piece_of_mesh.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// The elements of each type one after the other, in the order of the list, those of a type in their own.
/// \param count of the types
inline Piece in_blocks(Piece piece, int count) {
  std::vector<Ordinal> order(piece.elements()), nodes(piece.nodes()), number(piece.elements());
  std::iota(order.begin(), order.end(), 0);
  const auto type = [&](Ordinal e) { return piece.materials[to_size(e)] % count; };
  const auto before = [&](Ordinal a, Ordinal b) { return type(a) < type(b); };
  if (std::is_sorted(order.begin(), order.end(), before)) return piece;
  std::stable_sort(order.begin(), order.end(), before);
  std::iota(nodes.begin(), nodes.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) number[to_size(order[i])] = static_cast<Ordinal>(i);
  Piece result = gathered(piece, nodes, order);
  result.owned_nodes = piece.owned_nodes;
  for (const SideOfSet& side : piece.sides)
    result.sides.push_back({side.set, number[to_size(side.element)], side.side});
  std::sort(result.sides.begin(), result.sides.end());
  return result;
}

/// Collective. \throws as make_mesh
template <class Cells, class ExecutionSpace>
Mesh<Cells, ExecutionSpace> mesh_of_pieces(const ExecutionSpace& exec, const Communicator& ranks, Piece own,
                                           const SharedNames& names) {
  using Local = typename Mesh<Cells, ExecutionSpace>::Local;
  look_up(ranks, own);
  const Piece whole = in_blocks(with_ghost_layer(ranks, std::move(own)), TypesOf<Local>::count);
  const auto part = agree(ranks, [&] { return PartMaker<Local>(exec, whole, names).part(); });
  return {exec, ranks, part.mesh, part.global_nodes, part.ghost_owners, part.global_elements};
}

} // namespace tessera::distributed::detail

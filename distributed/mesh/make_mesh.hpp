// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One mesh over many ranks from what each rank has of it.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/elevated_piece.hpp>
#include <tessera/distributed/mesh/detail/mesh_of_pieces.hpp>
#include <tessera/distributed/mesh/detail/piece_of_mesh.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

namespace tessera::distributed {

/// Collective: one mesh of the pieces that ranks have. Each rank gives its elements, each element on one rank
/// alone, and their nodes under numbers of its own, as a mesh (made of the application's views, with sets and
/// materials), and says which number each has among those of all ranks. Ghosts are found here: what a rank
/// must know of others it asks those who keep a range of the numbers, so that no rank has to hold the whole.
/// A rank may have no elements, and own nodes that it has no element of.
///
/// Owned nodes stand in the order of the piece, so that they fit a map that the application has already. A
/// node is in a set if any rank says so; sides come with their elements; material numbers mean the same
/// everywhere. Works on the host. Messages: each node of a piece to its keeper and back, twice an element's
/// number, and each element to those who own a node of it.
///
/// \param piece           the rank's elements and their nodes, a `tessera::Mesh` or a `MixedMesh`; other
/// nodes
///   than theirs may be among them
/// \param global_nodes    view of an integer for each node of the piece, on the host or the device; all
/// ranks'
///   together are 0, 1, ... without gaps
/// \param global_elements view of an integer >= 0 for each element of the piece, block after block; gaps are
///   allowed
/// \param node_owners     view of the rank that owns each node of the piece; empty on all ranks: the lowest
/// with an
///   element of the node
/// \throws ArgumentError on every rank for views of other lengths; MeshError for numbers that are negative,
/// stand
///   twice or leave a gap, a node in no element, ranks that disagree about a node's place or owner, an owner
///   that is no rank, an element on two ranks
template <class PieceMesh, class GlobalNodes, class GlobalElements,
          class NodeOwners = Kokkos::View<const int*, Kokkos::HostSpace>>
Mesh<detail::CellsOf<PieceMesh>, typename PieceMesh::execution_space>
make_mesh(const typename PieceMesh::execution_space& exec, MPI_Comm communicator, const PieceMesh& piece,
          const GlobalNodes& global_nodes, const GlobalElements& global_elements,
          const NodeOwners& node_owners = NodeOwners()) {
  const Communicator ranks(communicator);
  const auto names = detail::SharedNames::of(ranks, piece);
  auto own = agree(ranks, [&] {
    return detail::piece_of_mesh(piece, names, detail::numbers_on_host<GlobalOrdinal>(global_nodes),
                                 detail::numbers_on_host<GlobalOrdinal>(global_elements),
                                 detail::numbers_on_host<int>(node_owners));
  });
  detail::check_owners_given(ranks, own);
  return detail::mesh_of_pieces<detail::CellsOf<PieceMesh>>(exec, ranks, std::move(own), names);
}

/// Collective: the same of higher order, of a linear piece: new nodes on edges and faces are shared among
/// ranks, and numbered behind the old ones as `elevated` does. The lowest rank with an element of a node owns
/// it. \throws as `make_mesh`
template <class To, class PieceMesh, class GlobalNodes, class GlobalElements>
Mesh<To, typename PieceMesh::execution_space>
make_elevated_mesh(const typename PieceMesh::execution_space& exec, MPI_Comm communicator,
                   const PieceMesh& piece, const GlobalNodes& global_nodes,
                   const GlobalElements& global_elements) {
  static_assert(std::is_same_v<detail::CellsOf<PieceMesh>, detail::LinearCells<To>>,
                "make_elevated_mesh: from a linear mesh of the same shapes");
  const Communicator ranks(communicator);
  const auto names = detail::SharedNames::of(ranks, piece);
  auto own = agree(ranks, [&] {
    return detail::piece_of_mesh(piece, names, detail::numbers_on_host<GlobalOrdinal>(global_nodes),
                                 detail::numbers_on_host<GlobalOrdinal>(global_elements), {});
  });
  return detail::mesh_of_pieces<To>(exec, ranks, detail::elevated_piece<To>(ranks, std::move(own)), names);
}

} // namespace tessera::distributed

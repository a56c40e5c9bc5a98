// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Pieces of a linear mesh as pieces of one of higher order.

#include <tessera/core/mesh/elevate.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/directory.hpp>
#include <tessera/distributed/detail/new_nodes.hpp>
#include <tessera/distributed/detail/piece.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// The nodes of a piece's elements, elevated. The new ones stand behind the old ones.
template <class To>
class PieceElevator {
public:
  explicit PieceElevator(const Piece& linear)
      : linear_(linear), block_{connectivity()},
        nodes_(std::get<0>(
            tessera::detail::elevated_nodes(static_cast<Ordinal>(linear.nodes()), block_).blocks)) {}

  /// For each new node its corners, and where the piece has it first: element * nodes + node, by the
  /// elements' numbers among those of all ranks.
  std::vector<NewNode> new_nodes() const {
    std::vector<NewNode> list;
    for_each_new_node([&](std::size_t element, std::size_t n) {
      NewNode node{.corners = {},
                   .place = linear_.element_ids[element] * To::nodes + static_cast<GlobalOrdinal>(n),
                   .shared = !block_.corner.interior(static_cast<int>(n))};
      std::size_t entries = 0;
      for_each_corner(element, n, [&](std::size_t vertex, int weight) {
        if (node.shared) node.corners[entries++] = {linear_.node_ids[vertex] + 1, weight};
      });
      std::sort(node.corners.begin(), node.corners.end());
      list.push_back(node);
    });
    return list;
  }

  /// \param places of the new nodes, the same on all ranks that have one; numbers with gaps
  Piece piece(const std::vector<GlobalOrdinal>& places) const {
    Piece all = linear_;
    all.nodes_per_element = To::nodes;
    all.node_owners.clear();
    all.node_ids.insert(all.node_ids.end(), places.begin(), places.end());
    all.connectivity = nodes_.number;
    for_each_new_node([&](std::size_t element, std::size_t n) {
      for (int d = 0; d < all.dimension; ++d) {
        double sum = 0;
        for_each_corner(element, n, [&](std::size_t vertex, int weight) {
          sum += weight * linear_.coordinates[vertex * To::dimension + to_size(d)];
        });
        all.coordinates.push_back(sum / block_.corner.total);
      }
      for (std::size_t w = 0; w < to_size(all.mask_words); ++w) {
        std::int64_t mask = -1; // of the sets that all corners are in
        for_each_corner(element, n, [&](std::size_t vertex, int) {
          mask &= linear_.masks[vertex * to_size(all.mask_words) + w];
        });
        all.masks.push_back(mask);
      }
    });
    return all;
  }

private:
  using Connectivity =
      Kokkos::View<const Ordinal**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  Connectivity connectivity() const {
    return Connectivity(linear_.connectivity.data(), linear_.elements(), to_size(linear_.nodes_per_element));
  }

  template <class Visit>
  void for_each_new_node(const Visit& visit) const {
    for (std::size_t slot = 0; slot < nodes_.number.size(); ++slot)
      if (nodes_.is_new[slot]) visit(slot / To::nodes, slot % To::nodes);
  }

  template <class Visit>
  void for_each_corner(std::size_t element, std::size_t n, const Visit& visit) const {
    for (std::size_t v = 0; v < To::vertices; ++v)
      if (const int weight = block_.corner.weights[n][v]; weight > 0)
        visit(to_size(linear_.nodes_of(element)[v]), weight);
  }

  const Piece& linear_;
  tessera::detail::LinearBlock<To, Connectivity> block_;
  tessera::detail::ElevatedNodes<To> nodes_;
};

/// Collective: `elevated` of the mesh of all ranks, with the numbers that one rank would give to new nodes:
/// in the order of the elements that have them first.
/// \param linear without owners of nodes, its numbers of nodes without gaps
/// \throws as `look_up`; MeshError on every rank for 2^31 nodes on one
template <class To>
Piece elevated_piece(const Communicator& ranks, Piece linear) {
  look_up(ranks, linear); // sets are known to all who have a corner
  const PieceElevator<To> elevator = agree(ranks, [&] { return PieceElevator<To>(linear); });
  Piece all = elevator.piece(shared_places(ranks, elevator.new_nodes(), linear.node_ids));
  close_gaps(ranks, all.node_ids);
  return all;
}

} // namespace tessera::distributed::detail

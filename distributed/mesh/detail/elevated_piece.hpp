// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Pieces of a linear mesh as pieces of one of higher order.

#include <tessera/core/blocks/blocks.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/directory.hpp>
#include <tessera/distributed/mesh/detail/new_nodes.hpp>
#include <tessera/distributed/mesh/detail/piece.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

template <class Cells>
struct ElevatedCells {
  using Blocks = tessera::Blocks<Cells>;
  using Linear = typename Cells::template of_order<1>;
};
template <class... Elements>
struct ElevatedCells<Blocks<Elements...>> {
  using Blocks = tessera::Blocks<Elements...>;
  using Linear = tessera::Blocks<typename Elements::template of_order<1>...>;
};
/// The linear elements of the same shapes.
template <class Cells>
using LinearCells = typename ElevatedCells<Cells>::Linear;

/// The elements of one type in a piece, and their nodes, element x corner.
struct LinearElements {
  std::vector<std::size_t> elements;
  std::vector<Ordinal> corners;
};

template <class List>
class PieceElevator;
/// The nodes of a piece's elements, elevated. The new ones stand behind the old ones.
template <class... To>
class PieceElevator<Blocks<To...>> {
  static constexpr int count = sizeof...(To);
  static constexpr int most_nodes = std::max({To::nodes...});

public:
  explicit PieceElevator(const Piece& linear)
      : linear_(linear), elements_{elements_of<To>()...}, blocks_{block_of<To>()...},
        nodes_(std::apply(
            [&](const auto&... block) {
              return tessera::detail::elevated_nodes(static_cast<Ordinal>(linear.nodes()), block...);
            },
            blocks_)) {}
  PieceElevator(PieceElevator&&) = default; // blocks look into `elements_`, which a copy would leave behind
  PieceElevator(const PieceElevator&) = delete;

  /// For each new node its corners, and where the piece has it first, by type, the elements' numbers among
  /// those of all ranks, and the node.
  /// \param span more than any rank's number of an element
  std::vector<NewNode> new_nodes(GlobalOrdinal span) const {
    std::vector<NewNode> list;
    for_each_new_node([&](const auto& block, int type, std::size_t element, std::size_t n) {
      NewNode node{.corners = {},
                   .place = (type * span + linear_.element_ids[element]) * most_nodes +
                            static_cast<GlobalOrdinal>(n),
                   .shared = !block.corner.interior(static_cast<int>(n))};
      std::size_t entries = 0;
      int common = 0;
      for (const int weight : block.corner.weights[n]) common = std::gcd(common, weight);
      for_each_corner(block, element, n, [&](std::size_t vertex, int weight) {
        if (node.shared) node.corners[entries++] = {linear_.node_ids[vertex] + 1, weight / common};
      });
      std::sort(node.corners.begin(), node.corners.end());
      list.push_back(node);
    });
    return list;
  }

  /// \param places of the new nodes, the same on all ranks that have one; numbers with gaps
  Piece piece(const std::vector<GlobalOrdinal>& places) const {
    Piece all = linear_;
    all.nodes_per_element = most_nodes;
    all.node_owners.clear();
    all.node_ids.insert(all.node_ids.end(), places.begin(), places.end());
    all.connectivity.resize(all.elements() * to_size(most_nodes));
    for_each_type([&](const auto& block, const auto& nodes, int type) {
      connect(block, nodes, elements_[to_size(type)], all.connectivity);
    });
    for_each_new_node([&](const auto& block, int, std::size_t element, std::size_t n) {
      for (int d = 0; d < all.dimension; ++d) {
        double sum = 0;
        for_each_corner(block, element, n, [&](std::size_t vertex, int weight) {
          sum += weight * linear_.coordinates[vertex * to_size(all.dimension) + to_size(d)];
        });
        all.coordinates.push_back(sum / block.corner.total);
      }
      for (std::size_t w = 0; w < to_size(all.mask_words); ++w) {
        std::int64_t mask = -1; // of the sets that all corners are in
        for_each_corner(block, element, n, [&](std::size_t vertex, int) {
          mask &= linear_.masks[vertex * to_size(all.mask_words) + w];
        });
        all.masks.push_back(mask);
      }
    });
    return all;
  }

private:
  using Corners =
      Kokkos::View<const Ordinal**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  template <class Element>
  using Block = tessera::detail::LinearBlock<Element, Corners>;
  template <class Element>
  static constexpr int type_of = static_cast<int>(Blocks<To...>::template number<Element>);

  template <class Element>
  LinearElements elements_of() const {
    LinearElements of_type;
    for (std::size_t e = 0; e < linear_.elements(); ++e) {
      if (linear_.materials[e] % count != type_of<Element>) continue;
      of_type.elements.push_back(e);
      of_type.corners.insert(of_type.corners.end(), linear_.nodes_of(e),
                             linear_.nodes_of(e) + Element::vertices);
    }
    return of_type;
  }
  template <class Element>
  Block<Element> block_of() const {
    const LinearElements& of_type = elements_[to_size(type_of<Element>)];
    return {Corners(of_type.corners.data(), of_type.elements.size(), Element::vertices)};
  }

  /// Writes the nodes of a type's elements; those with fewer nodes than others repeat their first one.
  template <class Element, class Nodes>
  static void connect(const Block<Element>&, const Nodes& nodes, const LinearElements& of_type,
                      std::vector<Ordinal>& connectivity) {
    for (std::size_t i = 0; i < of_type.elements.size(); ++i)
      for (std::size_t n = 0; n < to_size(most_nodes); ++n)
        connectivity[of_type.elements[i] * to_size(most_nodes) + n] =
            nodes.number[i * Element::nodes + (n < Element::nodes ? n : 0)];
  }

  /// `visit(block, nodes, type)` of each type.
  template <class Visit>
  void for_each_type(const Visit& visit) const {
    (visit(std::get<type_of<To>>(blocks_), std::get<type_of<To>>(nodes_.blocks), type_of<To>), ...);
  }
  /// `visit(block, type, element, node)` of each, type after type.
  template <class Visit>
  void for_each_new_node(const Visit& visit) const {
    for_each_type([&]<class Element>(const Block<Element>& block, const auto& nodes, int type) {
      for (std::size_t slot = 0; slot < nodes.number.size(); ++slot)
        if (nodes.is_new[slot])
          visit(block, type, elements_[to_size(type)].elements[slot / Element::nodes], slot % Element::nodes);
    });
  }

  template <class Element, class Visit>
  void for_each_corner(const Block<Element>& block, std::size_t element, std::size_t n,
                       const Visit& visit) const {
    for (std::size_t v = 0; v < Element::vertices; ++v)
      if (const int weight = block.corner.weights[n][v]; weight > 0)
        visit(to_size(linear_.nodes_of(element)[v]), weight);
  }

  const Piece& linear_;
  std::array<LinearElements, sizeof...(To)> elements_; ///< by type
  std::tuple<Block<To>...> blocks_;
  tessera::detail::ElevatedBlocks<To...> nodes_;
};

/// Collective: `elevated` of the mesh of all ranks, with the numbers that one rank would give to new nodes:
/// in the order of the elements that have them first, type after type.
/// \param linear without owners of nodes, its numbers of nodes without gaps
/// \throws as `look_up`; MeshError on every rank for 2^31 nodes on one
template <class Cells>
Piece elevated_piece(const Communicator& ranks, Piece linear) {
  look_up(ranks, linear); // sets are known to all who have a corner
  GlobalOrdinal span = 0;
  for (const GlobalOrdinal number : linear.element_ids) span = std::max(span, number + 1);
  MPI_Allreduce(MPI_IN_PLACE, &span, 1, MPI_INT64_T, MPI_MAX, ranks.own());
  using Elevator = PieceElevator<typename ElevatedCells<Cells>::Blocks>;
  const Elevator elevator = agree(ranks, [&] { return Elevator(linear); });
  Piece all = elevator.piece(shared_places(ranks, elevator.new_nodes(span), linear.node_ids));
  close_gaps(ranks, all.node_ids);
  return all;
}

} // namespace tessera::distributed::detail

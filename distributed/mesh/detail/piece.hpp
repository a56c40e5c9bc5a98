// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank has of a mesh, on the host.

#include <tessera/core/types.hpp>
#include <tessera/distributed/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::distributed::detail {

/// A side in a set.
struct SideOfSet {
  int set;
  Ordinal element; ///< number within the piece
  Ordinal side;
  friend auto operator<=>(const SideOfSet&, const SideOfSet&) = default;
};

/// Nodes and elements under numbers of the rank's own, with those of all ranks.
struct Piece {
  int dimension = 0, nodes_per_element = 0;
  int mask_words = 0; ///< for a bit for each node set

  std::vector<GlobalOrdinal> node_ids;
  std::vector<int> node_owners;    ///< empty where they are to be found
  std::vector<double> coordinates; ///< node x dimension
  std::vector<std::int64_t> masks; ///< node x mask_words: the sets that it is in
  std::vector<GlobalOrdinal> element_ids;
  std::vector<Ordinal> connectivity; ///< element x nodes_per_element
  std::vector<Ordinal> materials;    ///< of each element
  std::vector<SideOfSet> sides;
  Ordinal owned_nodes = 0; ///< the first, in a piece with its ghosts

  std::size_t nodes() const { return node_ids.size(); }
  std::size_t elements() const { return element_ids.size(); }
  const Ordinal* nodes_of(std::size_t element) const {
    return connectivity.data() + element * to_size(nodes_per_element);
  }
};

/// Entry `kept[i]` of a list of `width` values each becomes entry i.
template <class T>
std::vector<T> gathered(const std::vector<T>& list, const std::vector<Ordinal>& kept, int width) {
  std::vector<T> result;
  result.reserve(kept.size() * to_size(width));
  for (const Ordinal i : kept)
    result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(i) * width,
                  list.begin() + (static_cast<std::ptrdiff_t>(i) + 1) * width);
  return result;
}

/// What is kept of a piece's nodes and elements, in their new order, without sides; its connectivity has the
/// old numbers of nodes still.
inline Piece gathered(const Piece& piece, const std::vector<Ordinal>& nodes,
                      const std::vector<Ordinal>& elements) {
  Piece result;
  result.dimension = piece.dimension;
  result.nodes_per_element = piece.nodes_per_element;
  result.mask_words = piece.mask_words;
  result.node_ids = gathered(piece.node_ids, nodes, 1);
  if (!piece.node_owners.empty()) result.node_owners = gathered(piece.node_owners, nodes, 1);
  result.coordinates = gathered(piece.coordinates, nodes, piece.dimension);
  result.masks = gathered(piece.masks, nodes, piece.mask_words);
  result.element_ids = gathered(piece.element_ids, elements, 1);
  result.materials = gathered(piece.materials, elements, 1);
  result.connectivity = gathered(piece.connectivity, elements, piece.nodes_per_element);
  return result;
}

} // namespace tessera::distributed::detail

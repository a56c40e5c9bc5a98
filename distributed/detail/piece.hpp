#pragma once

// What a rank has of a mesh, on the host.

#include <tessera/core/types.hpp>
#include <tessera/distributed/types.hpp>

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
  std::vector<int> node_owners;       ///< empty where they are to be found
  std::vector<double> coordinates;    ///< node x dimension
  std::vector<std::int64_t> masks;    ///< node x mask_words: the sets that it is in
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

} // namespace tessera::distributed::detail

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>
#include <tessera/distributed/mesh/detail/ghost_layer.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

namespace {

/// What is sent of a piece: nodes, elements, sides of sets, each with its count before it.
///   node:    id, owner, mask ..., coordinates ...
///   element: id, material, ids of nodes ...
///   side:    set, id of the element, side
class Sender {
public:
  explicit Sender(const Piece& piece) : piece_(piece), sides_of_(piece.elements() + 1, 0) {
    for (const SideOfSet& side : piece.sides) ++sides_of_[to_size(side.element) + 1];
    std::partial_sum(sides_of_.begin(), sides_of_.end(), sides_of_.begin());
    side_.resize(piece.sides.size());
    auto next = sides_of_;
    for (const SideOfSet& side : piece.sides) side_[next[to_size(side.element)]++] = side;
  }

  Words message(const std::vector<Ordinal>& elements) const {
    std::vector<Ordinal> nodes;
    for (const Ordinal e : elements)
      nodes.insert(nodes.end(), piece_.nodes_of(to_size(e)),
                   piece_.nodes_of(to_size(e)) + piece_.nodes_per_element);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());

    Words words{static_cast<std::int64_t>(nodes.size())};
    for (const Ordinal node : nodes) add_node(to_size(node), words);
    words.push_back(static_cast<std::int64_t>(elements.size()));
    for (const Ordinal e : elements) add_element(to_size(e), words);
    const std::size_t count = words.size();
    words.push_back(0);
    for (const Ordinal e : elements)
      for (std::size_t k = sides_of_[to_size(e)]; k < sides_of_[to_size(e) + 1]; ++k) {
        words.insert(words.end(), {side_[k].set, piece_.element_ids[to_size(e)], side_[k].side});
        ++words[count];
      }
    return words;
  }

private:
  void add_node(std::size_t node, Words& words) const {
    words.insert(words.end(), {piece_.node_ids[node], piece_.node_owners[node]});
    const auto masks = to_size(piece_.mask_words), dimension = to_size(piece_.dimension);
    for (std::size_t m = 0; m < masks; ++m) words.push_back(piece_.masks[node * masks + m]);
    for (std::size_t d = 0; d < dimension; ++d)
      words.push_back(std::bit_cast<std::int64_t>(piece_.coordinates[node * dimension + d]));
  }
  void add_element(std::size_t e, Words& words) const {
    words.insert(words.end(), {piece_.element_ids[e], piece_.materials[e]});
    for (int n = 0; n < piece_.nodes_per_element; ++n)
      words.push_back(piece_.node_ids[to_size(piece_.nodes_of(e)[n])]);
  }

  const Piece& piece_;
  std::vector<std::size_t> sides_of_; ///< element (+1)
  std::vector<SideOfSet> side_;       ///< by element
};

/// Adds what arrives to a piece.
class Receiver {
public:
  explicit Receiver(Piece& piece) : piece_(piece) {
    for (std::size_t node = 0; node < piece.nodes(); ++node)
      known_.emplace_back(piece.node_ids[node], static_cast<Ordinal>(node));
    std::sort(known_.begin(), known_.end());
    sorted_ = known_.size();
  }

  void add(const Words& words) {
    const std::int64_t* at = words.data();
    for (std::int64_t left = *at++; left > 0; --left) add_node(at);
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    std::sort(end, known_.end());
    std::inplace_merge(known_.begin(), end, known_.end());
    sorted_ = known_.size();
    auto e = static_cast<Ordinal>(piece_.elements()); // sides follow in the order of elements
    for (std::int64_t left = *at++; left > 0; --left) add_element(at);
    for (std::int64_t left = *at++; left > 0; --left, at += 3) {
      while (piece_.element_ids[to_size(e)] != at[1]) ++e;
      piece_.sides.push_back({static_cast<int>(at[0]), e, static_cast<Ordinal>(at[2])});
    }
  }

private:
  void add_node(const std::int64_t*& at) {
    const auto masks = to_size(piece_.mask_words), dimension = to_size(piece_.dimension);
    const std::int64_t* const node = at;
    at += 2 + masks + dimension;
    // A message has each node once: it is not sought among those before it in the message.
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    const auto found = std::lower_bound(known_.begin(), end, std::pair{node[0], Ordinal{0}});
    if (found != end && found->first == node[0]) return;
    known_.emplace_back(node[0], static_cast<Ordinal>(piece_.nodes()));
    piece_.node_ids.push_back(node[0]);
    piece_.node_owners.push_back(static_cast<int>(node[1]));
    piece_.masks.insert(piece_.masks.end(), node + 2, node + 2 + masks);
    for (std::size_t d = 0; d < dimension; ++d)
      piece_.coordinates.push_back(std::bit_cast<double>(node[2 + masks + d]));
  }

  void add_element(const std::int64_t*& at) {
    piece_.element_ids.push_back(*at++);
    piece_.materials.push_back(static_cast<Ordinal>(*at++));
    for (int n = 0; n < piece_.nodes_per_element; ++n)
      piece_.connectivity.push_back(
          std::lower_bound(known_.begin(), known_.end(), std::pair{*at++, Ordinal{0}})->second);
  }

  Piece& piece_;
  std::vector<std::pair<GlobalOrdinal, Ordinal>> known_; ///< global and own numbers
  std::size_t sorted_;                                   ///< of them; the rest is of the present message
};

/// The elements that each other rank needs: those with a node of its own.
std::map<int, std::vector<Ordinal>> needed(const Piece& piece, int rank) {
  std::map<int, std::vector<Ordinal>> elements;
  for (std::size_t e = 0; e < piece.elements(); ++e)
    for (int n = 0; n < piece.nodes_per_element; ++n) {
      const int owner = piece.node_owners[to_size(piece.nodes_of(e)[n])];
      if (owner == rank) continue;
      auto& list = elements[owner];
      if (list.empty() || list.back() != static_cast<Ordinal>(e)) list.push_back(static_cast<Ordinal>(e));
    }
  return elements;
}

/// Numbers of things that stay, in their new order, and the new numbers of all; those that do not stay have
/// -1.
struct Selection {
  std::vector<Ordinal> kept, number;

  void find_numbers(std::size_t all) {
    number.assign(all, -1);
    for (std::size_t i = 0; i < kept.size(); ++i) number[to_size(kept[i])] = static_cast<Ordinal>(i);
  }
};

/// Elements with an owned node, by global number.
Selection select_elements(const Piece& piece, int rank) {
  Selection elements;
  for (std::size_t e = 0; e < piece.elements(); ++e)
    if (std::any_of(piece.nodes_of(e), piece.nodes_of(e) + piece.nodes_per_element,
                    [&](Ordinal node) { return piece.node_owners[to_size(node)] == rank; }))
      elements.kept.push_back(static_cast<Ordinal>(e));
  std::sort(elements.kept.begin(), elements.kept.end(), [&](Ordinal a, Ordinal b) {
    return piece.element_ids[to_size(a)] < piece.element_ids[to_size(b)];
  });
  elements.find_numbers(piece.elements());
  return elements;
}

/// Their nodes. \param own_order nodes before this one keep the order among the owned that they have
Selection select_nodes(const Piece& piece, int rank, const Selection& elements, std::size_t own_order) {
  std::vector<char> used(piece.nodes(), 0);
  for (const Ordinal e : elements.kept)
    for (int n = 0; n < piece.nodes_per_element; ++n) used[to_size(piece.nodes_of(to_size(e))[n])] = 1;
  Selection nodes;
  for (std::size_t node = 0; node < piece.nodes(); ++node)
    if (used[node] != 0) nodes.kept.push_back(static_cast<Ordinal>(node));
  const auto key = [&](Ordinal node) {
    const int owner = piece.node_owners[to_size(node)];
    const bool ghost = owner != rank, found = to_size(node) >= own_order;
    const GlobalOrdinal by = ghost || found ? piece.node_ids[to_size(node)] : node;
    return std::make_tuple(ghost, ghost ? owner : 0, !ghost && found, by);
  };
  std::sort(nodes.kept.begin(), nodes.kept.end(), [&](Ordinal a, Ordinal b) { return key(a) < key(b); });
  nodes.find_numbers(piece.nodes());
  return nodes;
}

Piece selected(const Piece& piece, int rank, std::size_t own_order) {
  const Selection elements = select_elements(piece, rank);
  const Selection nodes = select_nodes(piece, rank, elements, own_order);
  Piece result = gathered(piece, nodes.kept, elements.kept);
  for (Ordinal& node : result.connectivity) node = nodes.number[to_size(node)];
  for (const SideOfSet& side : piece.sides)
    if (const Ordinal e = elements.number[to_size(side.element)]; e >= 0)
      result.sides.push_back({side.set, e, side.side});
  std::sort(result.sides.begin(), result.sides.end());
  result.owned_nodes =
      static_cast<Ordinal>(std::count(result.node_owners.begin(), result.node_owners.end(), rank));
  return result;
}

} // namespace

Piece with_ghost_layer(const Communicator& ranks, Piece piece) {
  std::map<int, Words> messages;
  {
    const Sender sender(piece);
    for (const auto& [rank, elements] : needed(piece, ranks.rank()))
      messages[rank] = sender.message(elements);
  }
  const std::size_t own_order = piece.nodes();
  const auto received = sparse_exchange(ranks, messages);
  messages.clear();
  Receiver receiver(piece);
  for (const auto& [rank, words] : received) receiver.add(words);
  return selected(piece, ranks.rank(), own_order);
}

} // namespace tessera::distributed::detail

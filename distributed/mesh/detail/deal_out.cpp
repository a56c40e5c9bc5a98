// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>
#include <tessera/distributed/mesh/detail/deal_out.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

namespace {

template <class T>
void put(const std::vector<T>& list, Words& words) {
  words.push_back(static_cast<std::int64_t>(list.size()));
  for (const T value : list) {
    if constexpr (std::is_same_v<T, double>)
      words.push_back(std::bit_cast<std::int64_t>(value));
    else
      words.push_back(value);
  }
}

template <class T>
void take(const std::int64_t*& at, std::vector<T>& list) {
  list.resize(static_cast<std::size_t>(*at++));
  for (T& value : list) {
    if constexpr (std::is_same_v<T, double>)
      value = std::bit_cast<double>(*at++);
    else
      value = static_cast<T>(*at++);
  }
}

Words packed(const Piece& piece) {
  Words words{piece.dimension, piece.nodes_per_element, piece.mask_words};
  put(piece.node_ids, words);
  put(piece.coordinates, words);
  put(piece.masks, words);
  put(piece.element_ids, words);
  put(piece.connectivity, words);
  put(piece.materials, words);
  for (const SideOfSet& side : piece.sides) words.insert(words.end(), {side.set, side.element, side.side});
  return words;
}

Piece unpacked(const Words& words) {
  const std::int64_t* at = words.data();
  Piece piece;
  piece.dimension = static_cast<int>(*at++);
  piece.nodes_per_element = static_cast<int>(*at++);
  piece.mask_words = static_cast<int>(*at++);
  take(at, piece.node_ids);
  take(at, piece.coordinates);
  take(at, piece.masks);
  take(at, piece.element_ids);
  take(at, piece.connectivity);
  take(at, piece.materials);
  for (; at != words.data() + words.size(); at += 3)
    piece.sides.push_back(
        {static_cast<int>(at[0]), static_cast<Ordinal>(at[1]), static_cast<Ordinal>(at[2])});
  return piece;
}

/// Cuts pieces, one after the other.
class Cutter {
public:
  Cutter(const Piece& whole, const std::vector<Ordinal>& rank_of, int ranks)
      : whole_(whole), elements_(to_size(ranks)), sides_(to_size(ranks)), number_(whole.elements()),
        used_(whole.nodes(), -1) {
    for (std::size_t e = 0; e < whole.elements(); ++e) {
      auto& list = elements_[to_size(rank_of[e])];
      number_[e] = static_cast<Ordinal>(list.size());
      list.push_back(static_cast<Ordinal>(e));
    }
    for (const SideOfSet& side : whole.sides)
      sides_[to_size(rank_of[to_size(side.element)])].push_back(
          {side.set, number_[to_size(side.element)], side.side});
  }

  Piece piece(int rank) {
    const auto& elements = elements_[to_size(rank)];
    std::vector<Ordinal> nodes;
    for (const Ordinal e : elements)
      for (int n = 0; n < whole_.nodes_per_element; ++n) {
        const Ordinal node = whole_.nodes_of(to_size(e))[n];
        if (used_[to_size(node)] != rank) nodes.push_back(node);
        used_[to_size(node)] = rank;
      }
    std::sort(nodes.begin(), nodes.end());
    Piece piece = gathered(whole_, nodes, elements);
    for (Ordinal& node : piece.connectivity)
      node = static_cast<Ordinal>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
    piece.sides = std::exchange(sides_[to_size(rank)], {});
    return piece;
  }

private:
  const Piece& whole_;
  std::vector<std::vector<Ordinal>> elements_;
  std::vector<std::vector<SideOfSet>> sides_;
  std::vector<Ordinal> number_; ///< of each element in its piece
  std::vector<int> used_;       ///< last rank that used the node
};

/// \throws UnsupportedError for more words than MPI counts
void check_length(const Communicator& ranks, const Piece& whole) {
  const std::size_t node = 1 + to_size(whole.dimension) + to_size(whole.mask_words);
  const std::size_t words = whole.nodes() * node + whole.elements() * (2 + to_size(whole.nodes_per_element)) +
                            3 * whole.sides.size() + 16;
  if (ranks.size() > 1 && words > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw UnsupportedError("a mesh of " + std::to_string(whole.elements()) + " elements and " +
                           std::to_string(whole.nodes()) +
                           " nodes is too large for one rank to deal out: take one file for each rank");
}

} // namespace

Piece dealt_out(const Communicator& ranks, const Piece& whole, const std::vector<Ordinal>& rank_of) {
  agree(ranks, [&] { check_length(ranks, whole); });
  const int tag = ranks.set_up_tag();
  if (ranks.rank() == 0) {
    Cutter cutter(whole, rank_of, ranks.size());
    for (int rank = 1; rank < ranks.size(); ++rank) {
      const Words words = packed(cutter.piece(rank));
      MPI_Send(words.data(), static_cast<int>(words.size()), MPI_INT64_T, rank, tag, ranks.own());
    }
    return cutter.piece(0);
  }
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(0, tag, ranks.own(), &message, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT64_T, &count);
  Words words(static_cast<std::size_t>(count));
  MPI_Mrecv(words.data(), count, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
  return unpacked(words);
}

} // namespace tessera::distributed::detail

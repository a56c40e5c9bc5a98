// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/detail/sparse_exchange.hpp>
#include <tessera/distributed/mesh/detail/new_nodes.hpp>

#include <algorithm>
#include <cstddef>
#include <map>

namespace tessera::distributed::detail {

namespace {

using Corners = std::array<std::int64_t, 8>;

Corners packed(const NewNode& node) {
  Corners corners{};
  for (std::size_t i = 0; i < node.corners.size(); ++i) {
    corners[2 * i] = node.corners[i].first;
    corners[2 * i + 1] = node.corners[i].second;
  }
  return corners;
}

/// Who keeps a node: by its highest corner.
int keeper(const Communicator& ranks, const NewNode& node) {
  return static_cast<int>(node.corners.back().first % ranks.size());
}

/// Answers what ranks have asked: the least place of each node, in the order of the questions.
std::map<int, Words> answers(const std::map<int, Words>& questions) {
  constexpr std::size_t width = std::tuple_size_v<Corners> + 1;
  std::map<Corners, std::int64_t> least;
  const auto visit = [&](const auto& action) {
    for (const auto& [rank, words] : questions)
      for (std::size_t w = 0; w < words.size(); w += width) {
        Corners corners{};
        std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(w), corners.size(), corners.begin());
        action(rank, corners, words[w + corners.size()]);
      }
  };
  visit([&](int, const Corners& corners, std::int64_t place) {
    const auto [known, fresh] = least.try_emplace(corners, place);
    if (!fresh) known->second = std::min(known->second, place);
  });
  std::map<int, Words> to;
  visit([&](int rank, const Corners& corners, std::int64_t) { to[rank].push_back(least.at(corners)); });
  return to;
}

} // namespace

std::vector<GlobalOrdinal> shared_places(const Communicator& ranks, const std::vector<NewNode>& nodes,
                                         const std::vector<GlobalOrdinal>& old_nodes) {
  std::map<int, Words> questions;
  for (const NewNode& node : nodes) {
    if (!node.shared) continue;
    Words& words = questions[keeper(ranks, node)];
    const Corners corners = packed(node);
    words.insert(words.end(), corners.begin(), corners.end());
    words.push_back(node.place);
  }
  const auto replies = sparse_exchange(ranks, answers(sparse_exchange(ranks, questions)));
  GlobalOrdinal first = 0; // behind the old nodes
  for (const GlobalOrdinal number : old_nodes) first = std::max(first, number + 1);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MAX, ranks.own());
  std::map<int, std::size_t> next;
  std::vector<GlobalOrdinal> places;
  places.reserve(nodes.size());
  for (const NewNode& node : nodes) {
    const int rank = keeper(ranks, node);
    places.push_back(first + (node.shared ? replies.at(rank)[next[rank]++] : node.place));
  }
  return places;
}

} // namespace tessera::distributed::detail

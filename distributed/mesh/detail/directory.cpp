// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>
#include <tessera/distributed/mesh/detail/directory.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

namespace {

/// \throws MeshError for a number that is negative or stands twice on this rank
void check_ids(const char* what, std::vector<GlobalOrdinal> ids) {
  std::sort(ids.begin(), ids.end());
  if (!ids.empty() && ids.front() < 0)
    throw MeshError(std::string(what) + " " + std::to_string(ids.front()) + ": numbers begin at 0");
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end())
    throw MeshError(std::string(what) + " " + std::to_string(*twice) + " stands twice in the rank's list");
}

/// Divides the numbers 0 ... largest into a range for each rank.
struct Ranges {
  GlobalOrdinal largest = -1, length = 1;

  Ranges(const Communicator& ranks, const std::vector<GlobalOrdinal>& ids) {
    for (const GlobalOrdinal id : ids) largest = std::max(largest, id);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, ranks.own());
    length = largest / ranks.size() + 1;
  }
  int rank_of(GlobalOrdinal id) const { return static_cast<int>(id / length); }
  GlobalOrdinal begin(int rank) const { return std::min(rank * length, largest + 1); }
};

/// What is known of a node: words of a message.
///   to the directory:   id, used by an element, owner or -1, mask ..., coordinates ...
///   from the directory: owner, mask ..., coordinates ...
class NodeRecords {
public:
  explicit NodeRecords(const Piece& piece)
      : masks_(to_size(piece.mask_words)), dimension_(to_size(piece.dimension)) {}

  std::size_t question() const { return 3 + answer() - 1; }
  std::size_t answer() const { return 1 + masks_ + dimension_; }

  void ask(const Piece& piece, std::size_t node, bool used, Words& words) const {
    words.insert(words.end(), {piece.node_ids[node], used ? 1 : 0,
                               piece.node_owners.empty() ? -1 : piece.node_owners[node]});
    for (std::size_t m = 0; m < masks_; ++m) words.push_back(piece.masks[node * masks_ + m]);
    for (std::size_t d = 0; d < dimension_; ++d)
      words.push_back(std::bit_cast<std::int64_t>(piece.coordinates[node * dimension_ + d]));
  }
  void take(const std::int64_t* answer, std::size_t node, Piece& piece) const {
    piece.node_owners[node] = static_cast<int>(answer[0]);
    for (std::size_t m = 0; m < masks_; ++m) piece.masks[node * masks_ + m] = answer[1 + m];
    for (std::size_t d = 0; d < dimension_; ++d)
      piece.coordinates[node * dimension_ + d] = std::bit_cast<double>(answer[1 + masks_ + d]);
  }
  std::size_t masks() const { return masks_; }
  std::size_t dimension() const { return dimension_; }

private:
  std::size_t masks_, dimension_;
};

/// A question and who asked.
struct Asked {
  const std::int64_t* words;
  int rank;
  std::int64_t* answer;

  GlobalOrdinal id() const { return words[0]; }
  bool used() const { return words[1] != 0; }
  std::int64_t owner() const { return words[2]; }
};

/// One rank's range of the directory of nodes.
class Directory {
public:
  Directory(const Communicator& ranks, const NodeRecords& records, const Ranges& ranges, double tolerance)
      : ranks_(ranks), records_(records), ranges_(ranges), tolerance_(tolerance) {}

  std::map<int, Words> answers(const std::map<int, Words>& questions) const {
    std::map<int, Words> answers;
    std::vector<Asked> asked;
    for (const auto& [rank, words] : questions) {
      const std::size_t nodes = words.size() / records_.question();
      Words& answer = answers[rank];
      answer.resize(nodes * records_.answer());
      for (std::size_t i = 0; i < nodes; ++i)
        asked.push_back(
            {words.data() + i * records_.question(), rank, answer.data() + i * records_.answer()});
    }
    std::stable_sort(asked.begin(), asked.end(),
                     [](const Asked& a, const Asked& b) { return a.id() < b.id(); });
    GlobalOrdinal expected = ranges_.begin(ranks_.rank());
    for (auto first = asked.begin(); first != asked.end(); ++expected) {
      check_gap(expected, first->id());
      auto end = first;
      while (end != asked.end() && end->id() == first->id()) ++end;
      answer_all(first, end);
      first = end;
    }
    check_gap(expected, ranges_.begin(ranks_.rank() + 1));
    return answers;
  }

private:
  using Iterator = std::vector<Asked>::const_iterator;

  void check_gap(GlobalOrdinal expected, GlobalOrdinal found) const {
    if (expected < found)
      throw MeshError("no rank has node " + std::to_string(expected) + ", though there is one of number " +
                      std::to_string(ranges_.largest) + ": nodes are numbered from 0 without gaps");
  }

  /// The ranks that have a node come in ascending order.
  void answer_all(Iterator first, Iterator end) const {
    const auto user = std::find_if(first, end, [](const Asked& one) { return one.used(); });
    if (user == end)
      throw MeshError("node " + std::to_string(first->id()) + ", which rank " + std::to_string(first->rank) +
                      " has, is in no element of any rank");
    const std::int64_t owner = first->owner() < 0 ? user->rank : first->owner();
    for (auto one = first; one != end; ++one) check_agreement(*first, *one);
    Words answer(records_.answer(), 0);
    answer[0] = owner;
    for (auto one = first; one != end; ++one)
      for (std::size_t m = 0; m < records_.masks(); ++m) answer[1 + m] |= one->words[3 + m];
    for (std::size_t d = 0; d < records_.dimension(); ++d)
      answer[1 + records_.masks() + d] = first->words[3 + records_.masks() + d];
    for (auto one = first; one != end; ++one) std::copy(answer.begin(), answer.end(), one->answer);
  }

  void check_agreement(const Asked& a, const Asked& b) const {
    const std::string node = "node " + std::to_string(a.id());
    const std::string on_a = "rank " + std::to_string(a.rank), on_b = "rank " + std::to_string(b.rank);
    if (a.owner() != b.owner())
      throw MeshError(node + " is rank " + std::to_string(a.owner()) + "'s by " + on_a + " and rank " +
                      std::to_string(b.owner()) + "'s by " + on_b);
    for (std::size_t d = 0; d < records_.dimension(); ++d)
      if (!(std::abs(coordinate(a, d) - coordinate(b, d)) <= tolerance_))
        throw MeshError(node + " lies at " + place(a) + " on " + on_a + " and at " + place(b) + " on " +
                        on_b + ": two nodes have the same number");
  }

  double coordinate(const Asked& one, std::size_t d) const {
    return std::bit_cast<double>(one.words[3 + records_.masks() + d]);
  }
  std::string place(const Asked& one) const {
    std::string text = "(";
    for (std::size_t d = 0; d < records_.dimension(); ++d) {
      char number[32];
      std::snprintf(number, sizeof number, "%s%.6g", d == 0 ? "" : ", ", coordinate(one, d));
      text += number;
    }
    return text + ")";
  }

  const Communicator& ranks_;
  const NodeRecords& records_;
  const Ranges& ranges_;
  double tolerance_;
};

/// How far apart ranks may compute the same node.
double tolerance(const Communicator& ranks, const Piece& piece) {
  constexpr double relative = 1e-8;
  double largest = 0;
  for (const double x : piece.coordinates) largest = std::max(largest, std::abs(x));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, ranks.own());
  return relative * largest;
}

void check_own(const Communicator& ranks, const Piece& piece) {
  check_ids("node", piece.node_ids);
  check_ids("element", piece.element_ids);
  for (std::size_t node = 0; node < piece.node_owners.size(); ++node)
    if (piece.node_owners[node] < 0 || piece.node_owners[node] >= ranks.size())
      throw MeshError("node " + std::to_string(piece.node_ids[node]) + " is rank " +
                      std::to_string(piece.node_owners[node]) + "'s: ranks are 0 to " +
                      std::to_string(ranks.size() - 1));
}

void look_up_nodes(const Communicator& ranks, Piece& piece) {
  const Ranges ranges(ranks, piece.node_ids);
  const NodeRecords records(piece);
  std::vector<char> used(piece.nodes(), 0);
  for (const Ordinal node : piece.connectivity) used[to_size(node)] = 1;
  std::map<int, Words> questions;
  for (std::size_t node = 0; node < piece.nodes(); ++node)
    records.ask(piece, node, used[node] != 0, questions[ranges.rank_of(piece.node_ids[node])]);
  const Directory directory(ranks, records, ranges, tolerance(ranks, piece));
  const auto asked = sparse_exchange(ranks, questions);
  const auto answers = sparse_exchange(ranks, agree(ranks, [&] { return directory.answers(asked); }));
  piece.node_owners.resize(piece.nodes());
  std::map<int, std::size_t> next;
  for (std::size_t node = 0; node < piece.nodes(); ++node) {
    const int rank = ranges.rank_of(piece.node_ids[node]);
    records.take(answers.at(rank).data() + records.answer() * next[rank]++, node, piece);
  }
}

void check_elements(const Communicator& ranks, const Piece& piece) {
  const Ranges ranges(ranks, piece.element_ids);
  std::map<int, Words> questions;
  for (const GlobalOrdinal id : piece.element_ids) questions[ranges.rank_of(id)].push_back(id);
  const auto asked = sparse_exchange(ranks, questions);
  agree(ranks, [&] {
    std::vector<std::pair<GlobalOrdinal, int>> all;
    for (const auto& [rank, ids] : asked)
      for (const GlobalOrdinal id : ids) all.emplace_back(id, rank);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].first == all[i - 1].first)
        throw MeshError("element " + std::to_string(all[i].first) + " is on rank " +
                        std::to_string(all[i - 1].second) + " and on rank " + std::to_string(all[i].second) +
                        ": each element is given once, ghosts are found");
  });
}

/// The numbers of a range that are asked for, each once, ascending.
std::vector<GlobalOrdinal> distinct(const std::map<int, Words>& asked) {
  std::vector<GlobalOrdinal> all;
  for (const auto& [rank, ids] : asked) all.insert(all.end(), ids.begin(), ids.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

} // namespace

void close_gaps(const Communicator& ranks, std::vector<GlobalOrdinal>& ids) {
  agree(ranks, [&] { check_ids("node", ids); });
  const Ranges ranges(ranks, ids);
  std::map<int, Words> questions;
  for (const GlobalOrdinal id : ids) questions[ranges.rank_of(id)].push_back(id);
  auto asked = sparse_exchange(ranks, questions);
  const auto all = distinct(asked);
  std::int64_t count = static_cast<std::int64_t>(all.size()), before = 0;
  MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, ranks.own());
  if (ranks.rank() == 0) before = 0; // MPI leaves it undefined
  for (auto& [rank, numbers] : asked)
    for (std::int64_t& id : numbers)
      id = before + (std::lower_bound(all.begin(), all.end(), id) - all.begin());
  const auto answers = sparse_exchange(ranks, asked);
  std::map<int, std::size_t> next;
  for (GlobalOrdinal& id : ids) {
    const int rank = ranges.rank_of(id);
    id = answers.at(rank)[next[rank]++];
  }
}

void look_up(const Communicator& ranks, Piece& piece) {
  agree(ranks, [&] { check_own(ranks, piece); });
  look_up_nodes(ranks, piece);
  check_elements(ranks, piece);
}

} // namespace tessera::distributed::detail

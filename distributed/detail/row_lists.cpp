// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/detail/row_lists.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>

#include <algorithm>
#include <unordered_map>

namespace tessera::distributed::detail {

namespace {

/// Appends a row to what is sent to its owner: its number, and how many columns with their numbers follow.
void send_row(const HostRows& rows, std::size_t row, Words& words, RowLists::Side& sent) {
  words.push_back(rows.numbers[row]);
  words.push_back(static_cast<std::int64_t>(rows.row_map[row + 1] - rows.row_map[row]));
  for (Offset k = rows.row_map[row]; k < rows.row_map[row + 1]; ++k) {
    words.push_back(rows.numbers[to_size(rows.columns[k])]);
    sent.places.push_back(static_cast<std::int64_t>(k));
  }
  sent.places.push_back(static_cast<std::int64_t>(rows.columns.size() + row));
}

/// The place of each entry that a message will hold.
void receive_rows(const HostRows& rows, const std::unordered_map<GlobalOrdinal, Ordinal>& local,
                  const Words& words, RowLists::Side& received) {
  for (std::size_t w = 0; w < words.size();) {
    const auto row = to_size(local.at(words[w]));
    const auto length = static_cast<std::size_t>(words[w + 1]);
    w += 2;
    const auto begin = rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.row_map[row]);
    const auto end = rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.row_map[row + 1]);
    for (std::size_t i = 0; i < length; ++i, ++w)
      received.places.push_back(std::lower_bound(begin, end, local.at(words[w])) - rows.columns.begin());
    received.places.push_back(static_cast<std::int64_t>(rows.columns.size() + row));
  }
}

} // namespace

RowLists row_lists(const Communicator& ranks, const HostRows& rows, const ImportLists& ghosts,
                   Ordinal owned_nodes) {
  RowLists lists;
  std::map<int, Words> to;
  for (std::size_t i = 0; i < ghosts.owners.size(); ++i) {
    if (ghosts.owners[i] < ranks.rank()) continue; // that rank owns all elements that both have
    Words& words = to[ghosts.owners[i]];
    const auto node = [&](std::size_t ghost) { return to_size(owned_nodes) + ghost; };
    for (auto row = to_size(rows.first[node(ghosts.ghost_offsets[i])]);
         row < to_size(rows.first[node(ghosts.ghost_offsets[i + 1])]); ++row)
      if (rows.constrained[row] == 0) send_row(rows, row, words, lists.sent);
    lists.sent.ranks.push_back(ghosts.owners[i]);
    lists.sent.offsets.push_back(lists.sent.places.size());
  }
  std::unordered_map<GlobalOrdinal, Ordinal> local;
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) local[rows.numbers[i]] = static_cast<Ordinal>(i);
  for (const auto& [rank, words] : sparse_exchange(ranks, to)) {
    receive_rows(rows, local, words, lists.received);
    lists.received.ranks.push_back(rank);
    lists.received.offsets.push_back(lists.received.places.size());
  }
  return lists;
}

} // namespace tessera::distributed::detail

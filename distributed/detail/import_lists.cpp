// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/import_lists.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace tessera::distributed::detail {

namespace {

void check_owners(const Communicator& ranks, std::span<const GlobalOrdinal> ghosts,
                  std::span<const int> owners) {
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::string node =
        "node " + std::to_string(ghosts[i]) + " is a ghost of rank " + std::to_string(owners[i]) + "'s: ";
    if (owners[i] < 0 || owners[i] >= ranks.size())
      throw MeshError(node + "ranks are 0 to " + std::to_string(ranks.size() - 1));
    if (owners[i] == ranks.rank()) throw MeshError(node + "that is the rank itself");
    if (i > 0 && owners[i - 1] > owners[i])
      throw MeshError(node + "ghosts are sorted by owner, and one of rank " + std::to_string(owners[i - 1]) +
                      "'s is before it");
  }
}

/// Local numbers of owned nodes by global number.
class OwnedNodes {
public:
  explicit OwnedNodes(std::span<const GlobalOrdinal> nodes)
      : nodes_(nodes), ascending_(std::is_sorted(nodes.begin(), nodes.end())) {
    if (ascending_) return;
    order_.resize(nodes.size());
    std::iota(order_.begin(), order_.end(), Ordinal{0});
    std::sort(order_.begin(), order_.end(),
              [&](Ordinal a, Ordinal b) { return nodes_[to_size(a)] < nodes_[to_size(b)]; });
  }

  /// \throws MeshError where the node is not among them
  Ordinal find(GlobalOrdinal node, int reader) const {
    const auto [at, found] = ascending_ ? look_up(node, nodes_) : look_up(node, order_);
    if (!found)
      throw MeshError("rank " + std::to_string(reader) + " has node " + std::to_string(node) +
                      " as a ghost of this rank's, which does not own it");
    return ascending_ ? static_cast<Ordinal>(at) : order_[at];
  }

private:
  GlobalOrdinal global(GlobalOrdinal node) const { return node; }
  GlobalOrdinal global(Ordinal local) const { return nodes_[to_size(local)]; }

  template <class List>
  std::pair<std::size_t, bool> look_up(GlobalOrdinal node, const List& list) const {
    const auto at = std::lower_bound(list.begin(), list.end(), node,
                                     [&](auto entry, GlobalOrdinal n) { return global(entry) < n; });
    return {static_cast<std::size_t>(at - list.begin()), at != list.end() && global(*at) == node};
  }

  std::span<const GlobalOrdinal> nodes_;
  bool ascending_;
  std::vector<Ordinal> order_; ///< by global number, unless the nodes are in that order
};

} // namespace

ImportLists import_lists(const Communicator& ranks, std::span<const GlobalOrdinal> nodes,
                         std::span<const int> ghost_owners) {
  const std::size_t owned = nodes.size() - ghost_owners.size();
  const auto ghosts = nodes.subspan(owned);
  agree(ranks, [&] { check_owners(ranks, ghosts, ghost_owners); });

  ImportLists lists;
  std::map<int, Words> wanted;
  for (std::size_t i = 0; i < ghosts.size(); ++i) {
    if (lists.owners.empty() || lists.owners.back() != ghost_owners[i]) {
      lists.owners.push_back(ghost_owners[i]);
      lists.ghost_offsets.push_back(i);
    }
    wanted[ghost_owners[i]].push_back(ghosts[i]);
  }
  lists.ghost_offsets.push_back(ghosts.size());

  const auto asked = sparse_exchange(ranks, wanted);
  agree(ranks, [&] {
    const OwnedNodes own(nodes.first(owned));
    for (const auto& [reader, list] : asked) {
      lists.readers.push_back(reader);
      lists.sent_offsets.push_back(lists.sent.size());
      for (const GlobalOrdinal node : list) lists.sent.push_back(own.find(node, reader));
    }
    lists.sent_offsets.push_back(lists.sent.size());
  });
  return lists;
}

} // namespace tessera::distributed::detail

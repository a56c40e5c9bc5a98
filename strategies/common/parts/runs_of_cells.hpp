// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Runs of consecutive cells: their nodes, which of two with a common node comes first, and an order in which
/// to take them.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace tessera {

/// The nodes of each run of `size` cells, each once, in the order in which the cells have them.
struct NodesOfRuns {
  Ordinal cells = 0, size = 1, num_nodes = 0;
  std::vector<std::vector<Ordinal>> nodes; ///< run; one at least, which may have no cells

  std::size_t total() const {
    std::size_t sum = 0;
    for (const auto& run : nodes) sum += run.size();
    return sum;
  }
};

namespace detail {

template <class Cells>
struct ListNodesOfRuns {
  Cells cells;
  NodesOfRuns* runs;
  Ordinal workers;

  void operator()(Ordinal worker) const {
    const auto share = [&](Ordinal w) { return runs->nodes.size() * to_size(w) / to_size(workers); };
    std::vector<std::size_t> last(to_size(runs->num_nodes), runs->nodes.size());
    for (std::size_t run = share(worker); run < share(worker + 1); ++run) {
      const std::size_t begin = run * to_size(runs->size);
      for (std::size_t cell = begin; cell < std::min(begin + to_size(runs->size), cells.extent(0)); ++cell)
        for (std::size_t n = 0; n < cells.extent(1); ++n) {
          const Ordinal node = cells(cell, n);
          if (last[to_size(node)] == run) continue;
          last[to_size(node)] = run;
          runs->nodes[run].push_back(node);
        }
    }
  }
};

/// Colors of a first fit: of two runs that share a node, that of the lower color comes first. A node knows 64
/// colors; a run that finds all of them taken gets the last, and the lower number decides.
inline std::vector<int> colors_of_runs(const NodesOfRuns& runs) {
  std::vector<std::uint64_t> taken(to_size(runs.num_nodes), 0);
  std::vector<int> colors;
  for (const auto& nodes : runs.nodes) {
    std::uint64_t around = 0;
    for (const Ordinal node : nodes) around |= taken[to_size(node)];
    colors.push_back(std::min(std::countr_one(around), 63));
    for (const Ordinal node : nodes) taken[to_size(node)] |= std::uint64_t(1) << colors.back();
  }
  return colors;
}

/// For each run those that come next at one of its nodes.
inline std::vector<std::vector<Ordinal>> next_runs(const NodesOfRuns& runs) {
  const std::vector<int> colors = colors_of_runs(runs);
  std::vector<Ordinal> by_color(colors.size());
  std::iota(by_color.begin(), by_color.end(), 0);
  std::stable_sort(by_color.begin(), by_color.end(),
                   [&](Ordinal a, Ordinal b) { return colors[to_size(a)] < colors[to_size(b)]; });
  std::vector<std::vector<Ordinal>> next(colors.size());
  std::vector<Ordinal> last(to_size(runs.num_nodes), -1);
  for (const Ordinal run : by_color)
    for (const Ordinal node : runs.nodes[to_size(run)]) {
      Ordinal& with_node = last[to_size(node)];
      if (with_node >= 0) {
        auto& after = next[to_size(with_node)];
        if (after.empty() || after.back() != run) after.push_back(run);
      }
      with_node = run;
    }
  return next;
}

/// The order in which runs are taken: each after those before it at its nodes, by `lag` places where that can
/// be had, so that they have ended by then; else by number, so that nodes are still in the cache when the
/// next of their runs comes.
inline std::vector<Ordinal> order_of_runs(const NodesOfRuns& runs, Ordinal lag) {
  using PlaceAndRun = std::pair<Ordinal, Ordinal>;
  const auto next = next_runs(runs);
  std::vector<Ordinal> before(next.size(), 0), earliest(next.size(), 0), order;
  for (const auto& after : next)
    for (const Ordinal run : after) ++before[to_size(run)];
  std::priority_queue<PlaceAndRun, std::vector<PlaceAndRun>, std::greater<>> too_early;
  std::priority_queue<Ordinal, std::vector<Ordinal>, std::greater<>> ready;
  for (std::size_t run = 0; run < next.size(); ++run)
    if (before[run] == 0) ready.push(static_cast<Ordinal>(run));
  for (Ordinal place = 0; to_size(place) < next.size(); ++place) {
    while (!too_early.empty() && (ready.empty() || too_early.top().first <= place)) {
      ready.push(too_early.top().second);
      too_early.pop();
    }
    const Ordinal taken = ready.top();
    ready.pop();
    order.push_back(taken);
    for (const Ordinal run : next[to_size(taken)]) {
      earliest[to_size(run)] = place + lag;
      if (--before[to_size(run)] == 0) too_early.emplace(earliest[to_size(run)], run);
    }
  }
  return order;
}

} // namespace detail

/// Cuts cells into runs and lists their nodes.
/// \param cells their nodes (cell, node)
template <class ExecutionSpace, class Cells>
NodesOfRuns nodes_of_runs(const ExecutionSpace& exec, const Cells& cells, Ordinal num_nodes, Ordinal size) {
  NodesOfRuns runs{
      .cells = static_cast<Ordinal>(cells.extent(0)), .size = size, .num_nodes = num_nodes, .nodes = {}};
  runs.nodes.resize(to_size(std::max<Ordinal>((runs.cells + size - 1) / size, 1)));
  const auto workers = static_cast<Ordinal>(std::min(to_size(exec.concurrency()), runs.nodes.size()));
  Kokkos::parallel_for("Tessera::OrderedParts::list_nodes",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, workers),
                       detail::ListNodesOfRuns<Cells>{cells, &runs, workers});
  exec.fence("Tessera::OrderedParts::list_nodes");
  return runs;
}

} // namespace tessera

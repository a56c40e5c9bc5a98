#pragma once

/// \file
/// Parts of neighbouring cells that the host's threads take in a fixed order, so that they add to nodes
/// without atomics and every sum is the same for any number of threads.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {

/// Runs of consecutive cells (elements, or fans of them), in the order in which threads take them. A part
/// begins when those before it that have some of its nodes have ended; which of two that is, a coloring
/// decides. Parts that the threads are at work on at a time share no node as far as that can be had, so that
/// they seldom wait; nothing waits for all of them, as launches color by color would. For execution spaces of
/// the host.
///
/// Recursive bisection (Thébault, Petit, Dinh, PPoPP 2015) has the same aim: there, the elements between two
/// halves wait for both. Here they stay in their part, and the part waits.
template <class ExecutionSpace>
struct OrderedParts {
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  Ordinal cells = 0;
  Ordinal size = 1;       ///< cells of a part; that of the last run may be less
  Numbers numbers;        ///< place in the order: which run of cells
  Numbers nodes;          ///< every node once, by the first part that has it; nodes of none at the end
  Numbers node_offsets;   ///< place (+1): first of its `nodes`
  Numbers before;         ///< places of the parts before that had some of a part's nodes last
  Numbers before_offsets; ///< place (+1): first of its `before`
  Numbers progress; ///< number of the run; places taken in it; for each place, the last run that ended it

  /// For a copy whose loops may run at the same time as the other's. \throws OutOfMemoryError
  void renew_progress(const ExecutionSpace& exec) {
    progress = allocate_zeroed<Numbers>(exec, "Tessera::OrderedParts::progress", 2 + count());
  }

  Ordinal count() const { return static_cast<Ordinal>(numbers.extent(0)); }
  Ordinal begin(Ordinal place) const { return numbers(place) * size; }
  Ordinal end(Ordinal place) const { return std::min(begin(place) + size, cells); }

  /// Calls visit(first, last) for the nodes that a part is the first to have: ranges of numbers, so that
  /// large blocks of results can be cleared at once.
  template <class Visit>
  void for_first_nodes(Ordinal place, const Visit& visit) const {
    for (Ordinal k = node_offsets(place); k < node_offsets(place + 1);) {
      const Ordinal first = nodes(k);
      Ordinal last = first;
      for (++k; k < node_offsets(place + 1) && nodes(k) == last + 1; ++k) ++last;
      visit(first, last);
    }
  }

  std::size_t bytes() const {
    return bytes_of(numbers) + bytes_of(nodes) + bytes_of(node_offsets) + bytes_of(before) +
           bytes_of(before_offsets) + bytes_of(progress);
  }
};

/// Cells of a part: about 256 parts of a mesh, whatever the number of threads, so that many share them
/// evenly. Whole vectors; not so few that taking a part costs as much as computing it, nor so many that the
/// rows of its nodes leave the cache.
constexpr Ordinal part_size(Ordinal cells, int nodes_of_cell) {
  constexpr Ordinal parts = 256, lanes = 16, least = 4 * lanes;
  const Ordinal most = std::max<Ordinal>(16384 / nodes_of_cell / lanes * lanes, least);
  return std::clamp((cells / parts + lanes - 1) / lanes * lanes, least, most);
}

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

/// For each run those that come next at one of its nodes; some more than once.
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
      if (last[to_size(node)] >= 0) next[to_size(last[to_size(node)])].push_back(run);
      last[to_size(node)] = run;
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

template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> copied(const ExecutionSpace& exec, const char* label,
                                              const std::vector<Ordinal>& from) {
  const auto to = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, label, from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// Fills in the nodes that each part has first, and the parts that it waits for.
template <class ExecutionSpace>
void link_parts(const ExecutionSpace& exec, const NodesOfRuns& runs, const std::vector<Ordinal>& order,
                OrderedParts<ExecutionSpace>& parts) {
  const Ordinal num_nodes = runs.num_nodes;
  std::vector<Ordinal> nodes, node_offsets{0}, before, before_offsets{0}, last(to_size(num_nodes), -1), waits;
  nodes.reserve(to_size(num_nodes));
  for (std::size_t place = 0; place < order.size(); ++place) {
    waits.clear();
    for (const Ordinal node : runs.nodes[to_size(order[place])]) {
      Ordinal& with_node = last[to_size(node)];
      if (with_node < 0)
        nodes.push_back(node);
      else
        waits.push_back(with_node);
      with_node = static_cast<Ordinal>(place);
    }
    std::sort(nodes.begin() + node_offsets.back(), nodes.end()); // rows that follow each other
    std::sort(waits.begin(), waits.end());
    before.insert(before.end(), waits.begin(), std::unique(waits.begin(), waits.end()));
    before_offsets.push_back(static_cast<Ordinal>(before.size()));
    node_offsets.push_back(static_cast<Ordinal>(nodes.size()));
  }
  for (Ordinal node = 0; node < num_nodes; ++node)
    if (last[to_size(node)] < 0) nodes.push_back(node);
  node_offsets.back() = num_nodes;
  parts.numbers = copied(exec, "Tessera::OrderedParts::numbers", order);
  parts.nodes = copied(exec, "Tessera::OrderedParts::nodes", nodes);
  parts.node_offsets = copied(exec, "Tessera::OrderedParts::node_offsets", node_offsets);
  parts.before = copied(exec, "Tessera::OrderedParts::before", before);
  parts.before_offsets = copied(exec, "Tessera::OrderedParts::before_offsets", before_offsets);
}

/// What a thread does: takes parts as long as there are some. A part that it waits for was taken before by a
/// thread that is at work, so that somebody always goes on, however many threads there are.
template <class ExecutionSpace, class Body>
struct TakeParts {
  OrderedParts<ExecutionSpace> parts;
  Body body;
  Ordinal run;

  void operator()(Ordinal) const {
    const std::atomic_ref<Ordinal> taken(parts.progress(1));
    for (Ordinal place = taken++; place < parts.count(); place = taken++) {
      for (Ordinal k = parts.before_offsets(place); k < parts.before_offsets(place + 1); ++k)
        wait_for(parts.before(k));
      body(place);
      ended(place).store(run, std::memory_order_release);
    }
  }

private:
  std::atomic_ref<Ordinal> ended(Ordinal place) const {
    return std::atomic_ref<Ordinal>(parts.progress(2 + place));
  }
  void wait_for(Ordinal place) const {
    for (int polls = 0; ended(place).load(std::memory_order_acquire) != run; ++polls)
      if (polls > 1000) std::this_thread::yield(); // there may be more threads than cores
  }
};

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

/// Makes parts of runs of cells. Which of two runs with a common node comes first depends on the cells alone;
/// the order in which they are taken, on the number of threads too.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
OrderedParts<ExecutionSpace> ordered_parts(const ExecutionSpace& exec, const NodesOfRuns& runs) {
  OrderedParts<ExecutionSpace> parts;
  parts.cells = runs.cells;
  parts.size = runs.size;
  constexpr Ordinal places_a_thread = 2;
  const auto lag = static_cast<Ordinal>(exec.concurrency() == 1 ? 1 : places_a_thread * exec.concurrency());
  detail::link_parts(exec, runs, detail::order_of_runs(runs, lag), parts);
  parts.renew_progress(exec);
  return parts;
}

/// Makes parts of cells. \param cells their nodes (cell, node), neighbours close to each other
/// \throws OutOfMemoryError
template <class ExecutionSpace, class Cells>
OrderedParts<ExecutionSpace> ordered_parts(const ExecutionSpace& exec, const Cells& cells,
                                           Ordinal num_nodes) {
  const Ordinal size = part_size(static_cast<Ordinal>(cells.extent(0)), static_cast<int>(cells.extent(1)));
  return ordered_parts(exec, nodes_of_runs(exec, cells, num_nodes, size));
}

/// Calls body(place) for every part, each in one thread, after those before it that share its nodes. One call
/// at a time for the parts and their copies.
template <class ExecutionSpace, class Body>
void for_each_part(const std::string& label, const ExecutionSpace& exec,
                   const OrderedParts<ExecutionSpace>& parts, const Body& body) {
  parts.progress(0) = parts.progress(0) % 1'000'000'000 + 1; // no flag of the run before has this number
  parts.progress(1) = 0;
  const Ordinal workers = std::min<Ordinal>(exec.concurrency(), parts.count());
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, workers),
                       detail::TakeParts<ExecutionSpace, Body>{parts, body, parts.progress(0)});
}

} // namespace tessera

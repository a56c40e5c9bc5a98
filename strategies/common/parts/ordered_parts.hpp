// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Parts of neighbouring cells that the host's threads take in a fixed order, so that they add to nodes
/// without atomics and every sum is the same for any number of threads.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/strategies/common/parts/runs_of_cells.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
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

namespace detail {

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

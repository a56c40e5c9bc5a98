// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Aggregates around the nodes of a maximal independent set of distance two in the graph of strong couplings.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/strength.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/sort_items.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace tessera::solvers::multigrid::detail {

/// One round of the search (B. Kelley and S. Rajamanickam, "Parallel, portable algorithms for distance-2
/// maximal independent set and graph coarsening", IPDPS 2022): a node enters whose number is the least within
/// distance two. Numbers are hashed anew in every round, so that few rounds suffice; the result depends on
/// the graph alone.
template <class ExecutionSpace>
struct IndependentSetRound {
  using Keys = Kokkos::View<std::uint64_t*, ExecutionSpace>;
  static constexpr std::uint64_t in = 0, out = ~std::uint64_t{0};

  StrengthGraph<ExecutionSpace> graph;
  Keys key, least;
  std::uint32_t round;

  struct Number {};
  struct Spread {};
  struct Decide {};

  KOKKOS_FUNCTION void operator()(Number, Ordinal node) const {
    if (key(node) == in || key(node) == out) return;
    std::uint32_t h = (static_cast<std::uint32_t>(node) + 1) * 0x9e3779b9u + round * 0x7f4a7c15u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    key(node) = (std::uint64_t{h ^ (h >> 16)} << 31 | static_cast<std::uint32_t>(node)) + 1;
  }

  KOKKOS_FUNCTION void operator()(Spread, Ordinal node) const {
    std::uint64_t value = key(node);
    graph.each_neighbor(node, [&](Ordinal other, float entry) {
      if (graph.strong(node, other, entry)) value = Kokkos::min(value, key(other));
    });
    least(node) = value == in ? out : value;
  }

  KOKKOS_FUNCTION void operator()(Decide, Ordinal node, Ordinal& undecided) const {
    const std::uint64_t own = key(node);
    if (own == in || own == out) return;
    bool taken = least(node) == out, first = least(node) == own;
    graph.each_neighbor(node, [&](Ordinal other, float entry) {
      if (!graph.strong(node, other, entry)) return;
      taken = taken || least(other) == out;
      first = first && least(other) == own;
    });
    if (taken)
      key(node) = out;
    else if (first)
      key(node) = in;
    else
      ++undecided;
  }
};

/// Roots of the aggregates: the keys of the set's nodes are `in`. Nodes without strong couplings stay out,
/// but for those of long rows.
template <class ExecutionSpace>
Kokkos::View<std::uint64_t*, ExecutionSpace> independent_set(const Workspace<ExecutionSpace>& work,
                                                             const StrengthGraph<ExecutionSpace>& graph) {
  using Round = IndependentSetRound<ExecutionSpace>;
  using Keys = typename Round::Keys;
  Round round{graph, make_temporary<Keys>(work, "set_key", graph.count()),
              make_temporary<Keys>(work, "set_least", graph.count()), 0};
  const auto key = round.key;
  Kokkos::parallel_for(
      "Tessera::Multigrid::independent_set", Range<ExecutionSpace>(work.exec, 0, graph.count()),
      KOKKOS_LAMBDA(const Ordinal node) {
        bool any = false;
        graph.each_neighbor(
            node, [&](Ordinal other, float entry) { any = any || graph.strong(node, other, entry); });
        key(node) = any ? 1 : graph.is_long(node) ? Round::in : Round::out;
      });
  const auto over = [&]<class Tag>(Tag) {
    return Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<Ordinal>>(work.exec, 0, graph.count());
  };
  Ordinal undecided = 1;
  for (; undecided > 0; ++round.round) {
    Kokkos::parallel_for("Tessera::Multigrid::set_number", over(typename Round::Number()), round);
    Kokkos::parallel_for("Tessera::Multigrid::set_spread", over(typename Round::Spread()), round);
    Kokkos::parallel_reduce("Tessera::Multigrid::set_decide", over(typename Round::Decide()), round,
                            undecided);
  }
  return key;
}

/// Joins nodes to the aggregates around the roots by their strongest coupling: the first time a root's
/// neighbours, the second time theirs.
template <class ExecutionSpace>
struct JoinAggregates {
  StrengthGraph<ExecutionSpace> graph;
  Ordinals<ExecutionSpace> before, after; // aggregate of each node; -1: none yet

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    Ordinal best = before(node);
    float most = 0;
    if (best < 0)
      graph.each_neighbor(node, [&](Ordinal other, float entry) {
        const Ordinal aggregate = before(other);
        if (aggregate < 0 || !graph.strong(node, other, entry)) return;
        if (entry < most || (entry == most && best >= 0 && aggregate >= best)) return;
        best = aggregate;
        most = entry;
      });
    after(node) = best;
  }
};

/// Nodes by aggregate from the aggregate of each node, -1 for none.
template <class ExecutionSpace>
Aggregates<ExecutionSpace> nodes_of_aggregates(const Workspace<ExecutionSpace>& work,
                                               const Ordinals<ExecutionSpace>& of_node, Ordinal count) {
  const auto nodes = static_cast<Ordinal>(of_node.extent(0));
  Aggregates<ExecutionSpace> result{count, nodes, 0, 0, of_node, {}, {}, 0, 0};
  const auto begin = result.first = make_kept<Ordinals<ExecutionSpace>>(work, "aggregates::first", count + 1);
  const auto keys =
      make_temporary<Kokkos::View<std::uint32_t*, ExecutionSpace>>(work, "aggregate_keys", nodes);
  Kokkos::parallel_for(
      "Tessera::Multigrid::aggregate_keys", Range<ExecutionSpace>(work.exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node) {
        keys(node) = static_cast<std::uint32_t>(of_node(node) < 0 ? count : of_node(node));
      });
  const auto member = result.member = make_kept<Ordinals<ExecutionSpace>>(work, "aggregates::member", nodes);
  sort_items(work, keys, std::bit_width(static_cast<std::uint32_t>(count)), member);
  Kokkos::parallel_for(
      "Tessera::Multigrid::aggregate_begin", Range<ExecutionSpace>(work.exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal k) {
        const auto place = [&](Ordinal item) { return of_node(item) < 0 ? count : of_node(item); };
        const Ordinal own = place(member(k)), before = k == 0 ? -1 : place(member(k - 1));
        for (Ordinal a = before + 1; a <= own; ++a) begin(a) = k;
        if (k == nodes - 1)
          for (Ordinal a = own + 1; a <= count; ++a) begin(a) = nodes;
      });
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::largest_aggregate", Range<ExecutionSpace>(work.exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal a, Ordinal& most) { most = Kokkos::max(most, begin(a + 1) - begin(a)); },
      Kokkos::Max<Ordinal>(result.largest));
  return result;
}

/// Numbers the aggregates' first nodes; the others are in no aggregate yet.
template <class ExecutionSpace>
struct NumberRoots {
  static constexpr int kinds = 1;
  Kokkos::View<const std::uint64_t*, ExecutionSpace> key;
  Ordinals<ExecutionSpace> of_node;

  KOKKOS_FUNCTION bool root(Ordinal node) const {
    return key(node) == IndependentSetRound<ExecutionSpace>::in;
  }
  KOKKOS_FUNCTION tessera::detail::LengthSums<1> lengths(Ordinal node) const {
    return {{root(node) ? Offset{1} : Offset{0}}, {}};
  }
  KOKKOS_FUNCTION void store(Ordinal node, const Kokkos::Array<Offset, 1>& roots) const {
    of_node(node) = root(node) ? static_cast<Ordinal>(roots[0]) - 1 : -1;
  }
};

/// Aggregates of a level along its strong couplings.
template <class ExecutionSpace>
Aggregates<ExecutionSpace> aggregates_by_strength(const Workspace<ExecutionSpace>& work,
                                                  const StrengthGraph<ExecutionSpace>& graph) {
  const Ordinal nodes = graph.count();
  const auto key = independent_set(work, graph);
  auto of_node = make_kept<Ordinals<ExecutionSpace>>(work, "aggregates::of_node", nodes);
  auto joined = make_kept<Ordinals<ExecutionSpace>>(work, "aggregates::of_node", nodes);
  const auto roots =
      scan_total(work, "Tessera::Multigrid::number_roots", NumberRoots<ExecutionSpace>{key, of_node}, nodes);
  // The set is maximal: two rounds reach every node that has strong couplings.
  for (int round = 0; round < 2; ++round) {
    Kokkos::parallel_for("Tessera::Multigrid::join", Range<ExecutionSpace>(work.exec, 0, nodes),
                         JoinAggregates<ExecutionSpace>{graph, of_node, joined});
    std::swap(of_node, joined);
  }
  return nodes_of_aggregates(work, of_node, static_cast<Ordinal>(roots.sum[0]));
}

} // namespace tessera::solvers::multigrid::detail

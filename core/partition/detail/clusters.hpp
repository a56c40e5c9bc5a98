// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Clusters of a graph's nodes grown around an independent set (paper 4, section 5.2.1): aggregates of nodes,
/// and patches of aggregates.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/independent_set.hpp>
#include <tessera/core/graphs/node_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace tessera::detail {

/// The cluster of each node, 0 … count−1; -1 while it has none.
template <class ExecutionSpace>
struct Clusters {
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Weights = Kokkos::View<const Ordinal*, ExecutionSpace>;
  using Sums = Kokkos::View<std::int64_t*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

  Ordinal count = 0;
  Numbers of_node;
};

/// A node without a cluster joins the one that most of its neighbours are in, the first of several.
template <class ExecutionSpace>
struct JoinClusters {
  NodeGraph<ExecutionSpace> graph;
  Kokkos::View<const Ordinal*, ExecutionSpace> before;
  Kokkos::View<Ordinal*, ExecutionSpace> after;

  KOKKOS_FUNCTION Ordinal neighbors_in(Ordinal node, Ordinal cluster) const {
    Ordinal count = 0;
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k)
      if (before(graph.columns(k)) == cluster) ++count;
    return count;
  }

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& joined) const {
    after(node) = before(node);
    if (before(node) >= 0) return;
    Ordinal most = 0, chosen = -1;
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k) {
      const Ordinal cluster = before(graph.columns(k));
      if (cluster < 0 || cluster == chosen) continue;
      const Ordinal count = neighbors_in(node, cluster);
      if (count < most || (count == most && cluster > chosen)) continue;
      most = count;
      chosen = cluster;
    }
    after(node) = chosen;
    if (chosen >= 0) ++joined;
  }
};

/// Adds nodes without a cluster to those of their neighbours until no more can be added.
template <class ExecutionSpace>
void grow_clusters(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                   Clusters<ExecutionSpace>& clusters) {
  using Numbers = typename Clusters<ExecutionSpace>::Numbers;
  Numbers after = allocate<Numbers>(exec, "Tessera::Clusters::after", graph.num_nodes());
  for (Ordinal joined = 1; joined > 0; std::swap(clusters.of_node, after)) {
    joined = 0;
    Kokkos::parallel_reduce("Tessera::Clusters::join",
                            typename Clusters<ExecutionSpace>::Range(exec, 0, graph.num_nodes()),
                            JoinClusters<ExecutionSpace>{graph, clusters.of_node, after}, joined);
  }
}

/// Numbers the items that `chosen` holds 1 for, from 0 on in their order; the others get -1.
/// \return how many there are
template <class ExecutionSpace, class Chosen>
Ordinal number_chosen(const ExecutionSpace& exec, const Chosen& chosen,
                      const Kokkos::View<Ordinal*, ExecutionSpace>& numbers) {
  Ordinal count = 0;
  Kokkos::parallel_scan(
      "Tessera::Clusters::number",
      typename Clusters<ExecutionSpace>::Range(exec, 0, static_cast<Ordinal>(numbers.extent(0))),
      KOKKOS_LAMBDA(const Ordinal item, Ordinal& sum, const bool final) {
        if (final) numbers(item) = chosen(item) ? sum : -1;
        sum += chosen(item) ? 1 : 0;
      },
      count);
  return count;
}

/// Weight of each cluster: the sum of its nodes'.
template <class ExecutionSpace>
typename Clusters<ExecutionSpace>::Sums weigh(const ExecutionSpace& exec,
                                              const Clusters<ExecutionSpace>& clusters,
                                              const typename Clusters<ExecutionSpace>::Weights& weights) {
  using Sums = typename Clusters<ExecutionSpace>::Sums;
  const auto sums = allocate_zeroed<Sums>(exec, "Tessera::Clusters::weights", clusters.count);
  const auto of_node = clusters.of_node;
  Kokkos::parallel_for(
      "Tessera::Clusters::weigh",
      typename Clusters<ExecutionSpace>::Range(exec, 0, static_cast<Ordinal>(of_node.extent(0))),
      KOKKOS_LAMBDA(const Ordinal node) {
        Kokkos::atomic_add(&sums(of_node(node)), static_cast<std::int64_t>(weights(node)));
      });
  return sums;
}

/// Numbers the clusters that have nodes from 0 on, in their order.
template <class ExecutionSpace>
void renumber_clusters(const ExecutionSpace& exec, Clusters<ExecutionSpace>& clusters) {
  using Numbers = typename Clusters<ExecutionSpace>::Numbers;
  using Range = typename Clusters<ExecutionSpace>::Range;
  const auto used = allocate_zeroed<Numbers>(exec, "Tessera::Clusters::used", clusters.count);
  const auto number = allocate<Numbers>(exec, "Tessera::Clusters::number", clusters.count);
  const auto of_node = clusters.of_node;
  const Range nodes(exec, 0, static_cast<Ordinal>(of_node.extent(0)));
  Kokkos::parallel_for(
      "Tessera::Clusters::mark_used", nodes,
      KOKKOS_LAMBDA(const Ordinal node) { Kokkos::atomic_store(&used(of_node(node)), 1); });
  clusters.count = number_chosen(exec, used, number);
  Kokkos::parallel_for(
      "Tessera::Clusters::renumber", nodes,
      KOKKOS_LAMBDA(const Ordinal node) { of_node(node) = number(of_node(node)); });
}

/// Dissolves clusters lighter than `minimum` into their neighbours. Where a part of the graph has lighter
/// clusters alone, it keeps them.
template <class ExecutionSpace>
void dissolve_small(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                    const typename Clusters<ExecutionSpace>::Weights& weights, std::int64_t minimum,
                    Clusters<ExecutionSpace>& clusters) {
  using Numbers = typename Clusters<ExecutionSpace>::Numbers;
  using Range = typename Clusters<ExecutionSpace>::Range;
  const Range nodes(exec, 0, graph.num_nodes());
  const auto sums = weigh(exec, clusters, weights);
  const auto former = clusters.of_node;
  clusters.of_node = allocate<Numbers>(exec, "Tessera::Clusters::of_node", graph.num_nodes());
  const auto kept = clusters.of_node;
  Kokkos::parallel_for(
      "Tessera::Clusters::dissolve", nodes,
      KOKKOS_LAMBDA(const Ordinal node) { kept(node) = sums(former(node)) < minimum ? -1 : former(node); });
  grow_clusters(exec, graph, clusters);
  const auto grown = clusters.of_node;
  Kokkos::parallel_for(
      "Tessera::Clusters::restore", nodes, KOKKOS_LAMBDA(const Ordinal node) {
        if (grown(node) < 0) grown(node) = former(node);
      });
  renumber_clusters(exec, clusters);
}

/// Clusters around the members of an independent set of the given radius, the light ones dissolved.
template <class ExecutionSpace>
Clusters<ExecutionSpace> cluster_around_set(const ExecutionSpace& exec,
                                            const NodeGraph<ExecutionSpace>& graph,
                                            const typename Clusters<ExecutionSpace>::Weights& weights,
                                            int radius, std::int64_t minimum) {
  using Numbers = typename Clusters<ExecutionSpace>::Numbers;
  Clusters<ExecutionSpace> clusters;
  clusters.of_node = allocate<Numbers>(exec, "Tessera::Clusters::of_node", graph.num_nodes());
  clusters.count = number_chosen(exec, independent_set(exec, graph, radius), clusters.of_node);
  grow_clusters(exec, graph, clusters);
  dissolve_small(exec, graph, weights, minimum, clusters);
  return clusters;
}

} // namespace tessera::detail

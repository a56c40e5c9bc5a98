// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The double partition of paper 4 (section 5.2.1): nodes into aggregates, aggregates into patches, on the
/// device.

#include <tessera/core/error.hpp>
#include <tessera/core/graphs/induced_graph.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/partition/detail/cluster_sizes.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera {

/// Options of `double_partition`; the defaults are the paper's for tetrahedra.
struct DoublePartitionOptions {
  /// Radius of the independent set that aggregates grow around, >= 1.
  int aggregate_radius = 2;
  /// Radius of the set of aggregates that patches grow around, >= 1.
  int patch_radius = 1;
  /// Smaller aggregates are dissolved, >= 1.
  Ordinal smallest_aggregate = 9;
  /// Lighter patches are dissolved, >= 1. Weights count nodes unless nodes have weights of their own.
  Ordinal lightest_patch = 100;
  /// No patch is heavier, unless it is one node.
  Ordinal heaviest_patch = 400;
  /// Exchanges of aggregates between patches before what is still too heavy is cut; 0: none.
  int exchanges = 50;
};

/// Nodes sorted by patch, and within a patch by aggregate. Aggregates and patches are numbered in that order,
/// so that stretches of nodes are aggregates and stretches of aggregates are patches. Device memory; copies
/// share their views.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct DoublePartition {
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;

  Ordinal num_aggregates = 0;
  Ordinal num_patches = 0;
  Permutation<ExecutionSpace> nodes; ///< new: position in the sorted order; ascending within an aggregate
  Numbers aggregate_of_node;         ///< by old number
  Numbers aggregate_offsets;         ///< aggregate (+1): position of its first node
  Numbers patch_of_aggregate;
  Numbers patch_offsets;            ///< patch (+1): position of its first node
  NodeGraph<ExecutionSpace> coarse; ///< the graph of the aggregates
};

namespace detail {

inline void check_options(const DoublePartitionOptions& options) {
  const auto check = [](const char* name, Ordinal value, Ordinal least) {
    if (value < least)
      throw ArgumentError(std::string("double_partition: ") + name + " must be at least " +
                          std::to_string(least) + ", got " + std::to_string(value));
  };
  check("aggregate_radius", options.aggregate_radius, 1);
  check("patch_radius", options.patch_radius, 1);
  check("smallest_aggregate", options.smallest_aggregate, 1);
  check("lightest_patch", options.lightest_patch, 1);
  check("heaviest_patch", options.heaviest_patch, options.lightest_patch);
  check("exchanges", options.exchanges, 0);
}

/// Weights of the clusters as weights of the coarser graph's nodes.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> coarse_weights(const ExecutionSpace& exec,
                                                      const typename Clusters<ExecutionSpace>::Sums& sums) {
  const auto count = static_cast<Ordinal>(sums.extent(0));
  const auto weights =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::DoublePartition::weights", count);
  Kokkos::parallel_for(
      "Tessera::DoublePartition::weights",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal cluster) { weights(cluster) = static_cast<Ordinal>(sums(cluster)); });
  return weights;
}

/// `map(of_item(i))` for every item.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> composed(const ExecutionSpace& exec,
                                                const Kokkos::View<Ordinal*, ExecutionSpace>& map,
                                                const Kokkos::View<Ordinal*, ExecutionSpace>& of_item) {
  const auto count = static_cast<Ordinal>(of_item.extent(0));
  const auto result =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::DoublePartition::composed", count);
  Kokkos::parallel_for(
      "Tessera::DoublePartition::compose",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, count),
      KOKKOS_LAMBDA(const Ordinal item) { result(item) = map(of_item(item)); });
  return result;
}

/// Brings the partition into its final numbers.
template <class ExecutionSpace>
DoublePartition<ExecutionSpace> nest(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                                     const Clusters<ExecutionSpace>& aggregates,
                                     const Clusters<ExecutionSpace>& patches) {
  DoublePartition<ExecutionSpace> result;
  result.num_aggregates = aggregates.count;
  result.num_patches = patches.count;
  const Groups<ExecutionSpace> by_patch = group_by(exec, patches.of_node, patches.count);
  const auto order = make_permutation(exec, by_patch.items);
  result.patch_of_aggregate = composed(exec, patches.of_node, order.new_to_old);
  result.aggregate_of_node = composed(exec, order.old_to_new, aggregates.of_node);
  const Groups<ExecutionSpace> by_aggregate = group_by(exec, result.aggregate_of_node, aggregates.count);
  result.nodes = make_permutation(exec, by_aggregate.items);
  result.aggregate_offsets = by_aggregate.offsets;
  result.patch_offsets = composed(exec, by_aggregate.offsets, by_patch.offsets);
  result.coarse = induced_graph<ExecutionSpace>(exec, graph, result.aggregate_of_node,
                                                result.nodes.new_to_old, result.aggregate_offsets);
  return result;
}

} // namespace detail

/// Partitions a graph into aggregates around an independent set, the graph of the aggregates into patches
/// around another, and levels the patches' weights by exchange.
///
/// \param exec    instance that runs the kernels; the call returns after they have ended
/// \param graph   symmetric; for a mesh, nodes that share an element
/// \param options radii and bounds
/// \param weights of each node, > 0; empty: 1 each
/// \throws ArgumentError for options out of range or another number of weights than nodes; OutOfMemoryError
///
/// Every aggregate has at least `smallest_aggregate` nodes and every patch weighs at least `lightest_patch`,
/// except in parts of the graph that have no larger ones and where a heavy one had to be cut; no patch weighs
/// more than `heaviest_patch` unless it is one node. Deterministic: the same on every execution space.
template <class ExecutionSpace>
DoublePartition<ExecutionSpace> double_partition(const ExecutionSpace& exec,
                                                 const NodeGraph<ExecutionSpace>& graph,
                                                 const DoublePartitionOptions& options = {},
                                                 Kokkos::View<const Ordinal*, ExecutionSpace> weights = {}) {
  using namespace detail;
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  check_options(options);
  const Ordinal nodes = graph.num_nodes();
  const auto ones = allocate<Numbers>(exec, "Tessera::DoublePartition::ones", nodes);
  Kokkos::deep_copy(exec, ones, Ordinal(1));
  if (weights.extent(0) == 0) weights = ones;
  if (static_cast<Ordinal>(weights.extent(0)) != nodes)
    throw ArgumentError("double_partition: " + std::to_string(weights.extent(0)) + " weights for " +
                        std::to_string(nodes) + " nodes");

  Clusters<ExecutionSpace> aggregates = cluster_around_set<ExecutionSpace>(
      exec, graph, ones, options.aggregate_radius, options.smallest_aggregate);
  cut_heavy<ExecutionSpace>(exec, weights, options.heaviest_patch, aggregates);

  const Groups<ExecutionSpace> by_aggregate = group_by(exec, aggregates.of_node, aggregates.count);
  const auto coarse = induced_graph<ExecutionSpace>(exec, graph, aggregates.of_node, by_aggregate.items,
                                                    by_aggregate.offsets);
  const auto heavy = coarse_weights(exec, weigh<ExecutionSpace>(exec, aggregates, weights));
  Clusters<ExecutionSpace> patches =
      cluster_around_set<ExecutionSpace>(exec, coarse, heavy, options.patch_radius, options.lightest_patch);
  exchange_nodes<ExecutionSpace>(exec, coarse, heavy, options.heaviest_patch, options.exchanges, patches);
  cut_heavy<ExecutionSpace>(exec, heavy, options.heaviest_patch, patches);
  return nest(exec, graph, aggregates, patches);
}

} // namespace tessera

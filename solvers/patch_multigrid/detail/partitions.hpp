// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the levels take of their partitions.

#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/partition/double_partition.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::patch_multigrid::detail {

/// The aggregate of each row in the rows' new order, by the coarser level's new numbers.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> aggregates_of_rows(const ExecutionSpace& exec,
                                                          const DoublePartition<ExecutionSpace>& fine,
                                                          const DoublePartition<ExecutionSpace>* coarse) {
  const auto rows = tessera::detail::composed(exec, fine.aggregate_of_node, fine.nodes.new_to_old);
  return coarse ? tessera::detail::composed(exec, coarse->nodes.old_to_new, rows) : rows;
}

/// The patch of each row in the rows' new order.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> patches_of_rows(const ExecutionSpace& exec,
                                                       const DoublePartition<ExecutionSpace>& partition) {
  return tessera::detail::composed(
      exec, partition.patch_of_aggregate,
      tessera::detail::composed(exec, partition.aggregate_of_node, partition.nodes.new_to_old));
}

/// Numbers that stay as they are.
template <class ExecutionSpace>
Permutation<ExecutionSpace> identity(const ExecutionSpace& exec, Ordinal rows) {
  return make_permutation(exec, tessera::detail::all_items(exec, rows));
}

/// The aggregates of a partition and their graph; no patches, and the nodes stay where they are.
template <class ExecutionSpace>
DoublePartition<ExecutionSpace> without_patches(const ExecutionSpace& exec,
                                                const DoublePartition<ExecutionSpace>& partition) {
  DoublePartition<ExecutionSpace> result;
  result.num_aggregates = partition.num_aggregates;
  result.nodes = identity(exec, static_cast<Ordinal>(partition.aggregate_of_node.extent(0)));
  result.aggregate_of_node = partition.aggregate_of_node;
  result.coarse = partition.coarse;
  return result;
}

/// Aggregates as `double_partition` makes them, and nothing else that it makes: what a prolongator needs.
/// \throws ArgumentError for options out of range; OutOfMemoryError
template <class ExecutionSpace>
DoublePartition<ExecutionSpace> aggregates(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                                           const DoublePartitionOptions& options) {
  tessera::detail::check_options(options);
  const auto ones = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::PatchMultigrid::ones",
                                                                     graph.num_nodes());
  Kokkos::deep_copy(exec, ones, Ordinal(1));
  const auto clusters = tessera::detail::cluster_around_set<ExecutionSpace>(
      exec, graph, ones, options.aggregate_radius, options.smallest_aggregate);
  const auto groups = tessera::detail::group_by(exec, clusters.of_node, clusters.count);
  DoublePartition<ExecutionSpace> result;
  result.num_aggregates = clusters.count;
  result.nodes = identity(exec, graph.num_nodes());
  result.aggregate_of_node = clusters.of_node;
  result.coarse = induced_graph<ExecutionSpace>(exec, graph, clusters.of_node, groups.items, groups.offsets);
  return result;
}

} // namespace tessera::solvers::patch_multigrid::detail

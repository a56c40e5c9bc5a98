// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What patches take of a team's scratch, and how many nodes they get.

#include <tessera/core/partition/double_partition.hpp>
#include <tessera/strategies/assembly/detail/patch/add_pairs.hpp>
#include <tessera/strategies/assembly/detail/patch/add_patches.hpp>
#include <tessera/strategies/assembly/detail/patch/pair_lists.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_lists.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace TESSERA_KERNELS::assembly::detail {

/// Bytes that each node takes: coordinates, loads, columns, values in double precision, and three numbers.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace>
node_bytes(const ExecutionSpace& exec, const PatchRows<ExecutionSpace>& rows, int dimension, Ordinal nodes) {
  const auto bytes =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Patch::node_bytes", nodes);
  const auto fixed = static_cast<Ordinal>((dimension + rows.graph.equations.components) * sizeof(double) +
                                          3 * sizeof(Ordinal));
  Kokkos::parallel_for(
      "Tessera::Patch::node_bytes",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node) {
        bytes(node) = fixed + rows.length(node) * static_cast<Ordinal>(sizeof(Ordinal)) +
                      rows.values(node) * static_cast<Ordinal>(sizeof(double));
      });
  return bytes;
}

/// Bytes that each node takes, about, where pairs are summed: coordinates of its own and of a node in the
/// halo, loads, its block and those of three in five neighbours.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> pair_bytes(const ExecutionSpace& exec,
                                                  const NodeGraph<ExecutionSpace>& graph, int dimension,
                                                  int components) {
  const Ordinal nodes = graph.num_nodes();
  const auto bytes =
      allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Patch::pair_bytes", nodes);
  const auto number = static_cast<Ordinal>(sizeof(double));
  const Ordinal fixed = (2 * dimension + components) * number, block = components * components * number;
  Kokkos::parallel_for(
      "Tessera::Patch::pair_bytes",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node) {
        const auto neighbors = static_cast<Ordinal>(graph.row_map(node + 1) - graph.row_map(node));
        bytes(node) = fixed + (3 * neighbors + 2) / 5 * block;
      });
  return bytes;
}

/// Options for patches that weigh `heaviest` bytes at most, of nodes that weigh `average` bytes.
inline DoublePartitionOptions partition_options(std::size_t heaviest, double average) {
  DoublePartitionOptions options;
  options.heaviest_patch =
      static_cast<Ordinal>(std::clamp<std::size_t>(heaviest, 1, std::numeric_limits<Ordinal>::max()));
  options.lightest_patch = std::max(1, options.heaviest_patch / 4);
  // Of linear tetrahedra, patches around aggregates of radius two have some 300 nodes, of radius one 80.
  const double fitting = options.heaviest_patch / std::max(1.0, average);
  options.aggregate_radius = fitting < 200 ? 1 : 2;
  options.smallest_aggregate = static_cast<Ordinal>(std::clamp(fitting / 20, 1.0, 9.0));
  return options;
}

struct WeightSums {
  double total = 0;
  std::size_t most = 0;
};

template <class ExecutionSpace>
WeightSums sum_weights(const ExecutionSpace& exec, const Kokkos::View<Ordinal*, ExecutionSpace>& weights) {
  double total = 0;
  Ordinal most = 0;
  Kokkos::parallel_reduce(
      "Tessera::Patch::sum_weights",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
          exec, 0, static_cast<Ordinal>(weights.extent(0))),
      KOKKOS_LAMBDA(const Ordinal node, double& sum, Ordinal& largest) {
        sum += weights(node);
        largest = Kokkos::max(largest, weights(node));
      },
      total, Kokkos::Max<Ordinal>(most));
  return {.total = total, .most = static_cast<std::size_t>(std::max(most, 0))};
}

/// Bytes of scratch that a patch takes by its lists.
template <class Element, class ExecutionSpace>
KOKKOS_INLINE_FUNCTION std::size_t patch_bytes(const PatchLists<Element, ExecutionSpace>& lists,
                                               Ordinal patch, int components) {
  const Ordinal begin = lists.node_offsets(patch), end = lists.node_offsets(patch + 1);
  return PatchScratch<Element, ExecutionSpace, double>::bytes(
      end - begin, components, lists.columns_before(end) - lists.columns_before(begin),
      lists.values_before(end) - lists.values_before(begin));
}

/// The same where pairs are summed.
template <class Element, class ExecutionSpace>
KOKKOS_INLINE_FUNCTION std::size_t patch_bytes(const PatchPairs<Element, ExecutionSpace>& pairs,
                                               Ordinal patch, int components) {
  return PairScratch<Element, ExecutionSpace, double>::bytes(pairs.part(patch), components);
}

/// Bytes that the largest patch takes.
template <class ExecutionSpace, class Parts>
std::size_t largest_patch_bytes(const ExecutionSpace& exec, const Parts& parts, int components) {
  std::size_t most = 0;
  Kokkos::parallel_reduce(
      "Tessera::Patch::largest_patch",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, parts.patches),
      KOKKOS_LAMBDA(const Ordinal patch, std::size_t& largest) {
        largest = Kokkos::max(largest, patch_bytes(parts, patch, components));
      },
      Kokkos::Max<std::size_t>(most));
  return most;
}

} // namespace TESSERA_KERNELS::assembly::detail

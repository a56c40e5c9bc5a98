// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Partitions of elements and of nodes into parts of equal size with short boundaries, by METIS on a graph;
/// many parts along the Hilbert curve within METIS's. All results lie on the host. The only header that names
/// METIS.

#include <tessera/core/error.hpp>
#include <tessera/core/partition/curve_partition.hpp>
#include <tessera/core/partition/detail/item_graph.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <metis.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Options of the partitions by METIS.
struct PartitionOptions {
  /// Number of parts, >= 1 and at most the number of items.
  Ordinal parts = 1;
  /// Allowed size of the largest part over the average one, > 1. METIS may miss it on small or awkward
  /// graphs.
  double imbalance = 1.03;
  /// Seed of METIS's random numbers: equal seeds give equal partitions.
  int seed = 1;
};

namespace detail {

/// Fills the lists of parts from `part_of_item`.
inline void list_parts(Partition& partition) {
  partition.offsets.assign(static_cast<std::size_t>(partition.parts) + 1, 0);
  for (const Ordinal part : partition.part_of_item) ++partition.offsets[to_size(part + 1)];
  for (Ordinal part = 0; part < partition.parts; ++part)
    partition.offsets[to_size(part + 1)] += partition.offsets[to_size(part)];
  partition.items.resize(partition.part_of_item.size());
  std::vector<Ordinal> next(partition.offsets.begin(), partition.offsets.end() - 1);
  for (std::size_t item = 0; item < partition.part_of_item.size(); ++item)
    partition.items[to_size(next[to_size(partition.part_of_item[item])]++)] = static_cast<Ordinal>(item);
}

/// METIS takes SIGTERM for one of its own errors and swallows it: the signal waits until METIS has ended.
/// (Where another thread of the process admits it, METIS still gets it there.)
class TerminationWaits {
public:
  TerminationWaits() {
    sigset_t termination;
    sigemptyset(&termination);
    sigaddset(&termination, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &termination, &before_);
  }
  TerminationWaits(const TerminationWaits&) = delete;
  TerminationWaits& operator=(const TerminationWaits&) = delete;
  ~TerminationWaits() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

/// Runs METIS: recursive bisection for a few parts, k-way for many, as its manual advises. Nothing is heard
/// of it until it ends, so that Kokkos Tools are told what it has to do.
template <class Index>
Partition partition_by_metis(const char* function, ItemGraph<Index>& graph, const PartitionOptions& options) {
  constexpr Ordinal few_parts = 8;
  const std::size_t items = graph.offsets.size() - 1;
  Partition partition;
  partition.parts = options.parts;
  partition.part_of_item.assign(items, 0);
  // METIS divides by bisection and fails where a half runs out of items: so few are dealt out in their order.
  constexpr std::size_t fewest_items_per_part = 4;
  if (items < fewest_items_per_part * static_cast<std::size_t>(options.parts)) {
    for (std::size_t item = 0; item < items; ++item)
      partition.part_of_item[item] =
          static_cast<Ordinal>(item * static_cast<std::size_t>(options.parts) / items);
    for (std::size_t item = 0; item < items; ++item)
      for (auto k = static_cast<std::size_t>(graph.offsets[item]),
                end = static_cast<std::size_t>(graph.offsets[item + 1]);
           k < end; ++k)
        if (const auto other = static_cast<std::size_t>(graph.neighbors[k]); other < item)
          partition.cut_edges += partition.part_of_item[item] != partition.part_of_item[other] ? 1 : 0;
  } else if (options.parts > 1) {
    idx_t metis_options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(metis_options);
    metis_options[METIS_OPTION_SEED] = options.seed;
    metis_options[METIS_OPTION_NUMBERING] = 0;
    idx_t vertices = static_cast<idx_t>(items), constraints = 1, parts = options.parts, cut = 0;
    real_t imbalance = static_cast<real_t>(options.imbalance);
    std::vector<idx_t> part(items);
    const auto call = options.parts <= few_parts ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    const auto run = [&] {
      const Kokkos::Profiling::ScopedRegion region(
          "Tessera::Partition::metis: " + std::to_string(options.parts) + " parts of " +
          std::to_string(items) + " items");
      const TerminationWaits waits;
      return call(&vertices, &constraints, graph.offsets.data(), graph.neighbors.data(), nullptr, nullptr,
                  nullptr, &parts, nullptr, &imbalance, metis_options, &cut, part.data());
    };
    const int status = run();
    const std::string where = std::string(function) + ": METIS with " + std::to_string(items) +
                              " items and " + std::to_string(graph.neighbors.size()) + " graph entries ";
    if (status == METIS_ERROR_MEMORY) throw OutOfMemoryError(where + "ran out of memory");
    if (status == METIS_ERROR_INPUT) throw ArgumentError(where + "refused its input");
    if (status != METIS_OK)
      throw UnsupportedError(where + "cannot make " + std::to_string(options.parts) + " parts (status " +
                             std::to_string(status) + "); ask for fewer, or partition along the curve");
    partition.cut_edges = cut;
    std::copy(part.begin(), part.end(), partition.part_of_item.begin());
  }
  list_parts(partition);
  return partition;
}

inline void check_options(const char* function, const PartitionOptions& options, std::size_t items) {
  check_parts(function, options.parts, items);
  if (!(options.imbalance > 1))
    throw ArgumentError(std::string(function) + ": imbalance must be above 1, got " +
                        std::to_string(options.imbalance));
}

} // namespace detail

/// The same of elements with lists of any length of nodes, on the host. \throws as below, but MeshError
inline Partition partition_elements(const detail::Incidence& nodes_of, std::size_t nodes,
                                    Ordinal shared_nodes, const PartitionOptions& options) {
  constexpr const char* function = "partition_elements";
  detail::check_options(function, options, nodes_of.offsets.size() - 1);
  if (shared_nodes < 1)
    throw ArgumentError("partition_elements: shared_nodes must be at least 1, got " +
                        std::to_string(shared_nodes));
  auto graph =
      detail::joined_through<idx_t>(function, nodes_of, detail::transposed(nodes_of, nodes), shared_nodes);
  return detail::partition_by_metis(function, graph, options);
}

/// Partitions the elements by METIS: neighbors are the elements that share at least `shared_nodes` nodes.
///
/// \param connectivity  node numbers, element × node, in any memory space; copied to the host.
/// \param nodes         number of nodes.
/// \param shared_nodes  nodes that neighbors share: those of a face for the usual dual graph (2 for Tri 1, 3
/// for
///                      Tet 1, 4 for Hex 1), 1 for all elements that touch (a much larger graph).
/// \throws MeshError      if a node number is out of range (the message names the element).
/// \throws ArgumentError  if an option is out of range.
/// \throws UnsupportedError if the graph has more entries than METIS's integers count.
/// \throws OutOfMemoryError if METIS runs out of memory.
template <class Connectivity>
Partition partition_elements(const Connectivity& connectivity, std::size_t nodes, Ordinal shared_nodes,
                             const PartitionOptions& options) {
  constexpr const char* function = "partition_elements";
  detail::check_options(function, options, connectivity.extent(0));
  return partition_elements(detail::element_nodes(function, connectivity, nodes), nodes, shared_nodes,
                            options);
}

/// Partitions the nodes by METIS: neighbors are the nodes of one element.
///
/// \param connectivity  node numbers, element × node, in any memory space; copied to the host.
/// \param nodes         number of nodes.
/// \throws MeshError, ArgumentError, UnsupportedError, OutOfMemoryError as `partition_elements`.
template <class Connectivity>
Partition partition_nodes(const Connectivity& connectivity, std::size_t nodes,
                          const PartitionOptions& options) {
  constexpr const char* function = "partition_nodes";
  detail::check_options(function, options, nodes);
  const detail::Incidence nodes_of = detail::element_nodes(function, connectivity, nodes);
  auto graph = detail::joined_through<idx_t>(function, detail::transposed(nodes_of, nodes), nodes_of, 1);
  return detail::partition_by_metis(function, graph, options);
}

/// Partitions the rows of a symmetric sparsity graph by METIS; diagonal entries are left out.
///
/// \param row_map  first entry of each row, extent rows + 1, in any memory space; copied to the host.
/// \param columns  column of each entry, once in its row.
/// \throws ArgumentError  if the row map does not increase, a column is out of range, the graph is not
/// symmetric
///                        (the message names the row) or an option is out of range.
/// \throws UnsupportedError, OutOfMemoryError as `partition_elements`.
template <class RowMap, class Columns>
Partition partition_graph(const RowMap& row_map, const Columns& columns, const PartitionOptions& options) {
  const std::string function = "partition_graph";
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  detail::check_options(function.c_str(), options, rows);
  detail::check_edges<idx_t>(function.c_str(), columns.extent(0));
  const auto host_rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, row_map);
  const auto host_columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, columns);
  detail::Incidence incidence{.offsets = std::vector<Offset>(rows + 1, 0), .entries = {}};
  incidence.entries.reserve(columns.extent(0));
  for (std::size_t row = 0; row < rows; ++row) {
    if (host_rows(row + 1) < host_rows(row) ||
        static_cast<std::size_t>(host_rows(row + 1)) > columns.extent(0))
      throw ArgumentError(function + ": the row map does not increase within the columns at row " +
                          std::to_string(row));
    for (auto k = host_rows(row); k < host_rows(row + 1); ++k) {
      const auto column = static_cast<std::int64_t>(host_columns(k));
      if (column < 0 || static_cast<std::size_t>(column) >= rows)
        throw ArgumentError(function + ": row " + std::to_string(row) + " has column " +
                            std::to_string(column) + ", outside 0 to " +
                            std::to_string(static_cast<std::int64_t>(rows) - 1));
      if (static_cast<std::size_t>(column) != row) incidence.entries.push_back(static_cast<Ordinal>(column));
    }
    incidence.offsets[row + 1] = incidence.entries.size();
    std::sort(incidence.entries.begin() + static_cast<std::ptrdiff_t>(incidence.offsets[row]),
              incidence.entries.end());
  }
  // METIS reads out of bounds on a graph that is not symmetric. The transpose has its columns sorted as well.
  const detail::Incidence reversed = detail::transposed(incidence, rows);
  for (std::size_t row = 0; row < rows; ++row)
    if (incidence.offsets[row + 1] != reversed.offsets[row + 1] ||
        !std::equal(incidence.entries.begin() + static_cast<std::ptrdiff_t>(incidence.offsets[row]),
                    incidence.entries.begin() + static_cast<std::ptrdiff_t>(incidence.offsets[row + 1]),
                    reversed.entries.begin() + static_cast<std::ptrdiff_t>(reversed.offsets[row])))
      throw ArgumentError(function + ": the graph is not symmetric at row " + std::to_string(row));
  detail::ItemGraph<idx_t> graph;
  graph.offsets.assign(incidence.offsets.begin(), incidence.offsets.end());
  graph.neighbors.assign(incidence.entries.begin(), incidence.entries.end());
  return detail::partition_by_metis(function.c_str(), graph, options);
}

/// METIS makes at most so many parts where there are more to make: it halves the graph again and again down
/// to the last part, minutes for a hundred thousand.
inline constexpr Ordinal most_metis_parts = 512;

namespace detail {

inline PartitionOptions few_parts(PartitionOptions options) {
  options.parts = std::min(options.parts, most_metis_parts);
  return options;
}

} // namespace detail

/// Partitions the elements by METIS, and where `options.parts` is above `most_metis_parts`, METIS's parts
/// along the Hilbert curve of the elements' centroids.
///
/// \param exec         instance on which the curve is computed.
/// \param coordinates  node × dimension; with the connectivity in memory of the execution space.
/// \throws what `partition_elements` and `refined_by_curve` throw.
template <class ExecutionSpace, class Coordinates, class Connectivity>
Partition partition_elements(const ExecutionSpace& exec, const Coordinates& coordinates,
                             const Connectivity& connectivity, Ordinal shared_nodes,
                             const PartitionOptions& options) {
  detail::check_options("partition_elements", options, connectivity.extent(0));
  Partition partition =
      partition_elements(connectivity, coordinates.extent(0), shared_nodes, detail::few_parts(options));
  if (options.parts <= most_metis_parts) return partition;
  return refined_by_curve(exec, element_centroids(exec, coordinates, connectivity), partition, options.parts);
}

/// Partitions the nodes by METIS, and where `options.parts` is above `most_metis_parts`, METIS's parts along
/// the Hilbert curve of the nodes. Parameters and errors as `partition_elements`.
template <class ExecutionSpace, class Coordinates, class Connectivity>
Partition partition_nodes(const ExecutionSpace& exec, const Coordinates& coordinates,
                          const Connectivity& connectivity, const PartitionOptions& options) {
  detail::check_options("partition_nodes", options, coordinates.extent(0));
  Partition partition = partition_nodes(connectivity, coordinates.extent(0), detail::few_parts(options));
  if (options.parts <= most_metis_parts) return partition;
  return refined_by_curve(exec, coordinates, partition, options.parts);
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The graphs that partitions cut: which items (elements, nodes) touch which, on the host.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tessera::detail {

/// A symmetric graph without loops in compressed rows, of the integers of whoever cuts it.
template <class Index>
struct ItemGraph {
  std::vector<Index> offsets{0};
  std::vector<Index> neighbors;
};

/// Throws where the integers cannot number the edges.
template <class Index>
void check_edges(const char* function, std::size_t edges) {
  if (edges > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw UnsupportedError(std::string(function) + ": the graph has " + std::to_string(edges) +
                           " entries, but this METIS counts with " + std::to_string(8 * sizeof(Index)) +
                           " bits; use partition_by_curve or a METIS built with IDXTYPEWIDTH 64");
}

/// Lists from items to what they touch, in compressed rows.
struct Incidence {
  std::vector<Offset> offsets;
  std::vector<Ordinal> entries;
};

/// Reverses an incidence: for each touched number the items that touch it, ascending.
inline Incidence transposed(const Incidence& incidence, std::size_t columns) {
  Incidence result{.offsets = std::vector<Offset>(columns + 1, 0),
                   .entries = std::vector<Ordinal>(incidence.entries.size())};
  for (const Ordinal column : incidence.entries) ++result.offsets[to_size(column + 1)];
  for (std::size_t column = 0; column < columns; ++column)
    result.offsets[column + 1] += result.offsets[column];
  std::vector<Offset> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t row = 0; row + 1 < incidence.offsets.size(); ++row)
    for (Offset k = incidence.offsets[row]; k < incidence.offsets[row + 1]; ++k)
      result.entries[next[to_size(incidence.entries[k])]++] = static_cast<Ordinal>(row);
  return result;
}

/// The graph that joins two items where they touch at least `shared` things in common.
template <class Index>
ItemGraph<Index> joined_through(const char* function, const Incidence& touched, const Incidence& touching,
                                Ordinal shared) {
  const std::size_t items = touched.offsets.size() - 1;
  ItemGraph<Index> graph;
  graph.offsets.reserve(items + 1);
  std::vector<Ordinal> common(items, 0), met;
  for (std::size_t item = 0; item < items; ++item) {
    met.clear();
    for (Offset k = touched.offsets[item]; k < touched.offsets[item + 1]; ++k)
      for (Offset l = touching.offsets[to_size(touched.entries[k])];
           l < touching.offsets[to_size(touched.entries[k] + 1)]; ++l)
        if (common[to_size(touching.entries[l])]++ == 0) met.push_back(touching.entries[l]);
    for (const Ordinal other : met) {
      if (common[to_size(other)] >= shared && to_size(other) != item) graph.neighbors.push_back(other);
      common[to_size(other)] = 0;
    }
    check_edges<Index>(function, graph.neighbors.size());
    graph.offsets.push_back(static_cast<Index>(graph.neighbors.size()));
  }
  return graph;
}

/// Element-to-node lists from a connectivity in any memory space. \throws MeshError on a node number out of
/// range.
template <class Connectivity>
Incidence element_nodes(const char* function, const Connectivity& connectivity, std::size_t nodes) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, connectivity);
  Incidence incidence{.offsets = std::vector<Offset>(host.extent(0) + 1), .entries = {}};
  incidence.entries.reserve(host.size());
  for (std::size_t element = 0; element < host.extent(0); ++element) {
    for (std::size_t i = 0; i < host.extent(1); ++i) {
      const auto node = static_cast<std::int64_t>(host(element, i));
      if (node < 0 || static_cast<std::size_t>(node) >= nodes)
        throw MeshError(std::string(function) + ": element " + std::to_string(element) + " has node " +
                        std::to_string(node) + ", outside 0 to " +
                        std::to_string(static_cast<std::int64_t>(nodes) - 1));
      incidence.entries.push_back(static_cast<Ordinal>(node));
    }
    incidence.offsets[element + 1] = incidence.entries.size();
  }
  return incidence;
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Partitions of elements and of nodes by cutting the Hilbert curve, alone or within the parts of another
/// partition. All results lie on the host.

#include <tessera/core/error.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tessera {

/// A partition of items (elements or nodes).
struct Partition {
  /// Number of parts; METIS may leave some empty when the parts hold only a few items each.
  Ordinal parts = 0;
  /// Part of each item, 0 … parts−1.
  std::vector<Ordinal> part_of_item;
  /// First position of each part in `items`. Extent: parts + 1.
  std::vector<Ordinal> offsets;
  /// Items sorted by part, ascending within a part (by the curve's order in `partition_by_curve`).
  std::vector<Ordinal> items;
  /// Number of the graph's edges between different parts; 0 where no graph was given or its edges not
  /// counted.
  std::int64_t cut_edges = 0;

  /// Number of items of one part.
  Ordinal size(Ordinal part) const { return offsets[to_size(part + 1)] - offsets[to_size(part)]; }
};

namespace detail {

inline void check_parts(const char* function, Ordinal parts, std::size_t items) {
  if (items > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError(std::string(function) + ": " + std::to_string(items) +
                        " items do not fit 32-bit numbers");
  if (parts < 1 || (static_cast<std::size_t>(parts) > items && items > 0))
    throw ArgumentError(std::string(function) +
                        ": the number of parts must lie between 1 and the number of items, " +
                        std::to_string(items) + ", got " + std::to_string(parts));
}

/// How many of `parts` pieces each part of a partition gets by its size: one at least unless it is empty.
inline std::vector<Ordinal> shares(const Partition& partition, Ordinal parts) {
  const auto items = static_cast<std::int64_t>(partition.items.size());
  std::vector<Ordinal> pieces(to_size(partition.parts), 0);
  if (items == 0) {
    pieces.front() = parts;
    return pieces;
  }
  std::int64_t rest = parts;
  for (Ordinal part = 0; part < partition.parts; ++part) {
    const std::int64_t size = partition.size(part);
    if (size > 0) pieces[to_size(part)] = std::max<Ordinal>(1, static_cast<Ordinal>(size * parts / items));
    rest -= pieces[to_size(part)];
  }
  const auto larger = [&](Ordinal a, Ordinal b) { // pieces of part a than those of part b
    return static_cast<std::int64_t>(partition.size(a)) * pieces[to_size(b)] >
           static_cast<std::int64_t>(partition.size(b)) * pieces[to_size(a)];
  };
  for (; rest != 0; rest += rest > 0 ? -1 : 1) {
    Ordinal chosen = -1;
    for (Ordinal part = 0; part < partition.parts; ++part)
      if (rest > 0 ? pieces[to_size(part)] > 0 && (chosen < 0 || larger(part, chosen))
                   : pieces[to_size(part)] > 1 && (chosen < 0 || larger(chosen, part)))
        chosen = part;
    pieces[to_size(chosen)] += rest > 0 ? 1 : -1;
  }
  return pieces;
}

} // namespace detail

/// Partitions points (nodes, or the elements' centroids) by cutting their Hilbert curve into `parts`
/// stretches whose sizes differ by one at most. Cheaper than METIS by far, with longer boundaries; `items` is
/// the curve's order.
///
/// \param exec         instance on which the curve is computed.
/// \param coordinates  point × dimension, in memory of the execution space.
/// \throws MeshError, ArgumentError as `hilbert_order`, and ArgumentError if `parts` is out of range.
template <class ExecutionSpace, class Coordinates>
Partition partition_by_curve(const ExecutionSpace& exec, const Coordinates& coordinates, Ordinal parts) {
  const std::size_t points = coordinates.extent(0);
  detail::check_parts("partition_by_curve", parts, points);
  const Permutation<ExecutionSpace> order = hilbert_order(exec, coordinates);
  Partition partition;
  partition.parts = parts;
  partition.items.resize(points);
  partition.part_of_item.resize(points);
  Kokkos::deep_copy(
      Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(partition.items.data(), points),
      order.new_to_old);
  for (Ordinal part = 0; part <= parts; ++part)
    partition.offsets.push_back(static_cast<Ordinal>(static_cast<std::int64_t>(points) * part / parts));
  for (Ordinal part = 0; part < parts; ++part)
    for (Ordinal p = partition.offsets[to_size(part)]; p < partition.offsets[to_size(part + 1)]; ++p)
      partition.part_of_item[to_size(partition.items[to_size(p)])] = part;
  return partition;
}

/// Cuts every part of a partition into pieces along the Hilbert curve of its points: as many pieces as its
/// share of the points gives it, of sizes that differ by at most one within a part.
///
/// \param exec         instance on which the curve is computed.
/// \param coordinates  point × dimension, in memory of the execution space.
/// \param partition    of the points, into at most `parts` parts.
/// \param parts        number of pieces in all; the pieces of a part are numbered one after another.
/// \throws ArgumentError if `parts` or the partition's size does not fit; as `hilbert_order`.
template <class ExecutionSpace, class Coordinates>
Partition refined_by_curve(const ExecutionSpace& exec, const Coordinates& coordinates,
                           const Partition& partition, Ordinal parts) {
  const std::size_t points = coordinates.extent(0);
  detail::check_parts("refined_by_curve", parts, points);
  if (partition.items.size() != points || partition.parts > parts)
    throw ArgumentError("refined_by_curve: a partition of " + std::to_string(partition.items.size()) +
                        " items into " + std::to_string(partition.parts) + " parts cannot be cut into " +
                        std::to_string(parts) + " pieces of " + std::to_string(points) + " points");
  const Partition curve = partition_by_curve(exec, coordinates, 1);
  std::vector<Ordinal> next(partition.offsets.begin(), partition.offsets.end() - 1);
  Partition result;
  result.parts = parts;
  result.items.resize(points);
  result.part_of_item.resize(points);
  for (const Ordinal item : curve.items)
    result.items[to_size(next[to_size(partition.part_of_item[to_size(item)])]++)] = item;
  const std::vector<Ordinal> pieces = detail::shares(partition, parts);
  result.offsets.push_back(0);
  for (Ordinal part = 0; part < partition.parts; ++part)
    for (Ordinal piece = 1; piece <= pieces[to_size(part)]; ++piece)
      result.offsets.push_back(partition.offsets[to_size(part)] +
                               static_cast<Ordinal>(static_cast<std::int64_t>(partition.size(part)) * piece /
                                                    pieces[to_size(part)]));
  for (Ordinal part = 0; part < parts; ++part)
    for (Ordinal k = result.offsets[to_size(part)]; k < result.offsets[to_size(part + 1)]; ++k)
      result.part_of_item[to_size(result.items[to_size(k)])] = part;
  return result;
}

} // namespace tessera

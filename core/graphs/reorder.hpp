// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Orders of nodes and elements for locality: the Hilbert curve through coordinates, and reverse
/// Cuthill–McKee on a graph.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/core/graphs/detail/hilbert_keys.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// A renumbering and its inverse, both in memory of the execution space.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct Permutation {
  /// Old number of the item that gets each new number.
  Kokkos::View<Ordinal*, ExecutionSpace> new_to_old;
  /// New number of each old item.
  Kokkos::View<Ordinal*, ExecutionSpace> old_to_new;
};

/// The permutation given by the old numbers in their new order, each number once. The view is kept, not
/// copied, and not checked: `renumber` does; the new number of an old one that is left out is -1.
template <class ExecutionSpace>
Permutation<ExecutionSpace> make_permutation(const ExecutionSpace& exec,
                                             const Kokkos::View<Ordinal*, ExecutionSpace>& new_to_old) {
  const auto old_to_new = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
      exec, "Tessera::Permutation::old_to_new", new_to_old.extent(0));
  Kokkos::deep_copy(exec, old_to_new, Ordinal(-1));
  Kokkos::parallel_for(
      "Tessera::Permutation::invert",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
          exec, 0, static_cast<Ordinal>(new_to_old.extent(0))),
      KOKKOS_LAMBDA(const Ordinal number) {
        const Ordinal old = new_to_old(number);
        if (old >= 0 && old < static_cast<Ordinal>(old_to_new.extent(0))) old_to_new(old) = number;
      });
  exec.fence("Tessera::Permutation::invert");
  return {new_to_old, old_to_new};
}

/// Orders points along the Hilbert curve: points that are close in the order are close in space.
///
/// \param exec         instance that runs the kernels; the call returns after they have ended.
/// \param coordinates  point × dimension, dimension 2 or 3, finite, in memory of the execution space.
/// \throws MeshError if a coordinate is not finite (the message names the point).
/// \throws ArgumentError if the dimension is neither 2 nor 3, or there are 2^31 points or more.
///
/// The bounding cube is divided into 2^31 (2D) or 2^21 (3D) cells per axis; points of one cell keep their
/// order. Deterministic. Work: one radix sort of 64-bit keys; memory: 20 bytes a point.
template <class ExecutionSpace, class Coordinates>
Permutation<ExecutionSpace> hilbert_order(const ExecutionSpace& exec, const Coordinates& coordinates) {
  static_assert(Kokkos::is_view_v<Coordinates> && Coordinates::rank() == 2 &&
                    std::is_floating_point_v<typename Coordinates::non_const_value_type>,
                "tessera::hilbert_order: coordinates must be a Kokkos view of rank 2 of real numbers.");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename Coordinates::memory_space>::accessible,
                "tessera::hilbert_order: coordinates must lie in memory of the execution space.");
  if (coordinates.extent(0) > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ArgumentError("hilbert_order: " + std::to_string(coordinates.extent(0)) +
                        " points do not fit 32-bit numbers");
  const auto points = static_cast<Ordinal>(coordinates.extent(0));
  const auto dimension = static_cast<int>(coordinates.extent(1));
  if (dimension != 2 && dimension != 3)
    throw ArgumentError("hilbert_order: the dimension must be 2 or 3, got " + std::to_string(dimension));
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_point = none;
  Kokkos::parallel_reduce(
      "Tessera::Reorder::check",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, points),
      KOKKOS_LAMBDA(const Ordinal point, Ordinal& first_bad) {
        for (int d = 0; d < dimension; ++d)
          if (!Kokkos::isfinite(coordinates(point, d))) first_bad = Kokkos::min(first_bad, point);
      },
      Kokkos::Min<Ordinal>(bad_point));
  if (bad_point != none)
    throw MeshError("hilbert_order: point " + std::to_string(bad_point) +
                    " has a coordinate that is not finite");
  if (dimension == 2)
    return make_permutation(exec,
                            detail::radix_sort(exec, detail::hilbert_keys<2>(exec, coordinates, 31), 2 * 31));
  return make_permutation(exec,
                          detail::radix_sort(exec, detail::hilbert_keys<3>(exec, coordinates, 21), 3 * 21));
}

/// Mean of the nodes' coordinates of each element, element × dimension: the points by which elements are
/// ordered.
///
/// \param coordinates   node × dimension.
/// \param connectivity  node numbers, element × node, all valid. Both in memory of the execution space.
template <class ExecutionSpace, class Coordinates, class Connectivity>
Kokkos::View<double**, ExecutionSpace> element_centroids(const ExecutionSpace& exec,
                                                         const Coordinates& coordinates,
                                                         const Connectivity& connectivity) {
  const auto element_nodes = static_cast<Ordinal>(connectivity.extent(1));
  const auto dimension = static_cast<int>(coordinates.extent(1));
  const auto centroids = allocate<Kokkos::View<double**, ExecutionSpace>>(
      exec, "Tessera::Reorder::centroids", connectivity.extent(0), coordinates.extent(1));
  Kokkos::parallel_for(
      "Tessera::Reorder::centroids",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
          exec, 0, static_cast<Ordinal>(connectivity.extent(0))),
      KOKKOS_LAMBDA(const Ordinal element) {
        for (int d = 0; d < dimension; ++d) {
          double sum = 0;
          for (Ordinal i = 0; i < element_nodes; ++i) sum += coordinates(connectivity(element, i), d);
          centroids(element, d) = sum / element_nodes;
        }
      });
  exec.fence("Tessera::Reorder::centroids");
  return centroids;
}

namespace detail {

/// Breadth-first search of one component of a graph, on the host.
struct Levels {
  std::vector<Ordinal> visited; ///< vertices in the order of the search
  Ordinal last_level = 0;       ///< position in `visited` at which the last level starts
  Ordinal depth = 0;            ///< number of levels
};

/// The search from `start`; each vertex's new neighbors are taken by increasing degree, then number. `mark`
/// holds the number of the last search that met a vertex; the vertices that have `ordered` there are left
/// out.
template <class RowMap, class Columns>
Levels search_levels(const RowMap& row_map, const Columns& columns, Ordinal start,
                     std::vector<std::int64_t>& mark, std::int64_t search, std::int64_t ordered) {
  const auto degree = [&](Ordinal vertex) { return row_map(vertex + 1) - row_map(vertex); };
  Levels levels;
  levels.visited.push_back(start);
  mark[to_size(start)] = search;
  for (std::size_t begin = 0, end = 1; begin < end; end = levels.visited.size()) {
    levels.last_level = static_cast<Ordinal>(begin);
    ++levels.depth;
    for (; begin < end; ++begin) {
      const Ordinal vertex = levels.visited[begin];
      const std::size_t first_new = levels.visited.size();
      for (auto k = row_map(vertex); k < row_map(vertex + 1); ++k) {
        const auto neighbor = static_cast<Ordinal>(columns(k));
        if (mark[neighbor] == search || mark[neighbor] == ordered) continue;
        mark[neighbor] = search;
        levels.visited.push_back(neighbor);
      }
      std::sort(levels.visited.begin() + static_cast<std::ptrdiff_t>(first_new), levels.visited.end(),
                [&](Ordinal a, Ordinal b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a < b; });
    }
  }
  return levels;
}

} // namespace detail

/// Reverse Cuthill–McKee order of a symmetric graph: small bandwidth and profile (A. George and J. Liu,
/// "Computer Solution of Large Sparse Positive Definite Systems", Prentice-Hall 1981, chapter 4, with their
/// search for a pseudo-peripheral start).
///
/// \param exec     instance that copies the graph and the result; the search runs on the host.
/// \param row_map  first entry of each row, extent rows + 1. Any memory space.
/// \param columns  neighbors of each row, with or without the row itself.
/// \throws ArgumentError if the row map does not increase or a column is outside the rows (the message names
/// the row).
///
/// Components follow each other. Deterministic.
template <class ExecutionSpace, class RowMap, class Columns>
Permutation<ExecutionSpace> reverse_cuthill_mckee(const ExecutionSpace& exec, const RowMap& row_map,
                                                  const Columns& columns) {
  exec.fence("Tessera::Reorder::reverse_cuthill_mckee");
  const auto host_rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, row_map);
  const auto host_columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, columns);
  const auto rows = static_cast<Ordinal>(row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1);
  for (Ordinal row = 0; row < rows; ++row) {
    if (host_rows(row + 1) < host_rows(row) ||
        static_cast<std::size_t>(host_rows(row + 1)) > columns.extent(0))
      throw ArgumentError("reverse_cuthill_mckee: the row map does not increase within the columns at row " +
                          std::to_string(row));
    for (auto k = host_rows(row); k < host_rows(row + 1); ++k)
      if (host_columns(k) < 0 || static_cast<std::int64_t>(host_columns(k)) >= rows)
        throw ArgumentError("reverse_cuthill_mckee: row " + std::to_string(row) + " has column " +
                            std::to_string(host_columns(k)) + ", outside 0 to " + std::to_string(rows - 1));
  }

  constexpr std::int64_t ordered = -1, unseen = -2;
  std::vector<std::int64_t> mark(rows, unseen);
  std::vector<Ordinal> order;
  order.reserve(rows);
  std::int64_t search = 0;
  for (Ordinal seed = 0; seed < rows;) {
    if (mark[to_size(seed)] == ordered) {
      ++seed; // on a graph that is not symmetric, the last search from a seed can miss it
      continue;
    }
    detail::Levels levels = detail::search_levels(host_rows, host_columns, seed, mark, search++, ordered);
    // Restart from the vertex of least degree in the last level for as long as that makes the search deeper.
    for (;;) {
      const Ordinal start = *std::min_element(
          levels.visited.begin() + levels.last_level, levels.visited.end(), [&](Ordinal a, Ordinal b) {
            return host_rows(a + 1) - host_rows(a) < host_rows(b + 1) - host_rows(b);
          });
      detail::Levels next = detail::search_levels(host_rows, host_columns, start, mark, search++, ordered);
      const bool is_deeper = next.depth > levels.depth;
      levels = std::move(next);
      if (!is_deeper) break;
    }
    for (const Ordinal vertex : levels.visited) mark[to_size(vertex)] = ordered;
    order.insert(order.end(), levels.visited.begin(), levels.visited.end());
  }
  std::reverse(order.begin(), order.end());
  const auto new_to_old = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
      exec, "Tessera::Permutation::new_to_old", order.size());
  Kokkos::deep_copy(
      exec, new_to_old,
      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(order.data(), order.size()));
  return make_permutation(exec, new_to_old);
}

} // namespace tessera

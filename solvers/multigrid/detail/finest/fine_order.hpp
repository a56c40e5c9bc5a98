// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The finest level's order: nodes along the Hilbert curve, each with equally many rows.

#include <tessera/core/error.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/core/graphs/detail/hilbert_keys.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/nodes.hpp>
#include <tessera/solvers/sparse/detail/sort_items.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::solvers::multigrid::detail {

/// Which rows belong to a node, in the order of the matrix that was given.
template <class ExecutionSpace>
struct NodeRows {
  Ordinal nodes = 0;
  int components = 1;
  Kokkos::View<const Ordinal*, ExecutionSpace> first; ///< node (+1); empty: each node has `components`
  KOKKOS_FUNCTION Ordinal begin(Ordinal node) const {
    return first.extent(0) == 0 ? node * components : first(node);
  }
  /// The node of a row, by binary search if nodes differ.
  KOKKOS_FUNCTION Ordinal node(Ordinal row) const {
    if (first.extent(0) == 0) return row / components;
    Ordinal low = 0, high = nodes;
    while (high - low > 1) {
      const Ordinal middle = low + (high - low) / 2;
      (first(middle) <= row ? low : high) = middle;
    }
    return low;
  }
};

/// The finest level's nodes and their rows. Nodes with fewer rows than others are filled up with rows of the
/// identity; nodes without rows are left out.
template <class ExecutionSpace>
struct FineOrder {
  Ordinal nodes = 0;
  int rows_per_node = 1;
  Ordinals<ExecutionSpace> new_to_old; // row of the level: the given matrix's, -1 for none
  Ordinals<ExecutionSpace> old_to_new; // the way back

  Ordinal rows() const { return nodes * rows_per_node; }
  std::size_t bytes() const { return bytes_of(new_to_old) + bytes_of(old_to_new); }
};

/// Numbers the rows of nodes in their order, the nodes that have rows one after the other.
template <class ExecutionSpace>
struct PlaceRows {
  static constexpr int kinds = 1;
  NodeRows<ExecutionSpace> layout;
  Ordinals<ExecutionSpace> node_order;
  FineOrder<ExecutionSpace> order;

  KOKKOS_FUNCTION Ordinal rows_of(Ordinal rank) const {
    const Ordinal node = node_order(rank);
    return layout.begin(node + 1) - layout.begin(node);
  }
  KOKKOS_FUNCTION tessera::detail::LengthSums<1> lengths(Ordinal rank) const {
    return {{rows_of(rank) > 0 ? Offset{1} : Offset{0}}, {}};
  }
  KOKKOS_FUNCTION void store(Ordinal rank, const Kokkos::Array<Offset, 1>& nodes) const {
    if (rows_of(rank) > 0) write(rank, static_cast<Ordinal>(nodes[0]) - 1);
  }
  KOKKOS_FUNCTION void write(Ordinal rank, Ordinal place) const {
    const Ordinal node = node_order(rank), first = layout.begin(node);
    const Ordinal count = layout.begin(node + 1) - first;
    for (Ordinal c = 0; c < order.rows_per_node; ++c) {
      const Ordinal row = place * order.rows_per_node + c;
      order.new_to_old(row) = c < count ? first + c : -1;
      if (c < count) order.old_to_new(first + c) = row;
    }
  }
};

/// Orders rows by the given order of nodes.
template <class ExecutionSpace>
FineOrder<ExecutionSpace> order_rows(const Workspace<ExecutionSpace>& work,
                                     const NodeRows<ExecutionSpace>& layout,
                                     const Ordinals<ExecutionSpace>& node_order, Ordinal rows) {
  constexpr const char* label = "Tessera::Multigrid::order_rows";
  FineOrder<ExecutionSpace> order{layout.nodes, layout.components, {}, {}};
  const Range<ExecutionSpace> nodes(work.exec, 0, layout.nodes);
  const bool as_many_each = layout.first.extent(0) == 0;
  if (!as_many_each)
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::rows_per_node", nodes,
        KOKKOS_LAMBDA(const Ordinal node, int& most, Ordinal& with_rows) {
          const auto count = static_cast<int>(layout.begin(node + 1) - layout.begin(node));
          most = Kokkos::max(most, count);
          with_rows += count > 0 ? 1 : 0;
        },
        Kokkos::Max<int>(order.rows_per_node), Kokkos::Sum<Ordinal>(order.nodes));
  order.rows_per_node = Kokkos::max(1, order.rows_per_node);
  order.new_to_old = make_kept<Ordinals<ExecutionSpace>>(work, "order::new_to_old", order.rows());
  order.old_to_new = make_kept<Ordinals<ExecutionSpace>>(work, "order::old_to_new", rows);
  const PlaceRows<ExecutionSpace> place{layout, node_order, order};
  if (as_many_each)
    Kokkos::parallel_for(label, nodes, KOKKOS_LAMBDA(const Ordinal rank) { place.write(rank, rank); });
  else if (layout.nodes > 0)
    scan(work, label, place, layout.nodes);
  return order;
}

/// The nodes along the Hilbert curve: by keys of 32 bits, which sort in half the time, unless the mesh is so
/// uneven that many nodes share a key.
/// \throws MeshError naming the first node with a coordinate that is not finite
template <class ExecutionSpace, class Coordinates>
Ordinals<ExecutionSpace> nodes_along_curve(const Workspace<ExecutionSpace>& work,
                                           const Coordinates& coordinates) {
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_node = none;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::check_coordinates",
      Range<ExecutionSpace>(work.exec, 0, static_cast<Ordinal>(coordinates.extent(0))),
      KOKKOS_LAMBDA(const Ordinal node, Ordinal& first_bad) {
        for (int d = 0; d < static_cast<int>(coordinates.extent(1)); ++d)
          if (!Kokkos::isfinite(coordinates(node, d))) first_bad = Kokkos::min(first_bad, node);
      },
      Kokkos::Min<Ordinal>(bad_node));
  if (bad_node != none)
    throw MeshError("Multigrid: node " + std::to_string(bad_node) + " has a coordinate that is not finite");
  const auto nodes = static_cast<Ordinal>(coordinates.extent(0));
  const auto dimension = static_cast<int>(coordinates.extent(1));
  const auto items = make_temporary<Ordinals<ExecutionSpace>>(work, "curve", nodes);
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const auto sort_by_cells = [&]<class Key>(Key, int bits) { // along each axis
    const auto keys = make_temporary<Kokkos::View<Key*, ExecutionSpace>>(work, "hilbert_keys", nodes);
    if (dimension == 2)
      tessera::detail::fill_hilbert_keys<2>(work.exec, coordinates, bits, keys);
    else
      tessera::detail::fill_hilbert_keys<3>(work.exec, coordinates, bits, keys);
    return sort_items(work, keys, dimension * bits, items);
  };
  const Ordinal ties = sort_by_cells(std::uint32_t{}, dimension == 2 ? 16 : 10);
  if (ties > nodes / tuning::few_ties) sort_by_cells(std::uint64_t{}, dimension == 2 ? 31 : 21);
  return items;
}

/// The finest level's order: along the Hilbert curve where coordinates are known.
template <class ExecutionSpace>
FineOrder<ExecutionSpace> fine_order(const Workspace<ExecutionSpace>& work,
                                     const MultigridNodes<ExecutionSpace>& nodes,
                                     const NodeRows<ExecutionSpace>& layout, Ordinal rows) {
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const auto order = nodes.coordinates.extent(0) > 0 ? nodes_along_curve(work, nodes.coordinates)
                                                     : tessera::detail::all_items(work.exec, layout.nodes);
  return order_rows(work, layout, order, rows);
}

} // namespace tessera::solvers::multigrid::detail

#pragma once

/// \file
/// Aggregates: the sets of rows that become the nodes of the next level, here runs of consecutive nodes.

#include <tessera/core/detail/counting_sort.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/reorder.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::solvers::multigrid {

/// The nodes of a level: consecutive rows, equally many for each node unless `begin` says otherwise.
template <class ExecutionSpace>
struct LevelNodes {
  Ordinal count = 0;
  int rows_per_node = 1;
  Ordinals<ExecutionSpace> begin;       // node (+1): its first row; empty if uniform
  Ordinals<ExecutionSpace> node_of_row; // empty if uniform

  KOKKOS_FUNCTION Ordinal row_begin(Ordinal node) const {
    return begin.extent(0) == 0 ? node * rows_per_node : begin(node);
  }
  KOKKOS_FUNCTION Ordinal of_row(Ordinal row) const {
    return node_of_row.extent(0) == 0 ? row / rows_per_node : node_of_row(row);
  }
};

/// Disjoint sets of a level's rows.
template <class ExecutionSpace>
struct Aggregates {
  Ordinal count = 0;
  Ordinals<ExecutionSpace> of_row; // row; -1: in none, the smoother alone takes care of it
  Ordinals<ExecutionSpace> begin;  // aggregate (+1): its first member
  Ordinals<ExecutionSpace> member; // rows, ascending within an aggregate; empty: member k is row k
  KOKKOS_FUNCTION Ordinal row(Ordinal k) const { return member.extent(0) == 0 ? k : member(k); }
};

/// Runs of `length` nodes in their order.
template <class ExecutionSpace>
Aggregates<ExecutionSpace> runs_of_nodes(const ExecutionSpace& exec, const LevelNodes<ExecutionSpace>& nodes,
                                         Ordinal rows, int length) {
  Aggregates<ExecutionSpace> result;
  result.count = nodes.count / length + (nodes.count % length > 0 ? 1 : 0);
  const auto of_row = result.of_row = make<Ordinals<ExecutionSpace>>(exec, "of_row", rows);
  const auto begin = result.begin = make<Ordinals<ExecutionSpace>>(exec, "begin", result.count + 1);
  const Ordinal count = result.count;
  Kokkos::parallel_for(
      "Tessera::Multigrid::runs", Range<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row) { of_row(row) = nodes.of_row(row) / length; });
  Kokkos::parallel_for(
      "Tessera::Multigrid::runs_begin", Range<ExecutionSpace>(exec, 0, count + 1),
      KOKKOS_LAMBDA(const Ordinal run) { begin(run) = run == count ? rows : nodes.row_begin(run * length); });
  return result;
}

/// Items sorted by keys of 30 or 62 bits; equal keys by number.
template <class Key, class ExecutionSpace>
Ordinals<ExecutionSpace> sorted_items(const ExecutionSpace& exec,
                                      const Kokkos::View<std::uint64_t*, ExecutionSpace>& keys,
                                      Ordinal& ties) {
  const auto count = static_cast<Ordinal>(keys.extent(0));
  if constexpr (runs_on_host<ExecutionSpace>) {
    const auto items = tessera::detail::radix_sort(exec, keys, sizeof(Key) == 4 ? 32 : 64);
    ties = 0;
    for (Ordinal i = 1; i < count; ++i) ties += keys(items(i)) == keys(items(i - 1)) ? 1 : 0;
    return items;
  } else {
    const auto items = tessera::detail::all_items(exec, count);
    const auto sorted = make<Kokkos::View<Key*, ExecutionSpace>>(exec, "keys", count);
    Kokkos::parallel_for(
        "Tessera::Multigrid::keys", Range<ExecutionSpace>(exec, 0, count),
        KOKKOS_LAMBDA(const Ordinal i) { sorted(i) = static_cast<Key>(keys(i)); });
    Kokkos::Experimental::sort_by_key(exec, sorted, items);
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::ties", Range<ExecutionSpace>(exec, 1, Kokkos::max(count, Ordinal(1))),
        KOKKOS_LAMBDA(const Ordinal i, Ordinal& sum) { sum += sorted(i) == sorted(i - 1) ? 1 : 0; }, ties);
    return items;
  }
}

/// The nodes along the Hilbert curve: by keys of 32 bits, which sort in half the time, unless the mesh is so
/// uneven that many nodes share a key.
/// \throws MeshError naming the first node with a coordinate that is not finite
template <class ExecutionSpace, class Coordinates>
Ordinals<ExecutionSpace> nodes_along_curve(const ExecutionSpace& exec, const Coordinates& coordinates) {
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_node = none;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::check_coordinates",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(coordinates.extent(0))),
      KOKKOS_LAMBDA(const Ordinal node, Ordinal& first_bad) {
        for (int d = 0; d < static_cast<int>(coordinates.extent(1)); ++d)
          if (!Kokkos::isfinite(coordinates(node, d))) first_bad = Kokkos::min(first_bad, node);
      },
      Kokkos::Min<Ordinal>(bad_node));
  if (bad_node != none)
    throw MeshError("Multigrid: node " + std::to_string(bad_node) + " has a coordinate that is not finite");
  const auto keys = [&](int bits2, int bits3) {
    return coordinates.extent(1) == 2 ? tessera::detail::hilbert_keys<2>(exec, coordinates, bits2)
                                      : tessera::detail::hilbert_keys<3>(exec, coordinates, bits3);
  };
  Ordinal ties = 0;
  const auto items = sorted_items<std::uint32_t>(exec, keys(16, 10), ties);
  if (ties <= static_cast<Ordinal>(items.extent(0)) / 16) return items;
  return sorted_items<std::uint64_t>(exec, keys(31, 21), ties);
}

/// Which rows belong to a node, in the order of the matrix that was given.
template <class ExecutionSpace>
struct NodeRows {
  Ordinal nodes = 0;
  int components = 1;
  Kokkos::View<const Ordinal*, ExecutionSpace> first; ///< node (+1); empty: each node has `components`
  KOKKOS_FUNCTION Ordinal begin(Ordinal node) const {
    return first.extent(0) == 0 ? node * components : first(node);
  }
};

/// The finest level's order of rows and its nodes.
template <class ExecutionSpace>
struct FineOrder {
  Ordinals<ExecutionSpace> new_to_old, old_to_new; // empty: as they are
  LevelNodes<ExecutionSpace> nodes;
};

/// Rows, and nodes that have rows, before a node.
struct NodePlace {
  Ordinal row = 0, node = 0;
  KOKKOS_FUNCTION NodePlace& operator+=(const NodePlace& other) {
    row += other.row;
    node += other.node;
    return *this;
  }
};

/// Orders rows by the given order of nodes; nodes without rows are left out.
template <class ExecutionSpace>
FineOrder<ExecutionSpace> order_rows(const ExecutionSpace& exec, const NodeRows<ExecutionSpace>& layout,
                                     const Ordinals<ExecutionSpace>& node_order, Ordinal rows) {
  FineOrder<ExecutionSpace> order;
  const auto new_to_old = order.new_to_old = make<Ordinals<ExecutionSpace>>(exec, "new_to_old", rows);
  const auto old_to_new = order.old_to_new = make<Ordinals<ExecutionSpace>>(exec, "old_to_new", rows);
  const bool uniform = layout.first.extent(0) == 0 || layout.components == 1;
  auto& nodes = order.nodes;
  nodes.rows_per_node = layout.components;
  if (!uniform) {
    nodes.begin = make<Ordinals<ExecutionSpace>>(exec, "node_begin", layout.nodes + 1);
    nodes.node_of_row = make<Ordinals<ExecutionSpace>>(exec, "node_of_row", rows);
  }
  const auto begin = nodes.begin, node_of_row = nodes.node_of_row;
  NodePlace total;
  Kokkos::parallel_scan(
      "Tessera::Multigrid::order_rows", Range<ExecutionSpace>(exec, 0, layout.nodes),
      KOKKOS_LAMBDA(const Ordinal rank, NodePlace& place, const bool final) {
        const Ordinal node = node_order(rank), first = layout.begin(node);
        const Ordinal count = layout.begin(node + 1) - first;
        if (count > 0 && final) {
          if (!uniform) begin(place.node) = place.row;
          for (Ordinal k = 0; k < count; ++k) {
            new_to_old(place.row + k) = first + k;
            old_to_new(first + k) = place.row + k;
            if (!uniform) node_of_row(place.row + k) = place.node;
          }
        }
        place.row += count;
        place.node += count > 0 ? 1 : 0;
      },
      total);
  nodes.count = total.node;
  if (!uniform) Kokkos::deep_copy(exec, Kokkos::subview(begin, nodes.count), rows);
  return order;
}

} // namespace tessera::solvers::multigrid

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The finest level: the given matrix in the level's order and scaled by its diagonal.

#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace tessera::solvers::multigrid::detail {

/// Bytes that small arrays share on devices: as many as the matrix has in single precision, within limits;
/// those that are given back at once may waste more.
template <class ExecutionSpace>
std::size_t chunk_bytes(const solvers::detail::CrsViews<double, ExecutionSpace>& a, std::size_t least,
                        std::size_t most) {
  return std::clamp(a.columns.extent(0) * sizeof(float), least, most);
}

/// About the bytes that a refresh needs for a while: a vector, later vectors of coarse levels.
template <class ExecutionSpace>
std::size_t refresh_bytes(const solvers::detail::CrsViews<double, ExecutionSpace>& a) {
  return sizeof(float) * a.row_map.extent(0) + tuning::mebibyte;
}

/// One allocation for the finest level's pattern, order and vectors and the prolongator's offsets, where
/// nodes have one row each.
template <class ExecutionSpace>
void reserve_finest(const Workspace<ExecutionSpace>& work,
                    const solvers::detail::CrsViews<double, ExecutionSpace>& a) {
  const std::size_t offsets = sizeof(Offset) * a.row_map.extent(0), own = sizeof(float) * a.rows();
  // Order and its inverse, scale, test vector and product, three vectors of the cycle.
  reserve(work, "finest", sizeof(Ordinal) * a.columns.extent(0), offsets, offsets, own, own, own, own, own,
          own, own, own);
}

/// The nodes that a node's rows have entries for.
template <class ExecutionSpace>
struct NeighborLists {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;

  KOKKOS_FUNCTION Ordinal first_row(Ordinal node) const {
    return order.new_to_old(node * order.rows_per_node);
  }
  KOKKOS_FUNCTION Ordinal items(Ordinal node) const {
    Ordinal rows = 0; // those of a node follow each other, those that fill it up come last
    while (rows < order.rows_per_node && order.new_to_old(node * order.rows_per_node + rows) >= 0) ++rows;
    return static_cast<Ordinal>(a.row_map(first_row(node) + rows) - a.row_map(first_row(node)));
  }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    insert(order.old_to_new(a.columns(a.row_map(first_row(node)) + item)) / order.rows_per_node);
  }
};

/// A row's columns in the level's order, one after the other.
template <class ExecutionSpace>
struct FineColumns {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;
  Graph<ExecutionSpace> graph;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const Offset to = graph.row_map(row), from = a.row_map(order.new_to_old(row));
    fetch_later_row(a, order.new_to_old, row);
    if constexpr (runs_on_host<ExecutionSpace>)
      return gather_row(order.old_to_new.data(), a.columns.data() + from, graph.length(row),
                        graph.columns.data() + to);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, graph.length(row)),
                         [&](Ordinal k) { graph.columns(to + k) = order.old_to_new(a.columns(from + k)); });
  }
};

/// Rows of scalar nodes in the level's order. Columns are in the order of the given matrix.
template <class ExecutionSpace>
Graph<ExecutionSpace> scalar_graph(const Workspace<ExecutionSpace>& work,
                                   const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                   const FineOrder<ExecutionSpace>& order) {
  const auto row_map = make_kept<Offsets<ExecutionSpace>>(work, "finest::row_map", order.nodes + 1);
  const auto columns = make_kept<Ordinals<ExecutionSpace>>(work, "finest::columns", a.columns.extent(0));
  const auto new_to_old = order.new_to_old;
  const Lengths lengths = scan_lengths(
      work, row_map, KOKKOS_LAMBDA(const Ordinal row) {
        return a.row_map(new_to_old(row) + 1) - a.row_map(new_to_old(row));
      });
  const Graph<ExecutionSpace> graph{row_map, columns, static_cast<Ordinal>(lengths.longest)};
  for_each_row(work.exec, "Tessera::Multigrid::fine_columns", order.nodes,
               lanes_for(columns.extent(0), order.nodes), 0, FineColumns<ExecutionSpace>{a, order, graph});
  return graph;
}

/// The finest level's pattern, a block for each pair of nodes that are coupled; without values.
template <class ExecutionSpace>
Matrix<ExecutionSpace> fine_pattern(const Workspace<ExecutionSpace>& work,
                                    const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                    const FineOrder<ExecutionSpace>& order) {
  const int width = order.rows_per_node;
  const auto graph = width == 1 ? scalar_graph(work, a, order)
                                : unions(work, "fine_pattern", NeighborLists<ExecutionSpace>{a, order},
                                         order.nodes, order.nodes, 32, 32);
  return {graph, {}, width, width};
}

} // namespace tessera::solvers::multigrid::detail

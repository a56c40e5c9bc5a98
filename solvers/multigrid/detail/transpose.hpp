#pragma once

/// \file
/// Transposes of graphs and matrices, rows sorted.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// Sorts the numbers of each list: lanes count, each for its numbers, how many are smaller.
template <class ExecutionSpace>
struct SortLists {
  Graph<ExecutionSpace> graph;
  Ordinals<ExecutionSpace> unsorted;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal item, int) const {
    const Ordinal* const from = unsorted.data() + graph.row_map(item);
    Ordinal* const to = graph.columns.data() + graph.row_map(item);
    const Ordinal count = graph.length(item);
    if constexpr (runs_on_host<ExecutionSpace>) {
      for (Ordinal k = 0; k < count; ++k) to[k] = from[k];
      tessera::detail::sort_ascending(to, count);
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        Ordinal rank = 0;
        for (Ordinal other = 0; other < count; ++other) rank += from[other] < from[k] ? 1 : 0;
        to[rank] = from[k];
      });
    }
  }
};

/// The transpose of a graph whose lists have numbers below `columns`.
template <class ExecutionSpace>
Graph<ExecutionSpace> transposed(const ExecutionSpace& exec, const Graph<ExecutionSpace>& graph,
                                 Ordinal columns) {
  const std::size_t entries = graph.columns.extent(0);
  const Graph<ExecutionSpace> result{make<Offsets<ExecutionSpace>>(exec, "row_map", columns + 1),
                                     make<Ordinals<ExecutionSpace>>(exec, "columns", entries)};
  const auto place = make_temporary<Ordinals<ExecutionSpace>>(exec, "place", columns);
  Kokkos::deep_copy(exec, place, 0);
  const Range<ExecutionSpace> items(exec, 0, graph.count());
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_count", items, KOKKOS_LAMBDA(const Ordinal item) {
        for (Offset k = graph.row_map(item); k < graph.row_map(item + 1); ++k)
          Kokkos::atomic_inc(&place(graph.columns(k)));
      });
  scan_known_lengths(
      exec, result.row_map,
      KOKKOS_LAMBDA(const Ordinal column) { return static_cast<Offset>(place(column)); });
  // The order in which threads arrive is any; sorting takes it out.
  const auto unsorted = make_temporary<Ordinals<ExecutionSpace>>(exec, "unsorted", entries);
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_fill", items, KOKKOS_LAMBDA(const Ordinal item) {
        for (Offset k = graph.row_map(item); k < graph.row_map(item + 1); ++k) {
          const Ordinal column = graph.columns(k);
          unsorted(result.row_map(column + 1) - Kokkos::atomic_fetch_add(&place(column), -1)) = item;
        }
      });
  for_each_row(exec, "Tessera::Multigrid::transpose_sort", columns, lanes_for(entries, columns), 0,
               SortLists<ExecutionSpace>{result, unsorted});
  return result;
}

/// Fills the values of a transpose: each block is looked up in the short list that it comes from.
template <class ExecutionSpace>
struct TransposedValues {
  Matrix<ExecutionSpace> matrix, transpose;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const auto& graph = transpose.graph;
    const Offset first = graph.row_map(row);
    const Ordinal count = graph.length(row);
    const int rows = transpose.block_rows, columns = transpose.block_columns;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
      const Ordinal source = graph.columns(first + k);
      const Ordinal at = tessera::detail::place_in(matrix.graph.columns.data() + matrix.graph.row_map(source),
                                                   matrix.graph.length(source), row);
      for (int c = 0; c < columns; ++c) {
        const Offset from = matrix.row_begin(source, c) + static_cast<Offset>(at) * rows;
        for (int r = 0; r < rows; ++r)
          transpose.values(transpose.row_begin(row, r) + static_cast<Offset>(k) * columns + c) =
              matrix.values(from + r);
      }
    });
  }
};

template <class ExecutionSpace>
void transposed_values(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                       const Matrix<ExecutionSpace>& transpose) {
  const Ordinal rows = transpose.nodes();
  for_each_row(exec, "Tessera::Multigrid::transpose_values", rows,
               lanes_for(transpose.graph.columns.extent(0), rows), 0,
               TransposedValues<ExecutionSpace>{matrix, transpose});
}

} // namespace tessera::solvers::multigrid

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Transposes of graphs and matrices, rows sorted.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::sparse::detail {

/// Sorts the numbers of each list: lanes count, each for its numbers, how many are smaller.
template <class ExecutionSpace>
struct SortLists {
  Graph<ExecutionSpace> graph;
  Ordinals<ExecutionSpace> unsorted;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal item, int) const {
    const Ordinal* const from = unsorted.data() + graph.row_map(item);
    Ordinal* const to = graph.columns.data() + graph.row_map(item);
    const Ordinal count = graph.length(item);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
      Ordinal rank = 0;
      for (Ordinal other = 0; other < count; ++other) rank += from[other] < from[k] ? 1 : 0;
      to[rank] = from[k];
    });
  }
};

/// Runs of items, a thread of the host each, which leave lists in order.
template <class ExecutionSpace>
struct Runs {
  Ordinal items, count, length;
  Kokkos::View<Ordinal**, Kokkos::LayoutRight, ExecutionSpace> next; // run × column: place of its next item

  Runs(const Workspace<ExecutionSpace>& work, Ordinal all, Ordinal columns)
      : items(all), count(Kokkos::max(1, work.exec.concurrency())), length(items / count + 1),
        next(make_temporary<decltype(next)>(work, "next", count, columns)) {}

  Range<ExecutionSpace> range(const ExecutionSpace& exec) const { return {exec, 0, count}; }
  KOKKOS_FUNCTION Ordinal begin(Ordinal run) const {
    return run < count && run <= items / length ? run * length : items;
  }
};

/// The transpose on hosts: runs count the items of each column, and then write theirs from there on.
template <class ExecutionSpace>
Graph<ExecutionSpace> transposed_by_runs(const Workspace<ExecutionSpace>& work,
                                         const Graph<ExecutionSpace>& graph, Ordinal columns) {
  const Graph<ExecutionSpace> result{
      make_kept<Offsets<ExecutionSpace>>(work, "transpose::row_map", columns + 1),
      make_kept<Ordinals<ExecutionSpace>>(work, "transpose::columns", graph.columns.extent(0))};
  const Runs<ExecutionSpace> runs(work, graph.count(), columns);
  Kokkos::parallel_for(
      "Tessera::Sparse::transpose_count", runs.range(work.exec), KOKKOS_LAMBDA(const Ordinal run) {
        Ordinal* const counts = runs.next.data() + static_cast<Offset>(run) * columns;
        for (Ordinal column = 0; column < columns; ++column) counts[column] = 0;
        const Offset end = graph.row_map(runs.begin(run + 1));
        for (Offset k = graph.row_map(runs.begin(run)); k < end; ++k) ++counts[graph.columns(k)];
      });
  scan_known_lengths(
      work, result.row_map, KOKKOS_LAMBDA(const Ordinal column) {
        Offset sum = 0;
        for (Ordinal run = 0; run < runs.count; ++run) sum += runs.next(run, column);
        return sum;
      });
  Kokkos::parallel_for(
      "Tessera::Sparse::transpose_begin", Range<ExecutionSpace>(work.exec, 0, columns),
      KOKKOS_LAMBDA(const Ordinal column) {
        for (Ordinal run = 0, before = 0; run < runs.count; ++run) {
          const Ordinal own = runs.next(run, column);
          runs.next(run, column) = before;
          before += own;
        }
      });
  Kokkos::parallel_for(
      "Tessera::Sparse::transpose_fill", runs.range(work.exec), KOKKOS_LAMBDA(const Ordinal run) {
        for (Ordinal item = runs.begin(run); item < runs.begin(run + 1); ++item)
          for (Offset k = graph.row_map(item); k < graph.row_map(item + 1); ++k) {
            const Ordinal column = graph.columns(k);
            result.columns(result.row_map(column) + runs.next(run, column)++) = item;
          }
      });
  return result;
}

/// The transpose of a graph whose lists have numbers below `columns`.
template <class ExecutionSpace>
Graph<ExecutionSpace> transposed(const Workspace<ExecutionSpace>& work, const Graph<ExecutionSpace>& graph,
                                 Ordinal columns) {
  if constexpr (runs_on_host<ExecutionSpace>) return transposed_by_runs(work, graph, columns);
  const std::size_t entries = graph.columns.extent(0);
  const Graph<ExecutionSpace> result{
      make_kept<Offsets<ExecutionSpace>>(work, "transpose::row_map", columns + 1),
      make_kept<Ordinals<ExecutionSpace>>(work, "transpose::columns", entries)};
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const auto place = make_temporary<Ordinals<ExecutionSpace>>(work, "place", columns);
  Kokkos::deep_copy(work.exec, place, 0);
  const Range<ExecutionSpace> items(work.exec, 0, graph.count());
  Kokkos::parallel_for(
      "Tessera::Sparse::transpose_count", items, KOKKOS_LAMBDA(const Ordinal item) {
        for (Offset k = graph.row_map(item); k < graph.row_map(item + 1); ++k)
          Kokkos::atomic_inc(&place(graph.columns(k)));
      });
  scan_known_lengths(
      work, result.row_map,
      KOKKOS_LAMBDA(const Ordinal column) { return static_cast<Offset>(place(column)); });
  // The order in which threads arrive is any; sorting takes it out.
  const auto unsorted = make_temporary<Ordinals<ExecutionSpace>>(work, "unsorted", entries);
  Kokkos::parallel_for(
      "Tessera::Sparse::transpose_fill", items, KOKKOS_LAMBDA(const Ordinal item) {
        for (Offset k = graph.row_map(item); k < graph.row_map(item + 1); ++k) {
          const Ordinal column = graph.columns(k);
          unsorted(result.row_map(column + 1) - Kokkos::atomic_fetch_add(&place(column), -1)) = item;
        }
      });
  for_each_row(work.exec, "Tessera::Sparse::transpose_sort", columns, lanes_for(entries, columns), 0,
               SortLists<ExecutionSpace>{result, unsorted});
  return result;
}

/// Fills the values of a transpose: each block is looked up in the short list that it comes from.
template <class ExecutionSpace, class Scalar>
struct TransposedValues {
  Matrix<ExecutionSpace, Scalar> matrix, transpose;

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

/// Fills the values of a transpose on hosts: each run goes through its rows.
template <class ExecutionSpace, class Scalar>
struct TransposedRuns {
  Matrix<ExecutionSpace, Scalar> matrix, transpose;
  Runs<ExecutionSpace> runs;

  KOKKOS_FUNCTION void operator()(Ordinal run) const {
    const auto& graph = transpose.graph;
    Ordinal* const next = runs.next.data() + static_cast<Offset>(run) * graph.count();
    for (Ordinal row = 0; row < graph.count(); ++row)
      next[row] = tessera::detail::place_in(graph.columns.data() + graph.row_map(row), graph.length(row),
                                            runs.begin(run));
    if (matrix.scalar()) return copy_scalars(run, next);
    const int rows = transpose.block_rows, columns = transpose.block_columns;
    for (Ordinal item = runs.begin(run); item < runs.begin(run + 1); ++item) {
      const Offset begin = matrix.graph.row_map(item);
      for (Ordinal k = 0; k < matrix.graph.length(item); ++k) {
        const Ordinal row = matrix.graph.columns(begin + k);
        const Offset to = static_cast<Offset>(next[row]++) * columns;
        for (int c = 0; c < columns; ++c)
          for (int r = 0; r < rows; ++r)
            transpose.values(transpose.row_begin(row, r) + to + c) =
                matrix.values(matrix.row_begin(item, c) + static_cast<Offset>(k) * rows + r);
      }
    }
  }

  /// All entries of a run follow one another.
  KOKKOS_FUNCTION void copy_scalars(Ordinal run, Ordinal* next) const {
    const Offset* const row_map = transpose.graph.row_map.data();
    const Ordinal* const columns = matrix.graph.columns.data();
    const Scalar* const values = matrix.values.data();
    Scalar* const to = transpose.values.data();
    const Offset end = matrix.graph.row_map(runs.begin(run + 1));
    for (Offset k = matrix.graph.row_map(runs.begin(run)); k < end; ++k)
      to[row_map[columns[k]] + next[columns[k]]++] = values[k];
  }
};

template <class ExecutionSpace, class Scalar>
void transposed_values(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace, Scalar>& matrix,
                       const Matrix<ExecutionSpace, Scalar>& transpose) {
  constexpr const char* label = "Tessera::Sparse::transpose_values";
  const Ordinal rows = transpose.nodes();
  if constexpr (runs_on_host<ExecutionSpace>) {
    const Runs<ExecutionSpace> runs(work, matrix.nodes(), rows);
    Kokkos::parallel_for(label, runs.range(work.exec),
                         TransposedRuns<ExecutionSpace, Scalar>{matrix, transpose, runs});
  } else {
    for_each_row(work.exec, label, rows, lanes_for(transpose.graph.columns.extent(0), rows), 0,
                 TransposedValues<ExecutionSpace, Scalar>{matrix, transpose});
  }
}

} // namespace tessera::solvers::sparse::detail

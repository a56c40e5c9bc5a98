// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The arrays of a multigrid hierarchy: columns of 32 bits, offsets of 64, values in single precision.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/detail/scan_lengths.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/memory/workspace.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace tessera::solvers::sparse::detail {

template <class ExecutionSpace>
using Ordinals = Kokkos::View<Ordinal*, ExecutionSpace>;
template <class ExecutionSpace>
using Offsets = Kokkos::View<Offset*, ExecutionSpace>;
template <class ExecutionSpace>
using Floats = Kokkos::View<float*, ExecutionSpace>;
template <class ExecutionSpace>
using Doubles = Kokkos::View<double*, ExecutionSpace>;
template <class ExecutionSpace>
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;

/// A vector per near-null mode, row × mode.
template <class ExecutionSpace>
using Modes = Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>;

/// A list of numbers for each of some items.
template <class ExecutionSpace>
struct Graph {
  Offsets<ExecutionSpace> row_map;  // item (+1)
  Ordinals<ExecutionSpace> columns; // ascending for each item unless said otherwise
  Ordinal longest = 0;              // list; 0 if it is not known

  KOKKOS_FUNCTION Ordinal count() const {
    return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1);
  }
  KOKKOS_FUNCTION Ordinal length(Ordinal item) const {
    return static_cast<Ordinal>(row_map(item + 1) - row_map(item));
  }
  std::size_t bytes() const { return bytes_of(row_map) + bytes_of(columns); }
};

/// Length from which on lists are long: rows of unknowns that belong to a whole surface, for one, couple what
/// is far apart.
template <class ExecutionSpace>
Ordinal long_row(const Graph<ExecutionSpace>& graph) {
  const Offset rows = std::max(Ordinal{1}, graph.count());
  return static_cast<Ordinal>(
      std::max(Offset{tuning::long_list},
               tuning::long_list_of_average * static_cast<Offset>(graph.columns.extent(0)) / rows));
}

/// Whether a graph, whose longest list is known, has long ones.
template <class ExecutionSpace>
bool has_long_rows(const Graph<ExecutionSpace>& graph) {
  return graph.longest >= long_row(graph);
}

/// A sparse matrix of small dense blocks, in single precision as a rule: a graph of nodes with `block_rows` ×
/// `block_columns` values for each entry, one for scalar problems. The rows of a node follow each other, and
/// in each row its values in the order of columns: with one value a block this is compressed row storage.
template <class ExecutionSpace, class Scalar = float>
struct Matrix {
  Graph<ExecutionSpace> graph;
  Kokkos::View<Scalar*, ExecutionSpace> values;
  int block_rows = 1, block_columns = 1;

  KOKKOS_FUNCTION bool scalar() const { return block_rows * block_columns == 1; }
  KOKKOS_FUNCTION Ordinal nodes() const { return graph.count(); }
  KOKKOS_FUNCTION Ordinal rows() const { return graph.count() * block_rows; }
  Offset entries() const { return static_cast<Offset>(graph.columns.extent(0)) * block_rows * block_columns; }
  std::size_t bytes() const { return graph.bytes() + bytes_of(values); }

  /// First value of a node's row.
  KOKKOS_FORCEINLINE_FUNCTION Offset row_begin(Ordinal node, int row) const {
    const Offset first = graph.row_map(node), length = graph.row_map(node + 1) - first;
    return (first * block_rows + length * row) * block_columns;
  }

  /// Calls visit(column, value) for the entries of a row; the value is a reference.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_entry(Ordinal row, const Visit& visit) const {
    const Ordinal node = block_rows == 1 ? row : row / block_rows;
    Offset at = row_begin(node, row - node * block_rows);
    const Offset end = graph.row_map(node + 1);
    if constexpr (runs_on_host<ExecutionSpace>)
      if (block_columns == 1) { // a loop that vectorises
        for (Offset k = graph.row_map(node); k < end; ++k, ++at) visit(graph.columns(k), values(at));
        return;
      }
    for (Offset k = graph.row_map(node); k < end; ++k)
      for (int c = 0; c < block_columns; ++c, ++at) visit(graph.columns(k) * block_columns + c, values(at));
  }

  /// The same with visit(column).
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_column(Ordinal row, const Visit& visit) const {
    const Ordinal node = block_rows == 1 ? row : row / block_rows;
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k)
      for (int c = 0; c < block_columns; ++c) visit(graph.columns(k) * block_columns + c);
  }

  /// Whether is(column, value) for an entry of a row.
  template <class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION bool any_entry(Ordinal row, const Predicate& is) const {
    const Ordinal node = block_rows == 1 ? row : row / block_rows;
    Offset at = row_begin(node, row - node * block_rows);
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k)
      for (int c = 0; c < block_columns; ++c, ++at)
        if (is(graph.columns(k) * block_columns + c, values(at))) return true;
    return false;
  }
};

/// One allocation for the columns and values of a matrix.
template <class ExecutionSpace>
void reserve_matrix(const Workspace<ExecutionSpace>& work, const std::string& what, Offset entries,
                    int values_each) {
  reserve(work, what, sizeof(Ordinal) * entries, sizeof(float) * entries * values_each);
}

/// A matrix with a given pattern, its values left open.
/// \param what  it is; the label of its values.
template <class ExecutionSpace>
Matrix<ExecutionSpace> matrix_on(const Workspace<ExecutionSpace>& work, const std::string& what,
                                 const Graph<ExecutionSpace>& graph, int block_rows, int block_columns) {
  const std::size_t entries = graph.columns.extent(0) * block_rows * block_columns;
  return {graph, make_kept<Floats<ExecutionSpace>>(work, what + "::values", entries), block_rows,
          block_columns};
}

/// Calls lists.store(item, sums) with the sums of lists.lengths, see `tessera::detail::scan_lengths`.
/// \return the sums of all, and the longest, in the execution space's memory
template <class ExecutionSpace, class Lists>
auto scan(const Workspace<ExecutionSpace>& work, const char* label, const Lists& lists, Ordinal items) {
  constexpr bool teams = !runs_on_host<ExecutionSpace>;
  using Sums = Kokkos::View<tessera::detail::LengthSums<Lists::kinds>*, ExecutionSpace>;
  const Ordinal capacity = tessera::detail::scan_capacity<teams, ExecutionSpace, Lists>(items);
  const auto sums = make_temporary<Sums>(work, "sums", capacity);
  tessera::detail::scan_lengths<teams>(work.exec, label, lists, items, sums);
  return Kokkos::subview(sums, capacity - 1);
}

/// The same on the host, which waits.
template <class ExecutionSpace, class Lists>
auto scan_total(const Workspace<ExecutionSpace>& work, const char* label, const Lists& lists, Ordinal items) {
  const auto sums = scan(work, label, lists, items);
  tessera::detail::LengthSums<Lists::kinds> total;
  Kokkos::deep_copy(work.exec, total, sums);
  work.exec.fence(label);
  return total;
}

/// Sum and maximum of lengths.
struct Lengths {
  Offset sum = 0, longest = 0;
};

/// Offsets from lengths: row_map(0) = 0, row_map(i + 1) = row_map(i) + length(i).
template <class ExecutionSpace, class Length>
struct RowLengths {
  static constexpr int kinds = 1;
  Offsets<ExecutionSpace> row_map;
  Length length;

  KOKKOS_FUNCTION tessera::detail::LengthSums<1> lengths(Ordinal i) const {
    const Offset own = i == 0 ? 0 : length(i - 1);
    return {.sum = {own}, .longest = {own}};
  }
  KOKKOS_FUNCTION void store(Ordinal i, const Kokkos::Array<Offset, 1>& through) const {
    row_map(i) = through[0];
  }
};

template <class ExecutionSpace, class Length>
Lengths scan_lengths(const Workspace<ExecutionSpace>& work, const Offsets<ExecutionSpace>& row_map,
                     const Length& length) {
  const auto total = scan_total(work, "Tessera::Sparse::scan_lengths",
                                RowLengths<ExecutionSpace, Length>{row_map, length}, row_map.extent_int(0));
  return {total.sum[0], total.longest[0]};
}

/// The same where the sum is known, and nobody waits for it.
template <class ExecutionSpace, class Length>
void scan_known_lengths(const Workspace<ExecutionSpace>& work, const Offsets<ExecutionSpace>& row_map,
                        const Length& length) {
  scan(work, "Tessera::Sparse::scan_lengths", RowLengths<ExecutionSpace, Length>{row_map, length},
       row_map.extent_int(0));
}

/// Turns lengths in row_map(1) … row_map(rows) into offsets, row_map(0) = 0.
template <class ExecutionSpace>
Lengths lengths_to_offsets(const Workspace<ExecutionSpace>& work, const Offsets<ExecutionSpace>& row_map) {
  return scan_lengths(work, row_map, KOKKOS_LAMBDA(const Ordinal i) { return row_map(i + 1); });
}

} // namespace tessera::solvers::sparse::detail

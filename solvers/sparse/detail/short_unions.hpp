// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Patterns of rows that have few numbers.

#include <tessera/solvers/sparse/detail/host_lists.hpp>
#include <tessera/solvers/sparse/detail/overflows.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera::solvers::sparse::detail {

/// Counts, then writes the distinct numbers of a matrix's columns by one thread a row, an ascending list in
/// registers: for rows with few numbers. `Numbers` has number(column), negative for none, and
/// none(row), whether a row has none at all.
template <class ExecutionSpace, class Numbers>
struct ShortUnionRows {
  static constexpr int most = 16; // twice `few`
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  static constexpr int few = 8;

  Numbers numbers;
  Graph<ExecutionSpace> graph; // row_map: lengths after counting, offsets before writing
  bool write;

  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries) const {
#ifdef TESSERA_GATHERS
    if constexpr (runs_on_host<ExecutionSpace>) return by_lanes(row, entries.matrix.graph);
#endif
    Ordinal list[most];
    for (int k = 0; k < most; ++k) list[k] = none;
    bool fits = true;
    entries.each_column([&](Ordinal column) { // goes up the list, and is left at the first larger one
      Ordinal number = numbers.number(column);
      if (number < 0) return;
      insert<0>(list, number);
      if (number == none) return; // as in most rows
      insert<few>(list, number);
      fits = fits && number == none;
    });
    if (!entries.is_row()) return;
    const bool empty = numbers.none(row);
    const Offset begin = write ? graph.row_map(row) : 0;
    Offset count = 0;
    for (int k = 0; k < most; ++k) {
      if (empty || list[k] == none) continue;
      if (write) graph.columns(begin + count) = list[k];
      ++count;
    }
    if (!write) graph.row_map(row + 1) = fits ? count : overflow;
  }

#ifdef TESSERA_GATHERS
  KOKKOS_FUNCTION void by_lanes(Ordinal row, const Graph<ExecutionSpace>& lists) const {
    DistinctLanes list;
    if (!numbers.none(row))
      list.add(lists.columns.data() + lists.row_map(row), lists.length(row),
               [&](avx512::Ints16 columns) { return numbers.aggregates.of(columns); });
    if (write)
      list.write(graph.columns.data() + graph.row_map(row));
    else
      graph.row_map(row + 1) = list.fits() ? static_cast<Offset>(list.count()) : overflow;
  }
#endif

  /// Puts a number into half of the list; what is left is the largest, none if there was room.
  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION static void insert(Ordinal (&list)[most], Ordinal& number) {
    for (int k = Begin; k < Begin + few; ++k) {
      const Ordinal kept = list[k];
      list[k] = Kokkos::min(kept, number);
      number = number == kept ? none : Kokkos::max(kept, number);
    }
  }
};

/// \param what    they are; the label of kernels and arrays.
/// \param expect  expect(count) is called before so many numbers are made.
/// \return whether all rows are short enough; the graph is left as it was if not
template <class ExecutionSpace, class Numbers, class Expect>
bool short_unions(const Workspace<ExecutionSpace>& work, const std::string& what,
                  const Matrix<ExecutionSpace>& matrix, const Numbers& numbers, const Expect& expect,
                  Graph<ExecutionSpace>& graph) {
  using Body = ShortUnionRows<ExecutionSpace, Numbers>;
  Body body{
      numbers, {make_kept<Offsets<ExecutionSpace>>(work, what + "::row_map", matrix.rows() + 1), {}}, false};
  const std::string label = work.label(what);
  for_each_staged_row<false>(work.exec, label, matrix, body);
  const Lengths lengths = lengths_to_offsets(work, body.graph.row_map);
  if (lengths.longest >= overflow) return false;
  expect(lengths.sum);
  body.graph.columns = make_kept<Ordinals<ExecutionSpace>>(work, what + "::columns", lengths.sum);
  body.graph.longest = static_cast<Ordinal>(lengths.longest);
  body.write = true;
  for_each_staged_row<false>(work.exec, label, matrix, body);
  graph = body.graph;
  return true;
}

} // namespace tessera::solvers::sparse::detail

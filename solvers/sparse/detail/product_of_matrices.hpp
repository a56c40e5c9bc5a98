// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Products of two matrices: the pattern of any, the values of single values a block. No sum depends on the
/// order of threads.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::sparse::detail {

/// For each item the numbers that a second graph lists for the numbers of a first: the pattern of a product.
template <class ExecutionSpace>
struct ProductLists {
  Graph<ExecutionSpace> left, right;
  int lanes = 1; // that share a list of the second graph

  KOKKOS_FUNCTION Ordinal items(Ordinal item) const { return left.length(item) * lanes; }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal item, Ordinal share, const Insert& insert) const {
    const Ordinal number = left.columns(left.row_map(item) + share / lanes);
    for (Offset k = right.row_map(number) + share % lanes; k < right.row_map(number + 1); k += lanes)
      insert(right.columns(k));
  }
};

/// Values of C = A B, a thread a row: terms are added up in the order of A's and B's entries.
template <class ExecutionSpace, class Scalar>
struct ProductValues {
  Matrix<ExecutionSpace, Scalar> a, b, c;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset first = c.graph.row_map(row);
    const Ordinal length = c.graph.length(row);
    const Ordinal* const columns = c.graph.columns.data() + first;
    Scalar* const values = c.values.data() + c.row_begin(row, 0);
    const Ordinal block = c.block_columns;
    for (Ordinal k = 0; k < length * block; ++k) values[k] = 0;
    a.each_entry(row, [&](Ordinal inner, Scalar factor) {
      for (Offset k = b.graph.row_map(inner); k < b.graph.row_map(inner + 1); ++k) {
        const Scalar* const from = b.values.data() + k * static_cast<Offset>(block);
        Scalar* const to = values + tessera::detail::place_in(columns, length, b.graph.columns(k)) * block;
        for (Ordinal column = 0; column < block; ++column) {
          const Scalar term = factor * from[column];
          to[column] += term;
        }
      }
    });
  }
};

/// A B of single rows, columns ascending; those of B may come in blocks.
/// \param what     it is; the label of kernels and arrays.
/// \param columns  of B, or blocks of them.
/// \throws OutOfMemoryError as `allocate`
template <class ExecutionSpace, class Scalar>
Matrix<ExecutionSpace, Scalar> product(const Workspace<ExecutionSpace>& work, const std::string& what,
                                       const Matrix<ExecutionSpace, Scalar>& a,
                                       const Matrix<ExecutionSpace, Scalar>& b, Ordinal columns) {
  constexpr int lanes = 32;
  Matrix<ExecutionSpace, Scalar> c;
  c.block_columns = b.block_columns;
  c.graph = unions(work, what, ProductLists<ExecutionSpace>{a.graph, b.graph}, a.rows(), columns, lanes,
                   tuning::product_row_capacity);
  c.values = make_kept<Kokkos::View<Scalar*, ExecutionSpace>>(
      work, what + "::values", c.graph.columns.extent(0) * to_size(c.block_columns));
  Kokkos::parallel_for(work.label(what), Range<ExecutionSpace>(work.exec, 0, c.rows()),
                       ProductValues<ExecutionSpace, Scalar>{a, b, c});
  return c;
}

} // namespace tessera::solvers::sparse::detail

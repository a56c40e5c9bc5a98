// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The reduction of element data as a sparse product (paper 1, section 4.2.4).

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/common/detail/sum_matrix.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/common/traffic.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// The matrix S of [A F] = S G, cut by rows, as the system's arrays lie apart.
template <class ExecutionSpace>
struct SystemSums {
  tessera::detail::SumMatrix<ExecutionSpace> matrix; ///< a row per value of A
  tessera::detail::SumMatrix<ExecutionSpace> rhs;    ///< a row per entry of F

  std::size_t bytes() const { return matrix.bytes() + rhs.bytes(); }
};

/// Collects the ones of S in two sweeps over the elements around each node, whose rows it owns: counts, then
/// columns. `LocalElement` as in `reduction_array`.
template <class Element, class ExecutionSpace, class LocalElement>
struct SumBuilder {
  Kokkos::View<const Ordinal**, ExecutionSpace> connectivity;
  NodeToElement<ExecutionSpace> incidence;
  SparsityGraph<ExecutionSpace> graph;
  ElementToValues<Element, ExecutionSpace> map;
  LocalElement local;
  ElementDataOrder order;
  Offset entries; ///< numbers of an element
  SystemSums<ExecutionSpace> sums;

  struct Count {};
  struct Fill {};
  using Sum = tessera::detail::SumMatrix<ExecutionSpace>;

  KOKKOS_FUNCTION Ordinal column(Ordinal number, int entry) const {
    return static_cast<Ordinal>(interleaved_place(interleave_width<ExecutionSpace>, entries, entry, number));
  }

  /// Calls `visit(sum, row, column)` for every one in the rows of a node, from its last element to its first.
  template <class Visit>
  KOKKOS_FUNCTION void each_one(Ordinal node, const Visit& visit) const {
    const auto& equations = graph.equations;
    for (Offset p = incidence.offsets(node + 1); p-- > incidence.offsets(node);) {
      const Ordinal e = incidence.elements(p), number = local(0, e);
      if (number < 0) continue;
      const int i = incidence.local_nodes(p);
      for (int a = 0; a < order.components; ++a) {
        if (equations.is_constrained(node, a)) continue;
        const Ordinal row = equations.equation(node, a);
        visit(sums.rhs, row, column(number, order.load(i, a)));
        for (int j = 0; j < Element::nodes; ++j) {
          const Ordinal other = connectivity(e, j);
          const Offset first = graph.row_map(row) + map.position(e, i, j);
          for (int b = 0; b < order.components; ++b)
            if (!equations.is_constrained(other, b))
              visit(sums.matrix, first + equations.rank(other, b), column(number, order.matrix(i, a, j, b)));
        }
      }
    }
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal node) const {
    each_one(node, [](const Sum& sum, Offset row, Ordinal) { ++sum.row_map(row); });
  }
  /// From the end of each row, which the row map still holds, to its beginning.
  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    each_one(node,
             [](const Sum& sum, Offset row, Ordinal column) { sum.columns(--sum.row_map(row)) = column; });
  }
};

/// From the lengths of rows to their ends; the last number is zero before and the total after.
template <class ExecutionSpace>
struct EndsOfRows {
  Kokkos::View<Offset*, ExecutionSpace> row_map;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset& sum, bool final) const {
    sum += row_map(row);
    if (final) row_map(row) = sum;
  }
};

template <class ExecutionSpace>
tessera::detail::SumMatrix<ExecutionSpace> sum_matrix_of(const ExecutionSpace& exec, const std::string& who,
                                                         Offset rows, Ordinal columns) {
  constexpr Offset most = std::numeric_limits<Ordinal>::max() - 1;
  if (rows > most)
    throw UnsupportedError(who + ": the system has " + std::to_string(rows) +
                           " entries, a sparse product at most " + std::to_string(most) + " rows");
  tessera::detail::SumMatrix<ExecutionSpace> sum;
  sum.num_columns = columns;
  sum.row_map = allocate_zeroed<decltype(sum.row_map)>(exec, "Tessera::SumMatrix::row_map", rows + 1);
  return sum;
}

/// Makes room for the columns of rows whose lengths have been counted.
template <class ExecutionSpace>
void size_rows(const ExecutionSpace& exec, tessera::detail::SumMatrix<ExecutionSpace>& sum) {
  Offset total = 0;
  Kokkos::parallel_scan(
      "Tessera::SumMatrix::scan",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(sum.row_map.extent(0))),
      EndsOfRows<ExecutionSpace>{sum.row_map}, total);
  sum.columns = allocate<decltype(sum.columns)>(exec, "Tessera::SumMatrix::columns", total);
  sum.values = allocate<decltype(sum.values)>(exec, "Tessera::SumMatrix::values", total);
  Kokkos::deep_copy(exec, sum.values, std::int8_t(1));
}

/// How many elements the matrices of one pass can name: fewer than 2^31 columns, and as many entries.
template <class ExecutionSpace>
Offset most_summed_elements(int nodes, int components) {
  return std::numeric_limits<Ordinal>::max() / element_data_entries(nodes, components, false) -
         interleave_width<ExecutionSpace>;
}

/// Builds S for the data of some elements in global memory; deterministic.
///
/// \param local `local(0, e)`: the number of mesh element e in the data, -1 if it is not there
/// \param elements how many there are, at most `most_summed_elements`
/// \param symmetric whether the data is that of a symmetric form
/// \throws UnsupportedError if the build has no Kokkos Kernels or the system too many entries;
///   OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace, class LocalElement>
SystemSums<ExecutionSpace> system_sums(const ExecutionSpace& exec, const std::string& who,
                                       const FunctionSpace<Element, ExecutionSpace>& space,
                                       const SparsityGraph<ExecutionSpace>& graph,
                                       const NodeToElement<ExecutionSpace>& incidence,
                                       const ElementToValues<Element, ExecutionSpace>& map,
                                       const LocalElement& local, Ordinal elements, bool symmetric) {
  if (!tessera::detail::have_sparse_product)
    throw UnsupportedError(who + ": a sparse product needs Kokkos Kernels, which this build does not have");
  constexpr Offset width = interleave_width<ExecutionSpace>;
  const Offset entries = element_data_entries(Element::nodes, space.components(), symmetric);
  const auto columns = static_cast<Ordinal>((elements + width - 1) / width * width * entries);
  using Builder = SumBuilder<Element, ExecutionSpace, LocalElement>;
  Builder builder{space.mesh().connectivity(),
                  incidence,
                  graph,
                  map,
                  local,
                  {Element::nodes, space.components(), symmetric},
                  entries,
                  {sum_matrix_of(exec, who, graph.num_entries(), columns),
                   sum_matrix_of(exec, who, graph.num_rows(), columns)}};
  const Ordinal nodes = space.mesh().num_nodes();
  using Kokkos::RangePolicy;
  Kokkos::parallel_for("Tessera::SumMatrix::count",
                       RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, nodes), builder);
  size_rows(exec, builder.sums.matrix);
  size_rows(exec, builder.sums.rhs);
  Kokkos::parallel_for("Tessera::SumMatrix::fill",
                       RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, nodes), builder);
  exec.fence("Tessera::SumMatrix::fill");
  return builder.sums;
}

/// Reduction by a sparse product: its matrix read (a row start of 8 bytes for each value and right-hand side
/// entry, 5 bytes for each of its ones), input and output once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost sparse_product_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                         const SparsityGraph<ExecutionSpace>& graph) {
  Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
  const double ones = static_cast<double>(space.mesh().num_elements()) *
                      element_data_entries(Element::nodes, Form::components, false);
  cost.bytes += sizeof(Offset) * (static_cast<double>(graph.num_entries()) + graph.num_rows()) +
                (sizeof(Ordinal) + sizeof(std::int8_t)) * ones;
  cost.flops += 2 * ones;
  return cost;
}

} // namespace TESSERA_KERNELS::assembly::detail

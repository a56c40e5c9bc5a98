// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where the entries of an element matrix go in the values of the system.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera {

namespace detail {

/// A place in a row.
using RowPosition = std::uint16_t;

} // namespace detail

/// For each element and node pair (i, j): how many entries of node i's rows lie before the first entry of
/// node j. All rows of a node have the same columns, so that the value of test node i, component a, and trial
/// node j, component b, is at `row_map(equation(i, a)) + position(e, i, j) + rank(j, b)`; two bytes a pair
/// instead of an offset of eight.
template <class Element, class ExecutionSpace>
struct ElementToValues {
  using Position = detail::RowPosition;
  Kokkos::View<Position * [Element::nodes][Element::nodes], ExecutionSpace> position;
};

namespace detail {

template <class Element, class ExecutionSpace>
struct ElementToValuesBuilder {
  using Map = ElementToValues<Element, ExecutionSpace>;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  SparsityGraph<ExecutionSpace> graph;
  Map map;

  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    Ordinal first[Element::nodes];
    for (int n = 0; n < Element::nodes; ++n) first[n] = graph.equations.first_equation(connectivity(e, n));
    for (int i = 0; i < Element::nodes; ++i) {
      const bool has_rows = graph.equations.equations_of(connectivity(e, i)) > 0;
      const Offset begin = has_rows ? graph.row_map(first[i]) : 0;
      const Ordinal length = has_rows ? static_cast<Ordinal>(graph.row_map(first[i] + 1) - begin) : 0;
      for (int j = 0; j < Element::nodes; ++j)
        map.position(e, i, j) =
            static_cast<typename Map::Position>(place_in(graph.columns.data() + begin, length, first[j]));
    }
  }
};

template <class ExecutionSpace>
struct RowTooLong {
  static constexpr Offset limit = std::numeric_limits<RowPosition>::max();
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  KOKKOS_FUNCTION bool operator()(Ordinal row) const { return row_map(row + 1) - row_map(row) > limit; }
};

/// \throws UnsupportedError naming a row with more entries than a position can name
template <class ExecutionSpace>
void check_rows(const ExecutionSpace& exec, const SparsityGraph<ExecutionSpace>& graph) {
  using TooLong = RowTooLong<ExecutionSpace>;
  const Ordinal row =
      first_offender(exec, "Tessera::ElementToValues::check_rows", graph.num_rows(), TooLong{graph.row_map});
  if (row != no_offender)
    throw UnsupportedError("row " + std::to_string(row) + " of the matrix has more than " +
                           std::to_string(TooLong::limit) +
                           " entries: some node belongs to too many elements");
}

} // namespace detail

/// Builds the map on the device by binary search in the rows.
/// \param connectivity the mesh's (element, node), or its elements in another order
/// \throws ArgumentError if the graph was not built for this space as it is; UnsupportedError naming a row
///   with more than 65535 entries; OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
ElementToValues<Element, ExecutionSpace>
element_to_values(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph,
                  const typename MeshKernel<Element, ExecutionSpace>::Connectivity& connectivity) {
  using Map = ElementToValues<Element, ExecutionSpace>;
  if (!graph.fits(space))
    throw ArgumentError("the graph was built for another mesh, another number of components or other "
                        "constraints than this space has now; build it again");
  detail::check_rows(exec, graph);
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  Map map{allocate<decltype(Map::position)>(exec, "Tessera::ElementToValues::position", elements)};
  Kokkos::parallel_for("Tessera::ElementToValues::search",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
                       detail::ElementToValuesBuilder<Element, ExecutionSpace>{connectivity, graph, map});
  exec.fence("Tessera::ElementToValues::search");
  return map;
}

/// The map of the mesh's elements in their order.
/// \throws as above
template <class Element, class ExecutionSpace>
ElementToValues<Element, ExecutionSpace>
element_to_values(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph) {
  return element_to_values(exec, space, graph, space.mesh().kernel().connectivity);
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where the rows of the elements around a node go in the node's rows.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace tessera::detail {

/// The elements around each node, and where the entries of a node's row of an element lie in the node's rows.
template <class Element, class ExecutionSpace>
struct NodeRowPlaces {
  using Place = std::uint16_t;
  NodeToElement<ExecutionSpace> incidence;
  /// (element around a node, local node of the column): see `ElementToValues`; what lanes read at once lies
  /// together.
  Kokkos::View<Place * [Element::nodes], Kokkos::LayoutRight, ExecutionSpace> place;
  Ordinal longest = 0; ///< values of a node's rows, at most

  /// Whether 16 bits hold every place.
  bool fit() const { return longest <= std::numeric_limits<Place>::max(); }
  std::size_t bytes() const {
    return bytes_of(incidence.offsets) + bytes_of(incidence.elements) + bytes_of(incidence.local_nodes) +
           bytes_of(place);
  }
};

template <class Element, class ExecutionSpace>
struct FindPlaces {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  SparsityGraph<ExecutionSpace> graph;
  NodeRowPlaces<Element, ExecutionSpace> places;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    if (graph.equations.equations_of(node) == 0) return;
    const Ordinal row = graph.equations.first_equation(node);
    const Offset begin = graph.row_map(row);
    const auto length = static_cast<Ordinal>(graph.row_map(row + 1) - begin);
    for (Offset k = places.incidence.offsets(node); k < places.incidence.offsets(node + 1); ++k)
      for (int j = 0; j < Element::nodes; ++j)
        places.place(k, j) = static_cast<typename NodeRowPlaces<Element, ExecutionSpace>::Place>(
            place_in(graph.columns.data() + begin, length,
                     graph.equations.first_equation(connectivity(places.incidence.elements(k), j))));
  }
};

/// Values of a node's rows, at most.
template <class ExecutionSpace>
struct LongestRows {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;

  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& most) const {
    const Ordinal first = equations.first_equation(node);
    const Offset values = row_map(first + equations.equations_of(node)) - row_map(first);
    most = Kokkos::max(most, static_cast<Ordinal>(values));
  }
};

/// Fills in all but the incidence.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
void find_row_places(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                     const SparsityGraph<ExecutionSpace>& graph,
                     NodeRowPlaces<Element, ExecutionSpace>& places) {
  const Ordinal nodes = space.mesh().num_nodes();
  places.place = allocate<decltype(places.place)>(exec, "Tessera::NodeRowPlaces::place",
                                                  places.incidence.elements.extent(0));
  Kokkos::parallel_for(
      "Tessera::NodeRowPlaces::find", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
      FindPlaces<Element, ExecutionSpace>{space.mesh().kernel().connectivity, graph, places});
  Kokkos::parallel_reduce(
      "Tessera::NodeRowPlaces::longest", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
      LongestRows<ExecutionSpace>{graph.equations, graph.row_map}, Kokkos::Max<Ordinal>(places.longest));
}

} // namespace tessera::detail

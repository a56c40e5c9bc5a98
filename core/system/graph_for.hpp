// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A graph with more entries than a space's own elements need, for plans on that space.

#include <tessera/core/error.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// Whether other components of a node are constrained in one numbering than in the other.
template <class ExecutionSpace>
struct OtherConstraints {
  Equations<ExecutionSpace> one, other;
  KOKKOS_FUNCTION bool operator()(Ordinal node) const {
    return (one.constrained ? one.mask(node) : 0) != (other.constrained ? other.mask(node) : 0);
  }
};

/// Whether a row of an element's nodes lacks the column of one of them.
template <class Element, class ExecutionSpace>
struct LacksCoupling {
  MeshKernel<Element, ExecutionSpace> mesh;
  SparsityGraph<ExecutionSpace> graph;

  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    const auto& equations = graph.equations;
    for (int i = 0; i < Element::nodes; ++i) {
      const Ordinal node = mesh.connectivity(e, i);
      if (equations.equations_of(node) == 0) continue;
      const Ordinal row = equations.first_equation(node);
      const Ordinal* const columns = graph.columns.data() + graph.row_map(row);
      const auto length = static_cast<Ordinal>(graph.row_map(row + 1) - graph.row_map(row));
      for (int j = 0; j < Element::nodes; ++j) {
        const Ordinal other = mesh.connectivity(e, j), column = equations.first_equation(other);
        if (equations.equations_of(other) == 0) continue;
        const Ordinal at = place_in(columns, length, column);
        if (at == length || columns[at] != column) return true;
      }
    }
    return false;
  }
};

/// That a graph serves plans on a space. \throws ArgumentError as `graph_for`
template <class Element, class ExecutionSpace>
void check_graph_for(const FunctionSpace<Element, ExecutionSpace>& space,
                     const SparsityGraph<ExecutionSpace>& graph) {
  const auto& mesh = space.mesh();
  const ExecutionSpace exec = default_instance<ExecutionSpace>();
  const auto equations = space.equations(exec);
  if (graph.equations.components != space.components() || graph.equations.removed != equations.removed ||
      graph.num_rows() != equations.count)
    throw ArgumentError("graph_for: the graph has " + std::to_string(graph.num_rows()) + " rows and " +
                        std::to_string(graph.equations.components) + " components a node, the space " +
                        std::to_string(equations.count) + " and " + std::to_string(space.components()) +
                        "; nodes, components and constraints must be the same");
  const Ordinal node = first_offender(exec, "Tessera::graph_for::check_constraints", mesh.num_nodes(),
                                      OtherConstraints<ExecutionSpace>{graph.equations, equations});
  if (node != no_offender)
    throw ArgumentError("graph_for: node " + std::to_string(node) +
                        " is constrained otherwise in the graph's space; constrain all spaces alike");
  const Ordinal element = first_offender(exec, "Tessera::graph_for::check_couplings", mesh.num_elements(),
                                         LacksCoupling<Element, ExecutionSpace>{mesh.kernel(), graph});
  if (element != no_offender)
    throw ArgumentError("graph_for: the graph does not couple the nodes of " + mesh.element_name(element) +
                        "; make it of all elements that are assembled");
}

/// The same graph for plans on spaces of these meshes, on one state of their constraints.
template <class ExecutionSpace, class... Ids>
SparsityGraph<ExecutionSpace> lent_graph(SparsityGraph<ExecutionSpace> graph, std::size_t revision,
                                         std::size_t mesh_id, Ids... other_ids) {
  graph.mesh_id = mesh_id;
  graph.other_ids = {other_ids...};
  graph.revision = revision;
  graph.own = false;
  return graph;
}

} // namespace detail

/// A graph over the same nodes that has more entries than the space's own, for plans on the space: that of
/// the elements of several spaces, of which each assembles its own part. Strategies that add to a system take
/// it (`AssemblyOptions`); they clear, or leave, the entries that no element of the space has.
/// \param graph of a space with the same nodes, components, constraints and treatment
/// \throws ArgumentError for a graph of other equations, naming a node, or one that does not couple the nodes
///   of an element, naming that
template <class Element, class ExecutionSpace>
SparsityGraph<ExecutionSpace> graph_for(const FunctionSpace<Element, ExecutionSpace>& space,
                                        const SparsityGraph<ExecutionSpace>& graph) {
  detail::check_graph_for(space, graph);
  return detail::lent_graph(graph, space.revision(), space.mesh().id());
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Finds equations of an assembled system that nothing was assembled into.

#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers {

namespace detail {

/// Whether a node has an equation whose row is empty, as that of a free degree of freedom is where no element
/// has the node.
template <class ExecutionSpace>
struct HasEmptyRow {
  SparsityGraph<ExecutionSpace> graph;

  KOKKOS_FUNCTION bool operator()(Ordinal node) const {
    const Ordinal first = graph.equations.first_equation(node);
    for (Ordinal row = first; row < first + graph.equations.equations_of(node); ++row)
      if (graph.row_map(row) == graph.row_map(row + 1)) return true;
    return false;
  }
};

} // namespace detail

/// Refuses the graph of a system that has no solution because no element has one of its nodes; those that are
/// constrained in all components do no harm.
/// \param who names the solver in the message
/// \return the graph, whose copies share their views
/// \throws SolverError naming the first such node
template <class ExecutionSpace>
SparsityGraph<ExecutionSpace> require_rows(const ExecutionSpace& exec, const char* who,
                                           const SparsityGraph<ExecutionSpace>& graph) {
  const auto& equations = graph.equations;
  const Ordinal nodes = equations.removed ? static_cast<Ordinal>(equations.first.extent(0)) - 1
                                          : equations.count / equations.components;
  const Ordinal node = tessera::detail::first_offender(exec, "Tessera::require_rows", nodes,
                                                       detail::HasEmptyRow<ExecutionSpace>{graph});
  if (node != tessera::detail::no_offender)
    throw SolverError(std::string(who) + ": no element has node " + std::to_string(node) +
                      ", so that its rows of the matrix are empty; leave the node out of the mesh, or "
                      "constrain all of its components");
  return graph;
}

} // namespace tessera::solvers

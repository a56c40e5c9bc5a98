// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What natural conditions of a space give to a system.

#include <tessera/core/space/natural_terms.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

/// Adds natural loads and Robin sides to a matrix and its right-hand side, without waiting for it.
template <class Element, class ExecutionSpace, class Scalar>
void add_natural_terms(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                       const Equations<ExecutionSpace>& equations, const SparsityGraph<ExecutionSpace>& graph,
                       const Kokkos::View<Scalar*, ExecutionSpace>& values,
                       const Kokkos::View<Scalar*, ExecutionSpace>& rhs) {
  add_natural_loads(exec, space, equations, rhs);
  const auto robin = space.robin(exec);
  for_each_robin_node(
      exec, "Tessera::FunctionSpace::add_robin_matrix", robin,
      AddRobinMatrix<ExecutionSpace, Scalar>{robin, equations, graph.row_map, graph.columns, values});
}

} // namespace detail

/// Adds a space's natural loads and Robin sides to a system, without waiting for it: what
/// `AssemblyOptions::add` leaves out, where the elements of a mesh are shared out to several spaces.
/// \param system on a graph with all entries of the space's, as `distributed::graph_for` gives
template <class Element, class ExecutionSpace, class Scalar>
void add_natural_terms(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                       const LinearSystem<Scalar, ExecutionSpace>& system) {
  detail::add_natural_terms(exec, space, space.equations(exec), system.graph(), system.values(),
                            system.rhs());
}

} // namespace tessera

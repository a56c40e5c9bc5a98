// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// MueLu's multigrid, told what a space knows.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/tpetra/maps.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <Kokkos_Core.hpp>

#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>
#include <vector>

namespace tessera::distributed {

namespace detail {

/// The owned nodes that have equations. \throws UnsupportedError where one has some of its components alone
template <class ExecutionSpace>
std::vector<Ordinal> nodes_with_equations(const Equations<ExecutionSpace>& equations, Ordinal owned_nodes) {
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.first);
  std::vector<Ordinal> nodes;
  for (Ordinal node = 0; node < owned_nodes; ++node) {
    const Ordinal count = equations.removed ? first(node + 1) - first(node) : equations.components;
    if (count != 0 && count != equations.components)
      throw UnsupportedError("MueLu wants as many equations at each node: one has " + std::to_string(count) +
                             " of " + std::to_string(equations.components) +
                             " components; keep constrained rows (ConstraintTreatment::zeroed)");
    if (count > 0) nodes.push_back(node);
  }
  return nodes;
}

/// The coordinates of owned nodes that have equations, numbered as MueLu numbers blocks of rows. Collective.
template <class Cells, class ExecutionSpace>
Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::MultiVector>
muelu_coordinates(const TpetraSystem<ExecutionSpace>& system, const Mesh<Cells, ExecutionSpace>& mesh) {
  const auto& equations = system.local().graph().equations;
  const auto nodes =
      agree(system.ranks(), [&] { return nodes_with_equations(equations, mesh.owned_nodes()); });
  const auto number = [&](std::size_t i) { // each node before it has as many equations
    return system.equations().numbers(i * to_size(equations.components)) / equations.components;
  };
  const auto map = listed_map<ExecutionSpace>(
      system.maps().owned->getComm(), system.equations().total / equations.components, number, nodes.size());
  const auto coordinates =
      Teuchos::rcp(new typename TpetraTypes<ExecutionSpace>::MultiVector(map, Cells::dimension));
  const auto all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.local().coordinates());
  const auto host = coordinates->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int d = 0; d < Cells::dimension; ++d) host(i, d) = all(nodes[i], d);
  return coordinates;
}

} // namespace detail

/// Collective, after the system has been assembled: MueLu's smoothed aggregation with the nodes' coordinates;
/// for as many components as dimensions the rigid motions are its near-null space.
/// \param parameters MueLu's own, which go before those set here
/// \throws UnsupportedError on every rank for a node of which some components alone were removed; what MueLu
/// throws
template <class Cells, class ExecutionSpace>
Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator> muelu(const TpetraSystem<ExecutionSpace>& system,
                                                                   const Mesh<Cells, ExecutionSpace>& mesh,
                                                                   Teuchos::ParameterList parameters = {}) {
  const int components = system.local().graph().equations.components;
  const std::string dimension = std::to_string(Cells::dimension) + "D";
  Teuchos::ParameterList defaults;
  defaults.set("verbosity", "none");
  if (components == Cells::dimension) {
    defaults.set("problem: type", "Elasticity-" + dimension);
    defaults.set("nullspace: calculate rotations", true);
  } else {
    defaults.set("problem: type", "Poisson-" + dimension);
    defaults.set("number of equations", components);
  }
  parameters.setParametersNotAlreadySet(defaults);
  parameters.sublist("user data").set("Coordinates", detail::muelu_coordinates(system, mesh));
  const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator> matrix = system.matrix();
  return MueLu::CreateTpetraPreconditioner(matrix, parameters);
}

} // namespace tessera::distributed

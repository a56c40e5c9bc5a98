// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From a solution of owned equations to all local nodes.

#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed {

/// Values of all local degrees of freedom from a solution whose owned entries are known: prescribed values
/// filled in, ghosts imported, linear components interpolated. Collective among neighbors: one exchange.
/// \throws ArgumentError if `solution` has not one entry per local equation
template <class Cells, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
expand(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
       const SpaceOn<Cells, ExecutionSpace>& space, const Kokkos::View<double*, ExecutionSpace>& solution) {
  const auto dofs = space.expand(exec, solution);
  NodeExchange<double, ExecutionSpace> exchange(exec, mesh.import(), space.components());
  exchange.begin(exec, dofs);
  exchange.end(exec, dofs);
  space.linear().interpolate(exec, dofs); // again: corners may be ghosts
  exec.fence("Tessera::distributed::expand");
  return dofs;
}

} // namespace tessera::distributed

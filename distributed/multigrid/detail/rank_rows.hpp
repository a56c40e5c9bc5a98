// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank has of a matrix over all ranks.

#include <tessera/core/space/equations.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/node_import.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// What a rank has of a system: the rows of owned equations, the first of the local ones.
template <class ExecutionSpace>
struct RankRows {
  LinearSystem<double, ExecutionSpace> system;
  Ordinal owned = 0;                 ///< equations
  NodeImport<ExecutionSpace> import; ///< of the nodes' values
  Kokkos::View<const int*, Kokkos::HostSpace> ghost_owners;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> coordinates; ///< of the local nodes

  const Equations<ExecutionSpace>& equations() const { return system.graph().equations; }
};

} // namespace tessera::distributed::detail

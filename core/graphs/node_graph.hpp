// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A symmetric graph of nodes as partitions and independent sets take it.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Neighbours of each node, in compressed rows on the device. The graph is symmetric; a node may be its own
/// neighbour, which counts for nothing, so that the graph of a matrix serves as it is. Copies share their
/// views.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct NodeGraph {
  Kokkos::View<const Offset*, ExecutionSpace> row_map;  ///< node (+1)
  Kokkos::View<const Ordinal*, ExecutionSpace> columns; ///< row_map(n) .. row_map(n+1): neighbours of node n

  Ordinal num_nodes() const {
    return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1);
  }
};

} // namespace tessera

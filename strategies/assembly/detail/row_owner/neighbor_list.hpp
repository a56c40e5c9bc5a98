// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The neighbours of one node, collected by one thread.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// The distinct nodes of the elements around a node, itself included, ascending.
struct NeighborList {
  static constexpr int capacity = 256;
  Ordinal nodes[capacity + 1];
  Ordinal count = 0; ///< capacity + 1 if there are more

  /// Collects the neighbours of `node` in a mesh with `nodes_per_element` nodes per element.
  template <class Connectivity, class ExecutionSpace>
  KOKKOS_FUNCTION NeighborList(const Connectivity& connectivity, int nodes_per_element,
                               const NodeToElement<ExecutionSpace>& incidence, Ordinal node) {
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      for (int n = 0; n < nodes_per_element && count <= capacity; ++n)
        tessera::detail::insert_ascending(nodes, count, connectivity(incidence.elements(k), n));
  }

  /// Place of a node, or where it would be.
  KOKKOS_FUNCTION int position(Ordinal node) const { return tessera::detail::place_in(nodes, count, node); }
};

} // namespace TESSERA_KERNELS::assembly::detail

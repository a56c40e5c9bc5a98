#pragma once

/// \file
/// The neighbours of one node, collected by one thread.

#include <tessera/core/incidence.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// The distinct nodes of the elements around a node, itself included, ascending.
struct NeighborList {
  static constexpr int capacity = 256;
  Ordinal nodes[capacity];
  int count = 0; ///< capacity + 1 if there are more

  /// Collects the neighbours of `node` in a mesh with `nodes_per_element` nodes per element.
  template <class Connectivity, class ExecutionSpace>
  KOKKOS_FUNCTION NeighborList(const Connectivity& connectivity, int nodes_per_element,
                               const NodeToElement<ExecutionSpace>& incidence, Ordinal node) {
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      for (int n = 0; n < nodes_per_element && count <= capacity; ++n)
        insert(connectivity(incidence.elements(k), n));
  }

  /// Place of a node, or where it would be.
  KOKKOS_FUNCTION int position(Ordinal node) const {
    int low = 0, high = count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (nodes[middle] < node)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

private:
  KOKKOS_FUNCTION void insert(Ordinal node) {
    const int at = position(node);
    if (at < count && nodes[at] == node) return;
    if (count < capacity) {
      for (int i = count; i > at; --i) nodes[i] = nodes[i - 1];
      nodes[at] = node;
    }
    ++count;
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes whose numbers tell nothing of what lies where.

#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstdint>

namespace tessera::tools {

/// A random permutation of 0 ... count - 1, on the device; the same in every run.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace> permutation(Ordinal count) {
  Kokkos::View<std::uint64_t*, ExecutionSpace> keys("Tessera::Paper2::keys", count);
  Kokkos::View<Ordinal*, ExecutionSpace> order("Tessera::Paper2::order", count);
  Kokkos::parallel_for(
      "Tessera::Paper2::permutation", Kokkos::RangePolicy<ExecutionSpace>(0, count),
      KOKKOS_LAMBDA(Ordinal i) {
        // A bijective mix of the number: a key without a state shared by threads.
        std::uint64_t key = static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;
        key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
        key = (key ^ key >> 27) * 0x94d049bb133111ebu;
        keys(i) = key ^ key >> 31;
        order(i) = i;
      });
  Kokkos::Experimental::sort_by_key(ExecutionSpace(), keys, order);
  return order;
}

/// The same mesh with shuffled numbers of nodes and elements: stands for meshes of foreign origin.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> shuffled(const Mesh<Element, ExecutionSpace>& mesh) {
  using MeshType = Mesh<Element, ExecutionSpace>;
  const auto node = permutation<ExecutionSpace>(mesh.num_nodes()),
             element = permutation<ExecutionSpace>(mesh.num_elements());
  typename MeshType::Coordinates coordinates("Tessera::Paper2::coordinates", mesh.num_nodes());
  typename MeshType::Connectivity connectivity("Tessera::Paper2::connectivity", mesh.num_elements());
  const auto from = mesh.kernel();
  Kokkos::parallel_for(
      "Tessera::Paper2::nodes", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(Ordinal n) {
        for (int d = 0; d < Element::dimension; ++d) coordinates(node(n), d) = from.coordinates(n, d);
      });
  Kokkos::parallel_for(
      "Tessera::Paper2::elements", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_elements()),
      KOKKOS_LAMBDA(Ordinal e) {
        for (int n = 0; n < Element::nodes; ++n) connectivity(element(e), n) = node(from.connectivity(e, n));
      });
  return MeshType(coordinates, connectivity);
}

} // namespace tessera::tools

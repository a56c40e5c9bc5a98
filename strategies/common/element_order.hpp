// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The order in which a strategy goes through the elements: the mesh's, along the Hilbert curve, or color by
/// color.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace tessera {

/// Elements in a strategy's order, cut into ranges that are launched one after the other.
template <class Element, class ExecutionSpace>
struct ElementOrder {
  MeshKernel<Element, ExecutionSpace> mesh; ///< connectivity and materials in this order
  std::vector<Ordinal> offsets;             ///< first element of each range, and the end; host memory
  std::size_t bytes = 0;                    ///< device memory besides the mesh's own

  int ranges() const { return static_cast<int>(offsets.size()) - 1; }
};

namespace detail {

template <class Element, class ExecutionSpace>
struct PermuteElements {
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal*, ExecutionSpace> order;
  typename Mesh<Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<Ordinal*, ExecutionSpace> materials;

  KOKKOS_FUNCTION void operator()(Ordinal position) const {
    const Ordinal e = order(position);
    for (int n = 0; n < Element::nodes; ++n) connectivity(position, n) = mesh.connectivity(e, n);
    if (materials.extent(0) > 0) materials(position) = mesh.materials(e);
  }
};

} // namespace detail

/// The mesh's order as one range; shares the mesh's views.
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace> mesh_order(const Mesh<Element, ExecutionSpace>& mesh) {
  return {mesh.kernel(), {0, mesh.num_elements()}, 0};
}

/// A given order; holds a copy of connectivity and materials, and the numbers.
/// \param order the mesh's number of the element at each position; an element may stand in several
/// \param offsets see `ElementOrder`
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace>
permuted_order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
               const Kokkos::View<Ordinal*, ExecutionSpace>& order, const std::vector<Ordinal>& offsets) {
  using Connectivity = typename Mesh<Element, ExecutionSpace>::Connectivity;
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  const auto elements = static_cast<Ordinal>(order.extent(0));
  const auto connectivity = allocate<Connectivity>(exec, "Tessera::ElementOrder::connectivity", elements);
  const auto materials = allocate<Numbers>(exec, "Tessera::ElementOrder::materials",
                                           mesh.materials().extent(0) > 0 ? elements : 0);
  Kokkos::parallel_for(
      "Tessera::ElementOrder::permute", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
      detail::PermuteElements<Element, ExecutionSpace>{mesh.kernel(), order, connectivity, materials});
  return {{mesh.coordinates(), connectivity, materials, order},
          offsets,
          bytes_of(connectivity) + bytes_of(materials) + bytes_of(order)};
}

/// The elements along the Hilbert curve through their centroids, as one range.
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace> hilbert_element_order(const ExecutionSpace& exec,
                                                            const Mesh<Element, ExecutionSpace>& mesh) {
  const auto curve = hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity()));
  return permuted_order(exec, mesh, curve.new_to_old, {0, mesh.num_elements()});
}

/// A range per color.
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace> color_order(const ExecutionSpace& exec,
                                                  const Mesh<Element, ExecutionSpace>& mesh) {
  const auto coloring = color_elements(exec, mesh.connectivity(), mesh.num_nodes());
  return permuted_order(exec, mesh, coloring.elements, coloring.offsets);
}

} // namespace tessera

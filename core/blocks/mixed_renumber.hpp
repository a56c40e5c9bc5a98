// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mixed mesh with other numbers of its nodes and elements.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/mesh/renumber.hpp>

#include <array>

namespace tessera {

/// The same mesh under new numbers: coordinates, and of each block connectivity, materials and sets.
///
/// \param exec     instance that runs the kernels; the call returns after they have ended
/// \param nodes    for every node of the mesh
/// \param elements for every element of each block, in the order of the list
/// \throws as `renumber` of a mesh of one type
template <class First, class... Others, class ExecutionSpace>
MixedMesh<Blocks<First, Others...>, ExecutionSpace>
renumber(const ExecutionSpace& exec, const MixedMesh<Blocks<First, Others...>, ExecutionSpace>& mesh,
         const Permutation<ExecutionSpace>& nodes,
         const std::array<Permutation<ExecutionSpace>, 1 + sizeof...(Others)>& elements) {
  using Mixed = MixedMesh<Blocks<First, Others...>, ExecutionSpace>;
  detail::check_permutation(exec, nodes, mesh.num_nodes(), "nodes");
  const auto order_of = [&]<class Element>(const Mesh<Element, ExecutionSpace>&) -> const auto& {
    return elements[Mixed::List::template number<Element>];
  };
  const auto cells_of = [&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    detail::check_permutation(exec, order_of(block), block.num_elements(), "elements");
    const auto cells = detail::renumbered_cells(exec, block, nodes, order_of(block));
    return typename Mixed::template Cells<Element>{cells.connectivity, cells.materials};
  };
  Mixed renumbered(exec, detail::renumbered_coordinates(exec, mesh.template block<First>(), nodes),
                   cells_of(mesh.template block<First>()), cells_of(mesh.template block<Others>())...);
  mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    detail::add_names_and_sets(exec, block, nodes, order_of(block), renumbered.template block<Element>());
  });
  return renumbered;
}

/// The same mesh with its nodes, and the elements of each block by the means of their nodes, numbered along
/// the Hilbert curve. Deterministic.
/// \throws MeshError for a coordinate that is not finite; OutOfMemoryError
template <class First, class... Others, class ExecutionSpace>
MixedMesh<Blocks<First, Others...>, ExecutionSpace>
hilbert_renumbered(const ExecutionSpace& exec,
                   const MixedMesh<Blocks<First, Others...>, ExecutionSpace>& mesh) {
  const auto order_of = [&](const auto& block) {
    return hilbert_order(exec, element_centroids(exec, block.coordinates(), block.connectivity()));
  };
  return renumber(exec, mesh, hilbert_order(exec, mesh.coordinates()),
                  {order_of(mesh.template block<First>()), order_of(mesh.template block<Others>())...});
}

} // namespace tessera

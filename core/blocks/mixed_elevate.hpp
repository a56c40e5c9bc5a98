// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Mixed meshes of higher order from linear ones.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/mesh/elevate.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

template <class List, class ExecutionSpace, class LinearMesh>
struct MixedElevation;
template <class First, class... Others, class ExecutionSpace, class LinearMesh>
struct MixedElevation<Blocks<First, Others...>, ExecutionSpace, LinearMesh> {
  const LinearMesh& linear;

  template <class Element>
  const auto& linear_block() const {
    return linear.template block<typename Element::template of_order<1>>();
  }

  MixedMesh<Blocks<First, Others...>, ExecutionSpace> mesh() const {
    using List = Blocks<First, Others...>;
    const Elevation<ExecutionSpace, First, Others...> elevation(linear_block<First>(),
                                                                linear_block<Others>()...);
    const auto finished = [&](auto block, const auto& of_linear) {
      copy_elements(block, of_linear);
      return block;
    };
    const auto first =
        finished(Mesh<First, ExecutionSpace>(elevation.coordinates(), elevation.template connectivity<0>(),
                                             linear_block<First>().materials()),
                 linear_block<First>());
    MixedMesh<List, ExecutionSpace> result(
        first, finished(Mesh<Others, ExecutionSpace>(
                            default_instance<ExecutionSpace>(), first,
                            elevation.template connectivity<List::template number<Others>>(),
                            linear_block<Others>().materials()),
                        linear_block<Others>())...);
    result.label_materials(linear.material_labels());
    for (const auto& [name, set] : linear.node_sets())
      result.add_node_set(name, elevation.node_set(name, set));
    return result;
  }
};

} // namespace detail

/// The mixed mesh of higher order over a linear one of the same shapes: as `elevated` of a `Mesh`, with nodes
/// on edges and faces shared by all blocks.
/// \tparam List of the blocks of the result, `Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>`, say; for each the
///   linear mesh has the block of its order one
/// \throws MeshError if there would be more than 2^31 - 1 nodes
template <class List, class LinearList, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> elevated(const MixedMesh<LinearList, ExecutionSpace>& mesh) {
  return detail::MixedElevation<List, ExecutionSpace, MixedMesh<LinearList, ExecutionSpace>>{mesh}.mesh();
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Pieces of the cost models of matrix-free operators.

#include <tessera/core/forms/element_action.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/element_loops/element_patches.hpp>
#include <tessera/strategies/element_loops/result_gather.hpp>

#include <algorithm>
#include <cmath>

namespace tessera {

/// Quadrilaterals and hexahedra of order one, which can be affine images of the reference element.
template <class Element>
inline constexpr bool is_multilinear_shape = Element::order == 1 && is_cube(Element::shape);

/// Flops of K_e x_e of one element by `act`, in general geometry.
/// \param kernel a form's pointwise part without data in device memory (constant coefficients)
template <class Element, class Kernel>
long flops_of_action(const Kernel& kernel) {
  Cell<Element, CountedReal> cell{};
  const auto reference = Element::node_coordinates();
  for (int n = 0; n < Element::nodes; ++n)
    for (int d = 0; d < Element::dimension; ++d) cell.coordinates[n][d] = reference[n][d];
  CountedReal u[Element::nodes * Kernel::components], v[Element::nodes * Kernel::components];
  CountedReal::count = 0;
  act<false>(kernel, cell, u, v);
  return CountedReal::count;
}

/// Bytes that every operator by elements moves besides element data: connectivity, x and y once, and what the
/// way of adding results costs. Colors read x and change y once per color: as in paper 5's measurements, no
/// cache keeps them from one color to the next, and all of a node's elements lie in different colors.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost mesh_and_vectors_cost(const FunctionSpace<Element, ExecutionSpace>& space, Conflicts conflicts) {
  const auto& mesh = space.mesh();
  const double vector = static_cast<double>(space.num_dofs()) * sizeof(Scalar);
  const double results =
      static_cast<double>(mesh.num_elements()) * Element::nodes * Form::components * sizeof(Scalar);
  Cost cost{.bytes = static_cast<double>(bytes_of(mesh.connectivity())), .flops = 0};
  if (conflicts == Conflicts::atomics) cost.bytes += 4 * vector; // y: zeroed, read, written
  if (conflicts == Conflicts::colors) cost.bytes += vector + 3 * results;
  if (conflicts == Conflicts::gather)
    cost.bytes += 2 * vector + 2 * results + mesh.num_nodes() * sizeof(Offset) +
                  static_cast<double>(mesh.num_elements()) * Element::nodes * (sizeof(Ordinal) + 1);
  if (conflicts == Conflicts::patches) {
    using Patches = ElementPatches<Element, ExecutionSpace>;
    // A patch has the nodes of its share, about a cube, and those on the cube's far sides; inside are all but
    // those on its sides.
    using Pair = typename Patches::Pair;
    const double elements = mesh.num_elements();
    const double share = static_cast<double>(Patches::most_cells) * Pair::elements * mesh.num_nodes() /
                         std::max(elements, 1.0);
    const double side = std::pow(std::max(share, 1.0), -1.0 / Element::dimension);
    const double entries = mesh.num_nodes() * std::pow(1 + side, Element::dimension);
    const double inside = mesh.num_nodes() * std::pow(1 - side, Element::dimension);
    cost.bytes = elements / Pair::elements * sizeof(typename Patches::Places) + 2 * vector +
                 entries * (sizeof(Ordinal) + sizeof(typename Patches::Slots)) +
                 (entries - inside) * (sizeof(Ordinal) + 2 * Form::components * sizeof(Scalar));
  }
  return cost;
}

/// The least that any operator moves: coordinates, connectivity, x and y once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost compulsory_operator_cost(const FunctionSpace<Element, ExecutionSpace>& space) {
  const double elements = space.mesh().num_elements();
  return {input_bytes(space) + 2.0 * space.num_dofs() * sizeof(Scalar),
          static_cast<double>(flops_of_action<Element>(form_kernel(Form{}))) * elements};
}

} // namespace tessera

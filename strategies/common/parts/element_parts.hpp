// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mesh's elements in ordered parts: in the mesh's own order, or along the Hilbert curve.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/parts/ordered_parts.hpp>
#include <tessera/strategies/common/parts/runs_of_cells.hpp>

#include <cmath>
#include <cstddef>

namespace tessera {

namespace detail {

/// Whether runs of elements have at most twice the nodes of cubes. Layers of a structured box have half as
/// many more than cubes and come with the rows of the matrix one after the other, which the processor fetches
/// ahead: along the curve assembly takes 1.5 times as long there. Scattered elements have many times as many,
/// and every part would wait for the one before.
template <class Element>
bool are_compact(const NodesOfRuns& runs) {
  constexpr int d = Element::dimension;
  const double count = static_cast<double>(runs.nodes.size()), own = runs.num_nodes / count;
  return static_cast<double>(runs.total()) <=
         2 * count * std::pow(std::pow(own, 1.0 / d) + Element::order, d);
}

} // namespace detail

/// Elements in the mesh's order where its runs are compact, else along the Hilbert curve.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace> compact_order(const ExecutionSpace& exec,
                                                    const Mesh<Element, ExecutionSpace>& mesh) {
  const auto order = mesh_order(mesh);
  const Ordinal size = part_size(mesh.num_elements(), Element::nodes);
  const NodesOfRuns runs = nodes_of_runs(exec, order.mesh.connectivity, mesh.num_nodes(), size);
  return detail::are_compact<Element>(runs) ? order : hilbert_element_order(exec, mesh);
}

/// Elements in an order whose runs have few nodes, and their parts.
template <class Element, class ExecutionSpace>
struct ElementParts {
  ElementOrder<Element, ExecutionSpace> order;
  OrderedParts<ExecutionSpace> parts;

  std::size_t bytes() const { return order.bytes + parts.bytes(); }
};

/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementParts<Element, ExecutionSpace> element_parts(const ExecutionSpace& exec,
                                                    const Mesh<Element, ExecutionSpace>& mesh) {
  const auto order = compact_order(exec, mesh);
  return {order, ordered_parts(exec, order.mesh.connectivity, mesh.num_nodes())};
}

} // namespace tessera

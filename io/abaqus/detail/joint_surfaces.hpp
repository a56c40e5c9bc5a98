// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Faces and nodes of the surfaces that joints of decks refer to.

#include <tessera/core/elements/elements.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>
#include <tessera/io/abaqus/detail/vector.hpp>
#include <tessera/io/detail/cell_type.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::io {

inline AbaqusVector position_of(const MeshData& mesh, Ordinal node) {
  const auto first = mesh.points.begin() + 3 * static_cast<std::ptrdiff_t>(node);
  return {first[0], first[1], first[2]};
}

/// Elements with faces that nodes may be joined to.
using JoinedElements = std::tuple<Tet<1>, Tet<2>, Hex<1>, Hex20>;

/// Calls with an element of the type. \throws UnsupportedError for another type
template <class Call>
void with_joined_element(CellType type, const AbaqusPlace& place, const Call& call) {
  bool found = false;
  const auto attempt = [&]<class Element>(const Element*) {
    if (found || cell_type_of<Element>() != type) return;
    found = true;
    call(static_cast<const Element*>(nullptr));
  };
  std::apply([&](auto... element) { (attempt(&element), ...); }, JoinedElements());
  if (!found) place.unsupported("a joint of " + type.name() + " cells");
}

/// Nodes of each face of a surface of a block.
template <class Element>
std::vector<std::vector<Ordinal>> faces_of(const CellBlock& block, const std::vector<Side>& sides) {
  std::vector<std::vector<Ordinal>> faces;
  faces.reserve(sides.size());
  const auto side_nodes = Element::side_nodes();
  for (const Side& side : sides) {
    std::vector<Ordinal>& face = faces.emplace_back();
    face.reserve(side_nodes[static_cast<std::size_t>(side.side)].size());
    for (const int n : side_nodes[static_cast<std::size_t>(side.side)])
      face.push_back(
          block.nodes[static_cast<std::size_t>(side.cell) * Element::nodes + static_cast<std::size_t>(n)]);
  }
  return faces;
}

/// The node of a number or of a set of one node. \throws FileError for another set
Ordinal single_node(const std::string& target, const AbaqusMesh& mesh, const AbaqusPlace& place);

/// Nodes of a surface of faces or of nodes.
std::vector<Ordinal> nodes_of_surface(const std::string& surface, const AbaqusMesh& mesh,
                                      const AbaqusPlace& place);

} // namespace tessera::io

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/joint_surfaces.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>

namespace tessera::io {

std::vector<Ordinal> nodes_of_surface(const std::string& surface, const AbaqusMesh& mesh,
                                      const AbaqusPlace& place) {
  std::vector<Ordinal> nodes;
  for (const CellBlock& block : mesh.data().blocks) {
    const auto sides = block.side_sets.find(surface);
    if (sides == block.side_sets.end()) continue;
    with_joined_element(block.type, place, [&]<class Element>(const Element*) {
      for (const std::vector<Ordinal>& face : faces_of<Element>(block, sides->second))
        nodes.insert(nodes.end(), face.begin(), face.end());
    });
  }
  // A surface of nodes may have a set's name beside it.
  for (const std::string& name : {surface, surface + ".SURFACE"})
    if (const auto set = mesh.data().node_sets.find(name); set != mesh.data().node_sets.end())
      nodes.insert(nodes.end(), set->second.begin(), set->second.end());
  if (nodes.empty()) place.fail("there is no surface " + in_quotes(surface));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Ordinal single_node(const std::string& target, const AbaqusMesh& mesh, const AbaqusPlace& place) {
  const std::vector<Ordinal> nodes = mesh.nodes_of(target, place);
  if (nodes.size() != 1)
    place.fail("expected one node, but " + target + " has " + std::to_string(nodes.size()));
  return nodes.front();
}

} // namespace tessera::io

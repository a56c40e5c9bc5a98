// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/joint_surfaces.hpp>
#include <tessera/io/abaqus/detail/joints.hpp>

#include <algorithm>
#include <map>

namespace tessera::io {

AbaqusPretension read_pretension(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusPretension pretension{keyword.label("SURFACE"), keyword.label("NODE"), {}, keyword.place};
  if (pretension.surface.empty() || pretension.reference.empty())
    keyword.place.fail(keyword.shown + " needs the parameters SURFACE=name and NODE=node");
  AbaqusDataLines lines(lexer);
  if (!lines.next()) keyword.place.unsupported(keyword.shown + " without a direction");
  for (std::size_t d = 0; d < 3; ++d) pretension.direction[d] = lines.real(d, "a component of the direction");
  lines.require_at_most(3, keyword);
  const double length = length_of(pretension.direction);
  if (!(length > 0.0)) lines.fail("the direction of " + keyword.shown + " is zero");
  pretension.direction = scaled(pretension.direction, 1 / length);
  if (lines.next()) lines.fail(keyword.shown + " has one data line; is a keyword missing?");
  return pretension;
}

namespace {

/// Node of a surface and the one that takes its place.
using Doubled = std::map<Ordinal, Ordinal>;

/// A node at the place of another one, with the next number after the largest.
Ordinal doubled(Ordinal node, MeshData& mesh, std::int64_t number) {
  for (std::size_t d = 0; d < 3; ++d)
    mesh.points.push_back(mesh.points[3 * static_cast<std::size_t>(node) + d]);
  mesh.node_ids.append(number);
  return mesh.nodes() - 1;
}

std::int64_t largest_number(const MeshData& mesh) {
  std::int64_t largest = 0;
  for (Ordinal node = 0; node < mesh.nodes(); ++node) largest = std::max(largest, mesh.node_ids.id(node));
  return largest;
}

/// Gives the cells of a surface nodes of their own on its faces.
Doubled cut_off(const AbaqusPretension& pretension, AbaqusMesh& mesh) {
  Doubled nodes;
  MeshData& data = mesh.data();
  const Ordinal old_nodes = data.nodes();
  std::int64_t last = largest_number(data);
  NumberOwners owners = data.node_ids.owners();
  if (!owners.empty()) owners[++last] = pretension.surface; // they belong to no instance
  const std::vector<std::vector<Side>> surface = mesh.loaded_sides(pretension.surface, pretension.place);
  for (std::size_t b = 0; b < surface.size(); ++b) {
    if (surface[b].empty()) continue;
    CellBlock& block = data.blocks[b];
    with_joined_element(block.type, pretension.place, [&]<class Element>(const Element*) {
      const auto side_nodes = Element::side_nodes();
      for (const Side& side : surface[b])
        for (const int local : side_nodes[static_cast<std::size_t>(side.side)]) {
          Ordinal& node = block.nodes[static_cast<std::size_t>(side.cell) * Element::nodes +
                                      static_cast<std::size_t>(local)];
          if (node >= old_nodes) continue; // through another face of the cell
          const auto [place, fresh] = nodes.try_emplace(node, -1);
          if (fresh) place->second = doubled(node, data, last + static_cast<std::int64_t>(nodes.size()));
          node = place->second;
        }
    });
  }
  data.node_ids.set_owners(owners);
  data.node_ids.build_index();
  return nodes;
}

/// The new nodes are as warm as the old ones.
void add_nodes(std::vector<AbaqusTemperature>& temperatures, const Doubled& nodes) {
  for (AbaqusTemperature& line : temperatures) {
    const std::vector<Ordinal> old = line.nodes;
    for (const Ordinal node : old)
      if (const auto pair = nodes.find(node); pair != nodes.end()) line.nodes.push_back(pair->second);
    std::sort(line.nodes.begin(), line.nodes.end());
  }
}

} // namespace

void add_pretension(const AbaqusPretension& pretension, AbaqusMesh& mesh, AbaqusDeck& deck) {
  const Ordinal reference = single_node(pretension.reference, mesh, pretension.place);
  const Doubled nodes = cut_off(pretension, mesh);
  if (std::any_of(nodes.begin(), nodes.end(), [&](const auto& pair) { return pair.first == reference; }))
    pretension.place.fail("node " + pretension.reference + " of *PRE-TENSION SECTION lies on its surface");
  add_nodes(deck.initial_temperatures, nodes);
  for (AbaqusStep& step : deck.steps) add_nodes(step.temperatures, nodes);
  for (const auto& [node, own] : nodes)
    for (int component = 1; component <= 3; ++component) {
      AbaqusEquation equation{{{own, component, 1.0}, {node, component, -1.0}}, pretension.place, true};
      const double share = pretension.direction[static_cast<std::size_t>(component - 1)];
      if (share != 0.0) equation.terms.push_back({reference, 1, -share});
      deck.equations.push_back(std::move(equation));
    }
}

} // namespace tessera::io

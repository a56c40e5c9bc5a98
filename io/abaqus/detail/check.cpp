// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/detail/node_order.hpp>

#include <algorithm>
#include <span>
#include <string>

namespace tessera::io {

namespace {

/// Why elements of a type are not integrated so; empty if they are.
std::string obstacle_to(const AbaqusType& type, Integration integration) {
  if (integration == Integration::full || (!type.reduced && !type.obstacle.empty()))
    return std::string(type.obstacle);
  const bool may_be_reduced = type.type.order == 2 && is_cube(type.type.shape);
  return type.reduced || !may_be_reduced ? "" : "is integrated fully, beside elements that are not";
}

} // namespace

namespace {

/// CalculiX integrates a collapsed hexahedron as a hexahedron, at eight points, and a wedge at two; and of
/// second order the functions differ too.
void require_distinct_nodes(const MeshData& mesh) {
  for (const CellBlock& block : mesh.blocks) {
    const auto nodes = static_cast<std::size_t>(block.type.nodes());
    for (Ordinal cell = 0; cell < block.cells(); ++cell) {
      const auto of_cell = std::span(block.nodes).subspan(static_cast<std::size_t>(cell) * nodes, nodes);
      for (std::size_t n = 0; n < nodes; ++n)
        if (std::count(of_cell.begin(), of_cell.end(), of_cell[n]) > 1)
          throw UnsupportedError(mesh.source + ": element " + block.ids.name(cell) + ", a " +
                                 block.type.name() + ", names node " + mesh.node_ids.name(of_cell[n]) +
                                 " twice; collapsed elements are read in meshes (--mesh), as what they are, "
                                 "and not solved in decks, where their integration differs from that of "
                                 "wedges, pyramids and tetrahedra");
    }
  }
}

/// Numbers the nodes that equations have and the mesh has no more after those of the mesh.
void keep_nodes_of_equations(AbaqusDeck& deck, const Numbering& old_ids, std::vector<Ordinal>& renumbered) {
  for (const AbaqusEquation& equation : deck.equations)
    for (const AbaqusEquation::Term& term : equation.terms) {
      Ordinal& number = renumbered[static_cast<std::size_t>(term.node)];
      if (number >= 0) continue;
      number = deck.mesh.nodes() + static_cast<Ordinal>(deck.nodes_beyond.size());
      deck.nodes_beyond.push_back(old_ids.id(term.node));
    }
}

} // namespace

AbaqusDeck select(AbaqusDeck&& deck, CellType type, const Partial& partial) {
  return select(std::move(deck), std::span(&type, 1), partial);
}

AbaqusDeck select(AbaqusDeck&& deck, std::span<const CellType> types, const Partial& partial) {
  std::vector<Ordinal> renumbered;
  const Numbering old_ids = deck.mesh.node_ids;
  if (!deck.orientation_of_cells.empty()) {
    std::vector<std::vector<std::int32_t>> orientations(types.size());
    for (std::size_t b = 0; b < deck.mesh.blocks.size(); ++b)
      for (std::size_t t = 0; t < types.size(); ++t)
        if (deck.mesh.blocks[b].type == types[t]) orientations[t] = std::move(deck.orientation_of_cells[b]);
    deck.orientation_of_cells = std::move(orientations);
  }
  std::string cells;
  for (const CellType& type : types) cells += (cells.empty() ? "" : ", ") + type.name();
  deck.mesh = select(std::move(deck.mesh), types, partial, &renumbered);
  if (!renumbered.empty()) {
    keep_nodes_of_equations(deck, old_ids, renumbered);
    const auto number = [&](Ordinal node) { return renumbered[static_cast<std::size_t>(node)]; };
    for (AbaqusEquation& equation : deck.equations)
      for (AbaqusEquation::Term& term : equation.terms) term.node = number(term.node);
    std::map<Ordinal, AbaqusAxes> axes;
    for (const auto& [node, directions] : deck.axes)
      if (number(node) >= 0) axes[number(node)] = directions;
    deck.axes = std::move(axes);
  }
  const auto renumber = [&](std::vector<Ordinal>& nodes) {
    if (renumbered.empty()) return;
    for (Ordinal& node : nodes) node = renumbered[static_cast<std::size_t>(node)];
  };
  const auto reduce = [&](auto& lines) {
    for (auto& line : lines) {
      renumber(line.nodes);
      std::erase(line.nodes, -1);
    }
  };
  reduce(deck.constraints);
  reduce(deck.initial_temperatures);
  for (AbaqusStep& step : deck.steps) {
    reduce(step.constraints);
    reduce(step.temperatures);
    for (AbaqusNodalLoad& load : step.nodal_loads) {
      renumber(load.nodes);
      if (std::count(load.nodes.begin(), load.nodes.end(), -1) > 0)
        load.place.unsupported("a force acts on a node which no " + cells + " cell uses");
    }
    const auto require_type = [&](const auto& loads) {
      for (const auto& load : loads)
        if (std::find(types.begin(), types.end(), load.type) == types.end())
          load.place.unsupported("a load acts on " + load.type.name() + " cells beside the " + cells +
                                 " cells");
    };
    require_type(step.pressures);
    require_type(step.gravities);
    require_type(step.rotations);
  }
  return std::move(deck);
}

bool is_tabulated(const AbaqusDeck& deck) {
  const bool turned = !deck.orientations.empty();
  return std::any_of(deck.sections.begin(), deck.sections.end(), [&](const AbaqusSection& section) {
    return std::any_of(deck.materials.begin(), deck.materials.end(), [&](const AbaqusMaterial& material) {
      return material.name == section.material &&
             (material.stiffness || material.elastic.varies() ||
              (turned && !material.expansion.empty() && material.expansion.rows.front().size() == 3));
    });
  });
}

Integration integration_of(const AbaqusDeck& deck) {
  for (const CellBlock& block : deck.mesh.blocks)
    for (const auto& [name, cells] : block.formulations)
      if (abaqus_type(name)->reduced) return Integration::reduced;
  return Integration::full;
}

void require_linear_static(const AbaqusDeck& deck, Integration integration) {
  if (!deck.others.empty())
    deck.others.front().place.unsupported(deck.others.front().what +
                                          " is not supported in a linear static deck");
  if (deck.steps.empty()) throw UnsupportedError(deck.mesh.source + ": has no step");
  for (const AbaqusStep& step : deck.steps)
    if (!step.is_static) step.place.unsupported("the step is not *STATIC");
  const bool weighs = std::any_of(deck.steps.begin(), deck.steps.end(), [](const AbaqusStep& step) {
    return !step.gravities.empty() || !step.rotations.empty();
  });
  for (const AbaqusSection& section : deck.sections) {
    const auto material =
        std::find_if(deck.materials.begin(), deck.materials.end(),
                     [&](const AbaqusMaterial& candidate) { return candidate.name == section.material; });
    const std::string name = material->place.shown() + "material " + in_quotes(material->name);
    if (material->stiffness && !AnisotropicElasticity::is_positive_definite(*material->stiffness))
      throw FormError(name + " has a stiffness that is not positive definite");
    if (!material->young && !material->stiffness) throw FormError(name + " is not *ELASTIC");
    for (const std::vector<double>& row : material->elastic.rows) {
      if (!(row[0] > 0.0))
        throw FormError(name + " has Young's modulus " + shown(row[0]) + ", which must be positive");
      if (!(row[1] > -1.0 && row[1] < 0.5))
        throw FormError(name + " has Poisson's ratio " + shown(row[1]) +
                        ", which must lie between -1 and 0.5");
    }
    if (weighs && !material->density)
      throw FormError(name + " has no *DENSITY, which gravity and rotation need");
    if (weighs && material->density_varies)
      throw UnsupportedError(name + " has a *DENSITY that depends on the temperature");
  }
  for (const CellBlock& block : deck.mesh.blocks)
    for (const auto& [name, cells] : block.formulations)
      if (const std::string obstacle = obstacle_to(*abaqus_type(name), integration); !obstacle.empty())
        throw UnsupportedError(deck.mesh.source + ": element " + block.ids.name(cells.front().first) +
                               " is a " + name + ", which " + obstacle);
  require_distinct_nodes(deck.mesh);
  for (const CellBlock& block : deck.mesh.blocks)
    for (Ordinal cell = 0; cell < block.cells(); ++cell)
      if (block.material[static_cast<std::size_t>(cell)] == 0)
        throw FormError(deck.mesh.source + ": element " + block.ids.name(cell) + " has no *SOLID SECTION");
}

} // namespace tessera::io

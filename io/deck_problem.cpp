// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/deck_problem.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::io::detail {

namespace {} // namespace

namespace {

int components_of(const AbaqusDeck& deck, Ordinal node, int dimension) {
  return node < deck.mesh.nodes() ? dimension : components_beyond;
}

Ordinal dof_of(const AbaqusDeck& deck, Ordinal node, int component, int dimension) {
  const Ordinal beyond = node - deck.mesh.nodes();
  return beyond < 0 ? node * dimension + component - 1
                    : deck.mesh.nodes() * dimension + beyond * components_beyond + component - 1;
}

Prescribed prescribed(const AbaqusDeck& deck, const std::vector<AbaqusConstraint>& constraints,
                      int dimension) {
  Prescribed found;
  for (const AbaqusConstraint& constraint : constraints) {
    // CalculiX makes solids of plane elements, whose nodes a rotation joins; in space it has no effect.
    if (dimension == 2 && constraint.last > 3 &&
        std::any_of(constraint.nodes.begin(), constraint.nodes.end(),
                    [&](Ordinal node) { return node < deck.mesh.nodes(); }))
      constraint.place.unsupported("rotations are held at nodes of plane elements");
    if (constraint.last > 3 && constraint.value != 0.0)
      for (const Ordinal node : constraint.nodes)
        if (node < deck.mesh.nodes())
          constraint.place.unsupported("a rotation of " + shown(constraint.value) + " at node " +
                                       deck.mesh.node_ids.name(node) + ", which elements have");
    for (const Ordinal node : constraint.nodes)
      for (int component = constraint.first;
           component <= std::min(constraint.last, components_of(deck, node, dimension)); ++component) {
        const auto [first, fresh] = found.try_emplace({node, component - 1}, &constraint);
        if (!fresh && first->second->value != constraint.value)
          constraint.place.fail(
              "node " + deck.mesh.node_ids.name(node) + " gets the displacement " + shown(constraint.value) +
              " along axis " + std::to_string(component) + ", and " + shown(first->second->value) +
              " in line " + std::to_string(first->second->place.line) + " of " + first->second->place.file);
      }
  }
  return found;
}

} // namespace

Prescribed prescribed(const AbaqusDeck& deck, int dimension) {
  Prescribed all = prescribed(deck, deck.steps.front().constraints, dimension);
  all.merge(prescribed(deck, deck.constraints, dimension));
  return all;
}

namespace {

/// Adds a component of a node along the node's axes to the terms of an equation.
void add_terms(const AbaqusDeck& deck, const AbaqusEquation::Term& term, bool common_axes, int dimension,
               const AbaqusPlace& place, std::vector<LinearTerm>& terms) {
  if (term.component > components_of(deck, term.node, dimension))
    place.unsupported("component " + std::to_string(term.component) + " at node " +
                      deck.mesh.node_ids.name(term.node) + ", which has " + std::to_string(dimension));
  const auto axes = deck.axes.find(term.node);
  if (common_axes || axes == deck.axes.end()) {
    terms.push_back({dof_of(deck, term.node, term.component, dimension), term.factor});
    return;
  }
  if (term.component > 3) place.unsupported("a rotation along axes of the node's own");
  const std::array<double, 3>& axis = axes->second[static_cast<std::size_t>(term.component - 1)];
  if (dimension == 2 && std::abs(axis[2]) > 1e-10)
    place.unsupported("axes of a node out of the plane of the elements");
  for (int d = 0; d < dimension; ++d)
    if (axis[static_cast<std::size_t>(d)] != 0.0)
      terms.push_back(
          {dof_of(deck, term.node, d + 1, dimension), term.factor * axis[static_cast<std::size_t>(d)]});
}

} // namespace

DeckConstraints constraints_of(const AbaqusDeck& deck, int dimension) {
  DeckConstraints found;
  for (const auto& [dof, constraint] : prescribed(deck, dimension)) {
    if (!deck.axes.contains(dof.first)) {
      found.prescribed[dof_of(deck, dof.first, dof.second + 1, dimension)] = constraint->value;
      continue;
    }
    LinearEquation support{{}, constraint->value, constraint->place.shown() + "a support"};
    add_terms(deck, {dof.first, dof.second + 1, 1.0}, false, dimension, constraint->place, support.terms);
    found.equations.push_back(std::move(support));
  }
  for (const AbaqusEquation& equation : deck.equations) {
    LinearEquation terms{{}, 0.0, equation.place.shown() + "an equation"};
    for (const AbaqusEquation::Term& term : equation.terms)
      add_terms(deck, term, equation.common_axes, dimension, equation.place, terms.terms);
    found.equations.push_back(std::move(terms));
  }
  return found;
}

std::map<Ordinal, double> forces_of(const AbaqusDeck& deck, int dimension) {
  std::map<Ordinal, double> found;
  for (const AbaqusNodalLoad& load : deck.steps.front().nodal_loads) {
    for (const Ordinal node : load.nodes) {
      if (load.component == 3 && components_of(deck, node, dimension) == 2)
        load.place.unsupported("a force across the plane of the elements");
      std::vector<LinearTerm> terms;
      add_terms(deck, {node, load.component, load.value}, false, dimension, load.place, terms);
      for (const LinearTerm& term : terms) found[term.dof] += term.factor;
    }
  }
  return found;
}

std::vector<SidesUnderPressure> pressures(const AbaqusDeck& deck, const std::vector<double>& thickness) {
  std::vector<SidesUnderPressure> found;
  const CellBlock& block = deck.mesh.blocks.front();
  for (const AbaqusPressure& pressure : deck.steps.front().pressures) {
    std::map<double, std::vector<Side>> by_thickness;
    for (const Side& side : pressure.sides) {
      const std::int32_t number = block.material[static_cast<std::size_t>(side.cell)];
      by_thickness[thickness[static_cast<std::size_t>(number)]].push_back(side);
    }
    for (auto& [t, sides] : by_thickness) found.push_back({pressure.value * t, std::move(sides)});
  }
  return found;
}

namespace {

/// VTK's edges of a hexahedron with nodes on them: its ends, and the node between.
constexpr std::array<std::array<std::size_t, 3>, 12> hexahedron_edges{{{0, 1, 8},
                                                                       {1, 2, 9},
                                                                       {2, 3, 10},
                                                                       {3, 0, 11},
                                                                       {4, 5, 12},
                                                                       {5, 6, 13},
                                                                       {6, 7, 14},
                                                                       {7, 4, 15},
                                                                       {0, 4, 16},
                                                                       {1, 5, 17},
                                                                       {2, 6, 18},
                                                                       {3, 7, 19}}};

/// Whether the node is in the middle of the edge, but for what decks round.
bool is_straight(const std::array<const double*, 3>& edge) {
  double length = 0.0, deviation = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    length = std::hypot(length, edge[1][d] - edge[0][d]);
    deviation = std::hypot(deviation, edge[2][d] - (edge[0][d] + edge[1][d]) / 2);
  }
  return deviation <= 1e-5 * length;
}

} // namespace

void require_straight_loaded_edges(const AbaqusDeck& deck) {
  const CellBlock& block = deck.mesh.blocks.front();
  for (const AbaqusPressure& pressure : deck.steps.front().pressures)
    for (const Side& side : pressure.sides)
      for (const auto& edge : hexahedron_edges) {
        std::array<const double*, 3> points{};
        for (std::size_t k = 0; k < 3; ++k) {
          const auto node = block.nodes[static_cast<std::size_t>(side.cell) * 20 + edge[k]];
          points[k] = &deck.mesh.points[static_cast<std::size_t>(node) * 3];
        }
        if (!is_straight(points))
          pressure.place.unsupported("a pressure on element " + block.ids.name(side.cell) +
                                     ", which has curved edges and reduced integration");
      }
}

} // namespace tessera::io::detail

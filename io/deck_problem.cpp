// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/deck_problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace tessera::io::detail {

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
  const bool turns = term.component > 3;
  const std::array<double, 3>& axis =
      axes->second[static_cast<std::size_t>(term.component - (turns ? 4 : 1))];
  if (dimension == 2 && std::abs(axis[2]) > 1e-10)
    place.unsupported("axes of a node out of the plane of the elements");
  for (int d = 0; d < (turns ? 3 : dimension); ++d)
    if (axis[static_cast<std::size_t>(d)] != 0.0)
      terms.push_back({dof_of(deck, term.node, (turns ? 4 : 1) + d, dimension),
                       term.factor * axis[static_cast<std::size_t>(d)]});
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
  for (const AbaqusPressure& pressure : deck.steps.front().pressures) {
    const CellBlock& block = *deck.mesh.find(pressure.type);
    std::map<double, std::vector<Side>> by_thickness;
    for (const Side& side : pressure.sides) {
      const std::int32_t number = block.material[static_cast<std::size_t>(side.cell)];
      by_thickness[thickness[static_cast<std::size_t>(number)]].push_back(side);
    }
    for (auto& [t, sides] : by_thickness) found.push_back({block.type, pressure.value * t, std::move(sides)});
  }
  return found;
}

namespace {

/// VTK's edges with nodes on them: the ends, and the node between.
using EdgeNodes = std::array<std::size_t, 3>;
constexpr EdgeNodes hexahedron_edges[] = {{0, 1, 8},  {1, 2, 9},  {2, 3, 10}, {3, 0, 11},
                                          {4, 5, 12}, {5, 6, 13}, {6, 7, 14}, {7, 4, 15},
                                          {0, 4, 16}, {1, 5, 17}, {2, 6, 18}, {3, 7, 19}};
constexpr EdgeNodes wedge_edges[] = {{0, 1, 6},  {1, 2, 7},  {2, 0, 8},  {3, 4, 9}, {4, 5, 10},
                                     {5, 3, 11}, {0, 3, 12}, {1, 4, 13}, {2, 5, 14}};
/// The diagonals of a wedge's quadrilaterals, sides 2 to 4.
constexpr std::array<std::size_t, 4> wedge_diagonals[] = {{0, 4, 1, 3}, {1, 5, 2, 4}, {2, 3, 0, 5}};

/// The nodes of an element.
class ElementPoints {
public:
  ElementPoints(const MeshData& mesh, const CellBlock& block, Ordinal cell)
      : mesh_(mesh),
        nodes_(&block.nodes[static_cast<std::size_t>(cell) * block.nodes.size() / block.material.size()]) {}

  /// How far the middle between two nodes is from that between two others, relative to the distance of the
  /// first two.
  double apart(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
    double length = 0.0, deviation = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      length = std::hypot(length, at(b)[axis] - at(a)[axis]);
      deviation = std::hypot(deviation, (at(a)[axis] + at(b)[axis] - at(c)[axis] - at(d)[axis]) / 2);
    }
    return deviation / length;
  }

private:
  const double* at(std::size_t node) const {
    return &mesh_.points[static_cast<std::size_t>(nodes_[node]) * 3];
  }
  const MeshData& mesh_;
  const Ordinal* nodes_;
};

constexpr double rounding_of_decks = 1e-5;

bool has_straight_edges(const ElementPoints& element, std::span<const EdgeNodes> edges) {
  return std::all_of(edges.begin(), edges.end(), [&](const EdgeNodes& edge) {
    return element.apart(edge[0], edge[1], edge[2], edge[2]) <= rounding_of_decks;
  });
}

/// What is wrong with a side of an element under a pressure; empty if nothing is.
std::string fault_of(const ElementPoints& element, CellType type, bool reduced, Ordinal side) {
  if (type == CellType{Shape::wedge, 1} && side >= 2) {
    const auto& [a, b, c, d] = wedge_diagonals[side - 2];
    return element.apart(a, b, c, d) <= rounding_of_decks ? "" : "whose side is no parallelogram";
  }
  const bool curved =
      (type.shape == Shape::wedge && type.order == 2 && !has_straight_edges(element, wedge_edges)) ||
      (type.shape == Shape::hexahedron && reduced && !has_straight_edges(element, hexahedron_edges));
  return curved ? "which has curved edges and reduced integration" : "";
}

} // namespace

void require_flat_loaded_sides(const AbaqusDeck& deck) {
  const bool reduced = integration_of(deck) == Integration::reduced;
  for (const AbaqusPressure& pressure : deck.steps.front().pressures) {
    const CellBlock& block = *deck.mesh.find(pressure.type);
    for (const Side& side : pressure.sides) {
      const std::string fault =
          fault_of(ElementPoints(deck.mesh, block, side.cell), block.type, reduced, side.side);
      if (!fault.empty())
        pressure.place.unsupported("a pressure on element " + block.ids.name(side.cell) + ", " + fault);
    }
  }
}

} // namespace tessera::io::detail

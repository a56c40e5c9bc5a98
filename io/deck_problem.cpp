// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/deck_problem.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::io::detail {

namespace {

std::string at(const AbaqusPlace& place) { return place.file + ":" + std::to_string(place.line) + ": "; }

std::size_t material_of(const AbaqusDeck& deck, const AbaqusSection& section) {
  const auto found =
      std::find_if(deck.materials.begin(), deck.materials.end(),
                   [&](const AbaqusMaterial& material) { return material.name == section.material; });
  return static_cast<std::size_t>(found - deck.materials.begin()) + 1;
}

} // namespace

std::vector<double> thickness_of(const AbaqusDeck& deck, int dimension) {
  std::vector<double> thickness(deck.materials.size() + 1, 0.0);
  for (const AbaqusSection& section : deck.sections) {
    double& entry = thickness[material_of(deck, section)];
    const double given = dimension == 2 ? section.thickness : 1.0;
    if (entry != 0.0 && entry != given)
      throw UnsupportedError(at(section.place) + "material '" + section.material +
                             "' with a second thickness");
    entry = given;
  }
  // Materials without a section have no elements.
  std::replace(thickness.begin(), thickness.end(), 0.0, 1.0);
  return thickness;
}

ElasticConstants elastic_constants(const AbaqusDeck& deck, const std::vector<double>& thickness) {
  ElasticConstants constants{std::vector<double>(thickness.size(), 1.0),
                             std::vector<double>(thickness.size(), 0.0)};
  for (const AbaqusSection& section : deck.sections) {
    const std::size_t number = material_of(deck, section);
    const AbaqusMaterial& material = deck.materials[number - 1];
    constants.young[number] = *material.young * thickness[number];
    constants.poisson[number] = *material.poisson;
  }
  return constants;
}

std::vector<double> of_materials(const std::vector<double>& values,
                                 const std::vector<MaterialLabel>& labels) {
  std::vector<double> chosen;
  chosen.reserve(labels.size());
  for (const MaterialLabel& label : labels) chosen.push_back(values[static_cast<std::size_t>(label.number)]);
  return chosen;
}

namespace {

/// Density times thickness of each cell.
std::vector<double> mass_of_cells(const AbaqusDeck& deck, const std::vector<double>& thickness) {
  const CellBlock& block = deck.mesh.blocks.front();
  std::vector<double> mass;
  mass.reserve(block.material.size());
  for (const std::int32_t number : block.material)
    mass.push_back(*deck.materials[static_cast<std::size_t>(number - 1)].density *
                   thickness[static_cast<std::size_t>(number)]);
  return mass;
}

/// Calls with the place of each cell of a set.
template <class Call>
void for_each_cell(const CellSet& cells, const Call& call) {
  for (const CellRange& range : cells)
    for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
      call(static_cast<std::size_t>(cell));
}

void add_body_forces(const AbaqusDeck& deck, const std::vector<double>& thickness, CellLoads& loads) {
  const AbaqusStep& step = deck.steps.front();
  if (step.gravities.empty() && step.rotations.empty()) return;
  const std::vector<double> mass = mass_of_cells(deck, thickness);
  if (!step.gravities.empty()) loads.force.resize(mass.size());
  for (const AbaqusGravity& gravity : step.gravities)
    for_each_cell(gravity.cells, [&](std::size_t cell) {
      for (std::size_t d = 0; d < 3; ++d) loads.force[cell][d] += mass[cell] * gravity.acceleration[d];
    });
  for (const AbaqusRotation& rotation : step.rotations) {
    CellLoads::Rotation& added = loads.rotations.emplace_back();
    added.point = rotation.point;
    added.axis = rotation.axis;
    added.weight.resize(mass.size());
    for_each_cell(rotation.cells,
                  [&](std::size_t cell) { added.weight[cell] = mass[cell] * rotation.squared_speed; });
  }
}

/// The last temperature of each node; NaN where it has none.
void set_temperatures(const std::vector<AbaqusTemperature>& lines, std::vector<double>& temperatures) {
  for (const AbaqusTemperature& line : lines)
    for (const Ordinal node : line.nodes) temperatures[static_cast<std::size_t>(node)] = line.value;
}

std::array<double, 3> stress_per_degree(const AbaqusMaterial& material, double young, double poisson,
                                        Plane plane, int dimension) {
  std::array<double, 3> strain{}, stress{};
  for (std::size_t d = 0; d < 3; ++d)
    strain[d] = material.expansion.size() == 3 ? material.expansion[d] : material.expansion.front();
  const double mu = young / (2 * (1 + poisson));
  const bool thin = dimension == 2 && plane == Plane::stress;
  const double lambda = 2 * mu * poisson / (thin ? 1 - poisson : 1 - 2 * poisson);
  const double volume = strain[0] + strain[1] + (thin ? 0.0 : strain[2]);
  for (std::size_t d = 0; d < 3; ++d) stress[d] = lambda * volume + 2 * mu * strain[d];
  return stress;
}

bool is_first_order_box(CellType type) {
  return type.order == 1 && (type.shape == Shape::quadrilateral || type.shape == Shape::hexahedron);
}

/// \throws as cell_loads
void check_warming(const AbaqusDeck& deck, const CellLoads& loads) {
  const CellBlock& block = deck.mesh.blocks.front();
  const AbaqusPlace& place = deck.steps.front().temperatures.front().place;
  const std::size_t count = block.nodes.size() / block.material.size();
  const bool fits = block.type.order == 1 || block.type.shape == Shape::tetrahedron ||
                    block.type.shape == Shape::triangle || integration_of(deck) == Integration::reduced;
  for (std::size_t cell = 0; cell < block.material.size(); ++cell) {
    if (deck.materials[static_cast<std::size_t>(block.material[cell] - 1)].expansion.empty()) continue;
    const double first = loads.warming[static_cast<std::size_t>(block.nodes[cell * count])];
    for (std::size_t n = 0; n < count; ++n) {
      const Ordinal node = block.nodes[cell * count + n];
      const double degrees = loads.warming[static_cast<std::size_t>(node)];
      if (std::isnan(degrees))
        throw FormError(at(place) + "node " + deck.mesh.node_ids.name(node) + " has no initial temperature");
      if (!fits && degrees != first)
        throw UnsupportedError(at(place) + "a temperature that varies within element " +
                               block.ids.name(static_cast<Ordinal>(cell)) +
                               ", which has nodes on its edges and full integration");
    }
  }
}

void add_warming(const AbaqusDeck& deck, const ElasticConstants& constants, CellLoads& loads) {
  const AbaqusStep& step = deck.steps.front();
  const bool expands = std::any_of(deck.materials.begin(), deck.materials.end(),
                                   [](const auto& material) { return !material.expansion.empty(); });
  if (!expands || step.temperatures.empty()) return;
  const CellBlock& block = deck.mesh.blocks.front();
  const int dimension = block.type.dimension();
  const Plane plane = dimension == 2 ? plane_of(block, deck.mesh.source) : Plane::strain;
  std::vector<double> initial(static_cast<std::size_t>(deck.mesh.nodes() + deck.nodes_beyond.size()), NAN);
  set_temperatures(deck.initial_temperatures, initial);
  loads.warming = initial;
  set_temperatures(step.temperatures, loads.warming);
  for (std::size_t node = 0; node < initial.size(); ++node) loads.warming[node] -= initial[node];
  loads.mean_warming = is_first_order_box(block.type);
  loads.nodes = block.nodes;
  loads.materials = block.material;
  check_warming(deck, loads);
  loads.stress_per_degree.resize(deck.materials.size() + 1);
  for (std::size_t m = 0; m < deck.materials.size(); ++m) {
    const AbaqusMaterial& material = deck.materials[m];
    if (material.expansion.empty()) continue;
    if (material.expansion_varies)
      throw UnsupportedError(at(material.place) + "material '" + material.name +
                             "' with an *EXPANSION that depends on the temperature");
    loads.stress_per_degree[m + 1] =
        stress_per_degree(material, constants.young[m + 1], constants.poisson[m + 1], plane, dimension);
  }
}

} // namespace

CellLoads cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness,
                     const ElasticConstants& constants) {
  CellLoads loads;
  add_body_forces(deck, thickness, loads);
  add_warming(deck, constants, loads);
  return loads;
}

Plane plane_of(const CellBlock& block, const std::string& source) {
  bool stress = false, strain = false;
  for (const auto& [name, cells] : block.formulations) (name.starts_with("CPS") ? stress : strain) = true;
  if (stress && strain) throw UnsupportedError(source + ": has elements of plane stress and of plane strain");
  return stress ? Plane::stress : Plane::strain;
}

namespace {

Prescribed prescribed(const AbaqusDeck& deck, const std::vector<AbaqusConstraint>& constraints,
                      int dimension) {
  Prescribed found;
  for (const AbaqusConstraint& constraint : constraints) {
    // CalculiX makes solids of plane elements, whose nodes a rotation joins; in space it has no effect.
    if (dimension == 2 && constraint.last > 3 && !constraint.nodes.empty())
      throw UnsupportedError(at(constraint.place) + "rotations are held at nodes of plane elements");
    for (const Ordinal node : constraint.nodes)
      for (int component = constraint.first; component <= std::min(constraint.last, dimension); ++component) {
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
void add_terms(const AbaqusDeck& deck, const AbaqusEquation::Term& term, int dimension,
               const AbaqusPlace& place, std::vector<LinearTerm>& terms) {
  if (term.component > dimension)
    throw UnsupportedError(at(place) + "component " + std::to_string(term.component) +
                           " of a displacement of plane elements");
  const auto axes = deck.axes.find(term.node);
  if (axes == deck.axes.end()) {
    terms.push_back({term.node * dimension + term.component - 1, term.factor});
    return;
  }
  const std::array<double, 3>& axis = axes->second[static_cast<std::size_t>(term.component - 1)];
  if (dimension == 2 && std::abs(axis[2]) > 1e-10)
    throw UnsupportedError(at(place) + "axes of a node out of the plane of the elements");
  for (int d = 0; d < dimension; ++d)
    if (axis[static_cast<std::size_t>(d)] != 0.0)
      terms.push_back({term.node * dimension + d, term.factor * axis[static_cast<std::size_t>(d)]});
}

} // namespace

DeckConstraints constraints_of(const AbaqusDeck& deck, int dimension) {
  DeckConstraints found;
  for (const auto& [dof, constraint] : prescribed(deck, dimension)) {
    if (!deck.axes.contains(dof.first)) {
      found.prescribed[dof.first * dimension + dof.second] = constraint->value;
      continue;
    }
    LinearEquation support{{}, constraint->value, at(constraint->place) + "a support"};
    add_terms(deck, {dof.first, dof.second + 1, 1.0}, dimension, constraint->place, support.terms);
    found.equations.push_back(std::move(support));
  }
  for (const AbaqusEquation& equation : deck.equations) {
    LinearEquation terms{{}, 0.0, at(equation.place) + "an equation"};
    for (const AbaqusEquation::Term& term : equation.terms)
      add_terms(deck, term, dimension, equation.place, terms.terms);
    found.equations.push_back(std::move(terms));
  }
  return found;
}

std::map<Ordinal, double> forces_of(const AbaqusDeck& deck, int dimension) {
  std::map<Ordinal, double> found;
  for (const AbaqusNodalLoad& load : deck.steps.front().nodal_loads) {
    if (load.component > dimension)
      throw UnsupportedError(at(load.place) + "a force across the plane of the elements");
    for (const Ordinal node : load.nodes) {
      std::vector<LinearTerm> terms;
      add_terms(deck, {node, load.component, load.value}, dimension, load.place, terms);
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
          throw UnsupportedError(at(pressure.place) + "a pressure on element " + block.ids.name(side.cell) +
                                 ", which has curved edges and reduced integration");
      }
}

} // namespace tessera::io::detail

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/deck_loads.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::io::detail {

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
        throw FormError(place.shown() + "node " + deck.mesh.node_ids.name(node) +
                        " has no initial temperature");
      if (!fits && degrees != first)
        place.unsupported("a temperature that varies within element " +
                          block.ids.name(static_cast<Ordinal>(cell)) +
                          ", which has nodes on its edges and full integration");
    }
  }
}

void add_warming(const AbaqusDeck& deck, const CellKinds& kinds, CellLoads& loads) {
  const AbaqusStep& step = deck.steps.front();
  const bool expands = std::any_of(deck.materials.begin(), deck.materials.end(),
                                   [](const auto& material) { return !material.expansion.empty(); });
  if (!expands || step.temperatures.empty()) return;
  const CellBlock& block = deck.mesh.blocks.front();
  std::vector<double> initial(static_cast<std::size_t>(deck.mesh.nodes()) + deck.nodes_beyond.size(), NAN);
  set_temperatures(deck.initial_temperatures, initial);
  loads.warming = initial;
  set_temperatures(step.temperatures, loads.warming);
  for (std::size_t node = 0; node < initial.size(); ++node) loads.warming[node] -= initial[node];
  loads.mean_warming = is_first_order_box(block.type);
  loads.nodes = block.nodes;
  loads.kinds = kinds.of_cells;
  check_warming(deck, loads);
  for (double& degrees : loads.warming)
    if (std::isnan(degrees)) degrees = 0.0; // of a node around which nothing expands
  for (const AbaqusMaterial& material : deck.materials)
    if (material.expansion_varies)
      material.place.unsupported("material '" + material.name +
                                 "' with an *EXPANSION that depends on the temperature");
  loads.stress_per_degree = kinds.stress_per_degree;
}

} // namespace

CellLoads cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness, const CellKinds& kinds) {
  CellLoads loads;
  add_body_forces(deck, thickness, loads);
  add_warming(deck, kinds, loads);
  return loads;
}

} // namespace tessera::io::detail

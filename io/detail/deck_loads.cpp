// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/deck_loads.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::io::detail {

namespace {

/// Density times thickness of each cell.
std::vector<double> mass_of_cells(const AbaqusDeck& deck, const CellBlock& block,
                                  const std::vector<double>& thickness) {
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

void add_body_forces(const AbaqusDeck& deck, const CellBlock& block, const std::vector<double>& thickness,
                     CellLoads& loads) {
  const AbaqusStep& step = deck.steps.front();
  if (step.gravities.empty() && step.rotations.empty()) return;
  const std::vector<double> mass = mass_of_cells(deck, block, thickness);
  if (!step.gravities.empty()) loads.force.resize(mass.size());
  for (const AbaqusGravity& gravity : step.gravities) {
    if (gravity.type != block.type) continue;
    for_each_cell(gravity.cells, [&](std::size_t cell) {
      for (std::size_t d = 0; d < 3; ++d) loads.force[cell][d] += mass[cell] * gravity.acceleration[d];
    });
  }
  for (const AbaqusRotation& rotation : step.rotations) {
    if (rotation.type != block.type) continue;
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

/// \throws as cell_loads
void require_initial_temperatures(const AbaqusDeck& deck, const CellBlock& block,
                                  const NodeTemperatures& temperatures) {
  const AbaqusPlace& place = deck.steps.front().temperatures.front().place;
  for (std::size_t i = 0; i < block.nodes.size(); ++i) {
    const std::size_t cell = i / (block.nodes.size() / block.material.size());
    if (deck.materials[static_cast<std::size_t>(block.material[cell] - 1)].expansion.empty()) continue;
    if (std::isnan(temperatures.initial[static_cast<std::size_t>(block.nodes[i])]))
      throw FormError(place.shown() + "node " + deck.mesh.node_ids.name(block.nodes[i]) +
                      " has no initial temperature");
  }
}

void add_expansion(const AbaqusDeck& deck, const CellBlock& block, const CellKinds& kinds,
                   const NodeTemperatures& temperatures, CellLoads& loads) {
  const bool expands = std::any_of(deck.materials.begin(), deck.materials.end(),
                                   [](const auto& material) { return !material.expansion.empty(); });
  if (!expands || deck.steps.front().temperatures.empty()) return;
  require_initial_temperatures(deck, block, temperatures);
  loads.materials = deck.materials;
  loads.material = block.material;
  loads.nodes = block.nodes;
  loads.temperatures = temperatures;
  for (std::vector<double>* field : {&loads.temperatures.initial, &loads.temperatures.last})
    std::replace_if(field->begin(), field->end(), [](double t) { return std::isnan(t); }, 0.0);
  loads.stress_of_expansion = kinds.stress_of_expansion;
}

/// The strains along the axes of a material between two temperatures.
std::array<double, 3> strains_between(const AbaqusMaterial& material, double initial, double last) {
  const std::vector<double> first = material.expansion.at(initial), second = material.expansion.at(last);
  std::array<double, 3> strain{};
  for (std::size_t p = 0; p < 3; ++p) {
    const std::size_t i = first.size() == 3 ? p : 0;
    strain[p] = second[i] * (last - material.expansion_zero) - first[i] * (initial - material.expansion_zero);
  }
  return strain;
}

} // namespace

NodeTemperatures node_temperatures(const AbaqusDeck& deck) {
  NodeTemperatures temperatures;
  temperatures.initial.assign(static_cast<std::size_t>(deck.mesh.nodes()) + deck.nodes_beyond.size(), NAN);
  set_temperatures(deck.initial_temperatures, temperatures.initial);
  temperatures.last = temperatures.initial;
  set_temperatures(deck.steps.front().temperatures, temperatures.last);
  return temperatures;
}

VoigtVector CellLoads::thermal_stress(std::size_t cell, std::size_t point) const {
  VoigtVector stress{};
  const AbaqusMaterial& of_cell = materials[static_cast<std::size_t>(material[cell] - 1)];
  if (of_cell.expansion.empty()) return stress;
  const Ordinal* of_nodes = &nodes[cell * rule.nodes];
  const std::array<double, 3> strain = strains_between(
      of_cell, rule.at(point, of_nodes, temperatures.initial), rule.at(point, of_nodes, temperatures.last));
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t k = 0; k < stress.size(); ++k)
      stress[k] += stress_of_expansion[kinds.at(cell, point)][p][k] * strain[p];
  return stress;
}

std::vector<CellLoads> cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness,
                                  const CellKinds& kinds, const NodeTemperatures& temperatures,
                                  const std::vector<PointWeights>& rules) {
  std::vector<CellLoads> loads(deck.mesh.blocks.size());
  for (std::size_t b = 0; b < loads.size(); ++b) {
    if (deck.mesh.blocks[b].material.empty()) continue;
    loads[b].rule = rules[b];
    loads[b].kinds = kinds.blocks[b];
    add_body_forces(deck, deck.mesh.blocks[b], thickness, loads[b]);
    add_expansion(deck, deck.mesh.blocks[b], kinds, temperatures, loads[b]);
  }
  return loads;
}

} // namespace tessera::io::detail

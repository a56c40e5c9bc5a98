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

std::array<double, 3> body_force(const AbaqusDeck& deck, const std::vector<double>& thickness) {
  const CellBlock& block = deck.mesh.blocks.front();
  std::array<double, 3> total{};
  for (const AbaqusGravity& gravity : deck.steps.front().gravities) {
    if (size(gravity.cells) != block.cells())
      throw UnsupportedError(at(gravity.place) + "gravity on " + std::to_string(size(gravity.cells)) +
                             " of the " + std::to_string(block.cells()) +
                             " elements; on all of them is supported");
    const auto weight = [&](std::int32_t number) {
      return *deck.materials[static_cast<std::size_t>(number - 1)].density *
             thickness[static_cast<std::size_t>(number)];
    };
    const double first = weight(block.material.front());
    for (const std::int32_t number : block.material)
      if (weight(number) != first)
        throw UnsupportedError(at(gravity.place) + "gravity on materials of different density or thickness");
    for (std::size_t d = 0; d < 3; ++d) total[d] += first * gravity.acceleration[d];
  }
  return total;
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

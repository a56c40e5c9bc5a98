// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/deck_materials.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tessera::io::detail {

namespace {

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
      section.place.unsupported("material '" + section.material + "' with a second thickness");
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
    if (!material.young) continue;
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

Plane plane_of(const MeshData& mesh) {
  bool stress = false, strain = false;
  for (const CellBlock& block : mesh.blocks)
    for (const auto& [name, cells] : block.formulations) (name.starts_with("CPS") ? stress : strain) = true;
  if (stress && strain)
    throw UnsupportedError(mesh.source + ": has elements of plane stress and of plane strain");
  return stress ? Plane::stress : Plane::strain;
}

namespace {

using Stiffness = std::array<double, VoigtStiffness::entries>;

std::size_t entry(int i, int j) { return static_cast<std::size_t>(VoigtStiffness::at(i, j)); }

Stiffness isotropic(double young, double poisson) {
  const double mu = young / (2 * (1 + poisson)), lambda = 2 * mu * poisson / (1 - 2 * poisson);
  Stiffness c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) c[entry(i, j)] = i == j ? lambda + 2 * mu : lambda;
    c[entry(i + 3, i + 3)] = mu;
  }
  return c;
}

/// C_ijkl = sum e_p[i] e_q[j] e_r[k] e_s[l] C_pqrs, e being the axes that C has been along.
Stiffness along_common_axes(const Stiffness& c, const AbaqusAxes& axes) {
  constexpr auto component = [](std::size_t a, std::size_t b) {
    return VoigtStiffness::component(static_cast<int>(a), static_cast<int>(b));
  };
  constexpr std::array<std::array<std::size_t, 2>, 6> tensor{
      {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  Stiffness turned{};
  for (std::size_t m = 0; m < 6; ++m)
    for (std::size_t n = m; n < 6; ++n) {
      double sum = 0.0;
      for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t q = 0; q < 3; ++q)
          for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t s = 0; s < 3; ++s)
              sum += axes[p][tensor[m][0]] * axes[q][tensor[m][1]] * axes[r][tensor[n][0]] *
                     axes[s][tensor[n][1]] * c[entry(component(p, q), component(r, s))];
      turned[entry(static_cast<int>(m), static_cast<int>(n))] = sum;
    }
  return turned;
}

/// A strain of one along an axis, along the common axes.
VoigtVector strain_along(const std::array<double, 3>& axis) {
  VoigtVector strain{};
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      strain[static_cast<std::size_t>(VoigtStiffness::component(i, j))] =
          (i == j ? 1 : 2) * axis[static_cast<std::size_t>(i)] * axis[static_cast<std::size_t>(j)];
  return strain;
}

VoigtVector stress_of(const Stiffness& c, const VoigtVector& strain) {
  VoigtVector stress{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      stress[static_cast<std::size_t>(i)] += c[entry(i, j)] * strain[static_cast<std::size_t>(j)];
  return stress;
}

constexpr AbaqusAxes common_axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// A kind by material number.
CellKinds plane_kinds(const AbaqusDeck& deck, const ElasticConstants& constants) {
  const bool thin = plane_of(deck.mesh) == Plane::stress;
  CellKinds kinds;
  for (const CellBlock& block : deck.mesh.blocks) kinds.blocks.push_back({1, block.material});
  kinds.stress_of_expansion.resize(deck.materials.size() + 1);
  for (std::size_t m = 1; m <= deck.materials.size(); ++m) {
    const AbaqusMaterial& material = deck.materials[m - 1];
    if (material.elastic.varies())
      material.place.unsupported("material " + in_quotes(material.name) +
                                 " of plane elements depends on the temperature");
    const double nu = constants.poisson[m];
    for (std::size_t p = 0; p < 3; ++p) {
      VoigtVector strain = strain_along(common_axes[p]);
      if (thin) strain[2] = -nu / (1 - nu) * (strain[0] + strain[1]); // of no stress across the plane
      kinds.stress_of_expansion[m][p] = stress_of(isotropic(constants.young[m], nu), strain);
    }
  }
  return kinds;
}

/// The kinds of solids, numbered as they come.
class SolidKinds {
public:
  SolidKinds(const AbaqusDeck& deck, CellKinds& kinds) : deck_(deck), kinds_(kinds) {}

  /// \param temperature of a material that depends on it, else 0
  std::int32_t number(std::int32_t material, std::int32_t orientation, double temperature) {
    const auto [found, fresh] = numbers_.try_emplace({material, orientation, temperature},
                                                     static_cast<std::int32_t>(numbers_.size()));
    if (fresh) add(deck_.materials[static_cast<std::size_t>(material - 1)], orientation, temperature);
    return found->second;
  }

private:
  void add(const AbaqusMaterial& material, std::int32_t orientation, double temperature) {
    const AbaqusAxes& axes =
        orientation == 0 ? common_axes : deck_.orientations[static_cast<std::size_t>(orientation - 1)];
    Stiffness c{};
    if (material.stiffness) {
      c = along_common_axes(*material.stiffness, axes);
    } else {
      const std::vector<double> constants = material.elastic.at(temperature);
      c = isotropic(constants[0], constants[1]);
    }
    kinds_.stiffness.push_back(c);
    std::array<VoigtVector, 3>& stress = kinds_.stress_of_expansion.emplace_back();
    for (std::size_t p = 0; p < 3; ++p) stress[p] = stress_of(c, strain_along(axes[p]));
  }

  const AbaqusDeck& deck_;
  CellKinds& kinds_;
  std::map<std::tuple<std::int32_t, std::int32_t, double>, std::int32_t> numbers_;
};

bool varies(const AbaqusDeck& deck, std::int32_t material) {
  return deck.materials[static_cast<std::size_t>(material - 1)].elastic.varies();
}

/// The temperature at a point of a cell. \throws FormError for a node without one
double temperature_at(const AbaqusDeck& deck, const CellBlock& block, std::size_t cell, std::size_t point,
                      const PointWeights& rule, const NodeTemperatures& temperatures) {
  const Ordinal* nodes = &block.nodes[cell * rule.nodes];
  const double temperature = rule.at(point, nodes, temperatures.last);
  if (!std::isnan(temperature)) return temperature;
  const AbaqusMaterial& material = deck.materials[static_cast<std::size_t>(block.material[cell] - 1)];
  throw FormError(material.place.shown() + "material " + in_quotes(material.name) +
                  " depends on the temperature, which nodes of element " +
                  block.ids.name(static_cast<Ordinal>(cell)) + " do not have");
}

} // namespace

CellKinds cell_kinds(const AbaqusDeck& deck, const ElasticConstants& constants,
                     const NodeTemperatures& temperatures, const std::vector<PointWeights>& rules) {
  if (deck.mesh.dimension() == 2) return plane_kinds(deck, constants);
  CellKinds kinds;
  SolidKinds numbered(deck, kinds);
  for (std::size_t b = 0; b < deck.mesh.blocks.size(); ++b) {
    const CellBlock& block = deck.mesh.blocks[b];
    CellKinds::Block& of_block = kinds.blocks.emplace_back();
    if (std::any_of(block.material.begin(), block.material.end(),
                    [&](std::int32_t material) { return varies(deck, material); }))
      of_block.points = rules[b].points;
    for (std::size_t cell = 0; cell < block.material.size(); ++cell)
      for (std::size_t q = 0; q < of_block.points; ++q)
        of_block.numbers.push_back(numbered.number(
            block.material[cell], deck.orientation_of_cells.empty() ? 0 : deck.orientation_of_cells[b][cell],
            varies(deck, block.material[cell]) ? temperature_at(deck, block, cell, q, rules[b], temperatures)
                                               : 0.0));
  }
  return kinds;
}

} // namespace tessera::io::detail

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/deck_materials.hpp>

#include <algorithm>
#include <cmath>
#include <map>
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

Plane plane_of(const CellBlock& block, const std::string& source) {
  bool stress = false, strain = false;
  for (const auto& [name, cells] : block.formulations) (name.starts_with("CPS") ? stress : strain) = true;
  if (stress && strain) throw UnsupportedError(source + ": has elements of plane stress and of plane strain");
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

/// Strains per degree along the common axes, shear strains as angles.
std::array<double, 6> expansion_of(const AbaqusMaterial& material, const AbaqusAxes& axes) {
  std::array<double, 6> strain{};
  if (material.expansion.empty()) return strain;
  for (std::size_t p = 0; p < 3; ++p) {
    const double along = material.expansion.size() == 3 ? material.expansion[p] : material.expansion.front();
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        strain[static_cast<std::size_t>(VoigtStiffness::component(i, j))] +=
            (i == j ? 1 : 2) * along * axes[p][static_cast<std::size_t>(i)] *
            axes[p][static_cast<std::size_t>(j)];
  }
  return strain;
}

std::array<double, 6> stress_of(const Stiffness& c, const std::array<double, 6>& strain) {
  std::array<double, 6> stress{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      stress[static_cast<std::size_t>(i)] += c[entry(i, j)] * strain[static_cast<std::size_t>(j)];
  return stress;
}

constexpr AbaqusAxes common_axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// A kind by material number.
CellKinds plane_kinds(const AbaqusDeck& deck, const ElasticConstants& constants) {
  const CellBlock& block = deck.mesh.blocks.front();
  const bool thin = plane_of(block, deck.mesh.source) == Plane::stress;
  CellKinds kinds{block.material, {}, {}};
  kinds.stress_per_degree.resize(deck.materials.size() + 1);
  for (std::size_t m = 1; m <= deck.materials.size(); ++m) {
    std::array<double, 6> strain = expansion_of(deck.materials[m - 1], common_axes);
    const double nu = constants.poisson[m];
    if (thin) strain[2] = -nu / (1 - nu) * (strain[0] + strain[1]); // of no stress across the plane
    kinds.stress_per_degree[m] = stress_of(isotropic(constants.young[m], nu), strain);
  }
  return kinds;
}

} // namespace

CellKinds cell_kinds(const AbaqusDeck& deck, const ElasticConstants& constants) {
  const CellBlock& block = deck.mesh.blocks.front();
  if (block.type.dimension() == 2) return plane_kinds(deck, constants);
  CellKinds kinds;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers; ///< of material and orientation
  kinds.of_cells.reserve(block.material.size());
  for (std::size_t cell = 0; cell < block.material.size(); ++cell) {
    const std::int32_t orientation =
        deck.orientation_of_cells.empty() ? 0 : deck.orientation_of_cells.front()[cell];
    const auto m = static_cast<std::size_t>(block.material[cell]);
    const auto [found, fresh] =
        numbers.try_emplace({block.material[cell], orientation}, static_cast<std::int32_t>(numbers.size()));
    kinds.of_cells.push_back(found->second);
    if (!fresh) continue;
    const AbaqusMaterial& material = deck.materials[m - 1];
    const AbaqusAxes& axes =
        orientation == 0 ? common_axes : deck.orientations[static_cast<std::size_t>(orientation - 1)];
    const Stiffness& c = kinds.stiffness.emplace_back(
        material.stiffness ? along_common_axes(*material.stiffness, axes)
                           : isotropic(constants.young[m], constants.poisson[m]));
    kinds.stress_per_degree.push_back(stress_of(c, expansion_of(material, axes)));
  }
  return kinds;
}

} // namespace tessera::io::detail

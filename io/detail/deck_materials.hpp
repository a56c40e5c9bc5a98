// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the elements of a deck are made of.

#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/mesh/material_label.hpp>
#include <tessera/io/abaqus/deck.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Thickness by material number; 1 for solids.
/// \throws UnsupportedError if a material occurs with two thicknesses
std::vector<double> thickness_of(const AbaqusDeck& deck, int dimension);

/// Young's moduli times thickness and Poisson's ratios by material number; number 0 is not used by any
/// element.
struct ElasticConstants {
  std::vector<double> young;
  std::vector<double> poisson;
};
ElasticConstants elastic_constants(const AbaqusDeck& deck, const std::vector<double>& thickness);

/// The values of a mesh's materials out of those by the deck's material numbers.
std::vector<double> of_materials(const std::vector<double>& values, const std::vector<MaterialLabel>& labels);

/// Plane stress for CPS elements, plane strain for CPE elements.
/// \throws UnsupportedError for both in one deck
Plane plane_of(const CellBlock& block, const std::string& source);

/// What the cells of a deck are made of.
struct CellKinds {
  std::vector<std::int32_t> of_cells;
  /// Kind by the numbers that VoigtStiffness lists, along the common axes; empty in the plane.
  std::vector<std::array<double, 21>> stiffness;
  /// Kind by component of stress, as VoigtStiffness orders them: what holds a cell in shape, per degree. In
  /// the plane times the thickness.
  std::vector<std::array<double, 6>> stress_per_degree;
};

/// A kind for each material that cells have along each axes.
/// \throws UnsupportedError for plane elements of an anisotropic material
CellKinds cell_kinds(const AbaqusDeck& deck, const ElasticConstants& constants);

} // namespace tessera::io::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the elements of a deck are made of.

#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/mesh/material_label.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/detail/deck_temperatures.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
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
Plane plane_of(const MeshData& mesh);

/// Stress or strain, the components as VoigtStiffness orders them; shear strains are angles.
using VoigtVector = std::array<double, VoigtStiffness::size>;

/// What the cells of a deck are made of.
struct CellKinds {
  /// The kind of each cell of a block, or of each point of each cell.
  struct Block {
    std::size_t points = 1; ///< 1: all points of a cell have the same kind
    std::vector<std::int32_t> numbers;

    std::size_t at(std::size_t cell, std::size_t point) const {
      return static_cast<std::size_t>(numbers[points == 1 ? cell : cell * points + point]);
    }
  };
  std::vector<Block> blocks;
  /// Kind by the numbers that VoigtStiffness lists, along the common axes; empty in the plane.
  std::vector<std::array<double, VoigtStiffness::entries>> stiffness;
  /// Kind and axis of the material by component: the stress that holds a cell in shape against an expansion
  /// of one along the axis. In the plane times the thickness.
  std::vector<std::array<VoigtVector, 3>> stress_of_expansion;
};

/// A kind for each material that cells have along each axes, and at each temperature if it depends on that.
/// \param rules what the nodes of each block's elements weigh at their points
/// \throws UnsupportedError for plane elements of a material that depends on the temperature; FormError for
///   one of a node without a temperature
CellKinds cell_kinds(const AbaqusDeck& deck, const ElasticConstants& constants,
                     const NodeTemperatures& temperatures, const std::vector<PointWeights>& rules);

} // namespace tessera::io::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loads on the volume of a deck's elements.

#include <tessera/core/space/volume_loads.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/detail/deck_materials.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::io::detail {

/// What acts on the volume of a block's cells, times their thickness.
struct CellLoads {
  /// Force at x: weight of the cell times the arm from the axis through the point to x.
  struct Rotation {
    std::vector<double> weight; ///< by cell
    std::array<double, 3> point{}, axis{};
  };
  /// By cell; empty without gravity.
  std::vector<std::array<double, 3>> force;
  std::vector<Rotation> rotations;
  /// \name Expansion; without materials there is none.
  ///@{
  std::vector<AbaqusMaterial> materials; ///< of the deck
  std::vector<std::int32_t> material;    ///< by cell, from 1
  std::vector<Ordinal> nodes;            ///< of the cells
  NodeTemperatures temperatures;         ///< 0 at nodes around which nothing expands
  PointWeights rule;
  CellKinds::Block kinds;
  std::vector<std::array<VoigtVector, 3>> stress_of_expansion; ///< as CellKinds'
  ///@}

  bool none() const { return force.empty() && rotations.empty() && materials.empty(); }

  /// The stress that holds a cell in shape at a point of its rule.
  VoigtVector thermal_stress(std::size_t cell, std::size_t point) const;

  /// Force and stress in a cell at a point of a quadrature.
  template <class Point>
  auto at(Ordinal cell, const Point& point) const {
    constexpr int dimension = Point::dimension;
    const auto c = static_cast<std::size_t>(cell);
    VolumeLoad<dimension> load;
    if (!force.empty())
      for (int d = 0; d < dimension; ++d) load.force(d) = force[c][static_cast<std::size_t>(d)];
    for (const Rotation& rotation : rotations) {
      std::array<double, 3> arm{};
      for (int d = 0; d < dimension; ++d) arm[static_cast<std::size_t>(d)] = point.position(d);
      double along = 0.0;
      for (std::size_t d = 0; d < 3; ++d) along += (arm[d] -= rotation.point[d]) * rotation.axis[d];
      for (int d = 0; d < dimension; ++d)
        load.force(d) += rotation.weight[c] * (arm[static_cast<std::size_t>(d)] -
                                               along * rotation.axis[static_cast<std::size_t>(d)]);
    }
    if (materials.empty()) return load;
    const VoigtVector stress = thermal_stress(c, static_cast<std::size_t>(point.number()));
    for (int d = 0; d < dimension; ++d)
      for (int e = 0; e < dimension; ++e)
        load.stress(d, e) = stress[static_cast<std::size_t>(VoigtStiffness::component(d, e))];
    return load;
  }
};

/// Those of gravity, rotation and temperatures, block by block. A material's thermal strain is alpha(T) (T -
/// T_zero) - alpha(T_0) (T_0 - T_zero) with the initial temperature T_0.
/// \throws FormError for a node of an expanding cell without an initial temperature
std::vector<CellLoads> cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness,
                                  const CellKinds& kinds, const NodeTemperatures& temperatures,
                                  const std::vector<PointWeights>& rules);

} // namespace tessera::io::detail

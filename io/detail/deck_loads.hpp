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

/// What acts on the volume of the cells of a deck, times their thickness.
struct CellLoads {
  /// Force at x: weight of the cell times the arm from the axis through the point to x.
  struct Rotation {
    std::vector<double> weight; ///< by cell
    std::array<double, 3> point{}, axis{};
  };
  /// By cell; empty without gravity.
  std::vector<std::array<double, 3>> force;
  std::vector<Rotation> rotations;
  /// By kind, see CellKinds; empty without temperatures.
  std::vector<std::array<double, 6>> stress_per_degree;
  std::vector<double> warming; ///< by node
  bool mean_warming = false;   ///< of a cell is the mean of its nodes'
  std::vector<Ordinal> nodes;  ///< of the cells
  std::vector<std::int32_t> kinds;

  bool none() const { return force.empty() && rotations.empty() && stress_per_degree.empty(); }

  /// Force and stress in a cell at a point of a quadrature.
  template <class Point>
  auto at(Ordinal cell, const Point& point) const {
    constexpr int dimension = Point::dimension, count = Point::element_type::nodes;
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
    if (stress_per_degree.empty()) return load;
    double degrees = 0.0;
    for (int n = 0; n < count; ++n)
      degrees += warming[static_cast<std::size_t>(nodes[c * count + static_cast<std::size_t>(n)])] *
                 (mean_warming ? 1.0 / count : point.value(n));
    const std::array<double, 6>& stress = stress_per_degree[static_cast<std::size_t>(kinds[c])];
    for (int d = 0; d < dimension; ++d)
      for (int e = 0; e < dimension; ++e)
        load.stress(d, e) = degrees * stress[static_cast<std::size_t>(VoigtStiffness::component(d, e))];
    return load;
  }
};

/// Those of gravity, rotation and temperatures. First-order quadrilaterals and hexahedra have the mean
/// temperature of their nodes, as in CalculiX.
/// \throws FormError for a node of an expanding cell without an initial temperature; UnsupportedError for an
///   expansion that depends on the temperature, and temperatures that vary within cells of which CalculiX
///   makes another interpolation: fully integrated ones with nodes on their edges
CellLoads cell_loads(const AbaqusDeck& deck, const std::vector<double>& thickness, const CellKinds& kinds);

} // namespace tessera::io::detail

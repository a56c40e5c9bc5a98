// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Strains and stresses of a solved deck at its elements' integration points, and the forces that they make.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/tabulation.hpp>
#include <tessera/io/deck_problem.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::io {

/// Of a block's cells, cell * points + point; components as VoigtStiffness orders them.
struct BlockStresses {
  std::vector<std::array<double, 3>> points; ///< of the form's rule, in the reference element
  std::vector<detail::VoigtVector> strain;   ///< whole, that of an expansion too; shear strains are angles
  std::vector<detail::VoigtVector> stress;
};

/// Strains and stresses of a deck's solution.
struct DeckStresses {
  MeshData mesh; ///< the deck's, of its cells alone
  std::vector<BlockStresses> blocks;
  std::vector<std::array<double, 3>> forces; ///< by node: what holds the stresses, K u without the loads
  double strain_energy = 0.0;                ///< half the integral of stress times strain
};

namespace detail {

/// Gradients of an element's functions at a point of a rule, along the common axes, and the point's weight.
template <class Element, int Degree>
struct PointGradients {
  std::array<std::array<double, 3>, Element::nodes> gradients{};
  double weight = 0.0;

  PointGradients(const MeshData& mesh, const Ordinal* nodes, int q) {
    using Table = Tabulation<Element, Degree>;
    Matrix<double, 3> jacobian;
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < 3; ++a)
        for (int d = 0; d < 3; ++d)
          jacobian(a, d) +=
              mesh.points[3 * static_cast<std::size_t>(nodes[n]) + static_cast<std::size_t>(a)] *
              Table::gradient(q, n, d);
    const double volume = determinant(jacobian);
    const Matrix<double, 3> adjugated = adjugate(jacobian);
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < 3; ++a)
        for (int d = 0; d < 3; ++d)
          gradients[static_cast<std::size_t>(n)][static_cast<std::size_t>(a)] +=
              Table::gradient(q, n, d) * adjugated(d, a) / volume;
    weight = Table::weight(q) * std::abs(volume); // of a cell, too, that is turned round when it is solved
  }
};

/// Adds the cells of a block.
/// \param displacements node * 3 + component
template <class Element, int Degree, class Displacements>
void add_stresses(const CellBlock& block, const CellKinds& kinds, const CellKinds::Block& of_cells,
                  const CellLoads& loads, const Displacements& displacements, DeckStresses& result) {
  using Table = Tabulation<Element, Degree>;
  BlockStresses& found = result.blocks.emplace_back();
  for (int q = 0; q < Table::points; ++q)
    found.points.push_back({Table::coordinate(q, 0), Table::coordinate(q, 1), Table::coordinate(q, 2)});
  for (std::size_t cell = 0; cell < block.material.size(); ++cell) {
    const Ordinal* nodes = &block.nodes[cell * Element::nodes];
    for (int q = 0; q < Table::points; ++q) {
      const auto point = static_cast<std::size_t>(q);
      const PointGradients<Element, Degree> at(result.mesh, nodes, q);
      VoigtVector strain{}, stress{};
      for (std::size_t n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            strain[static_cast<std::size_t>(VoigtStiffness::component(a, b))] +=
                displacements(3 * nodes[n] + a) * at.gradients[n][static_cast<std::size_t>(b)];
      if (!loads.materials.empty()) stress = loads.thermal_stress(cell, point);
      const auto& stiffness = kinds.stiffness[of_cells.at(cell, point)];
      for (std::size_t i = 0; i < stress.size(); ++i) {
        stress[i] = -stress[i];
        for (std::size_t j = 0; j < strain.size(); ++j)
          stress[i] += stiffness[static_cast<std::size_t>(
                           VoigtStiffness::at(static_cast<int>(i), static_cast<int>(j)))] *
                       strain[j];
        result.strain_energy += at.weight * stress[i] * strain[i] / 2;
      }
      for (std::size_t n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            result.forces[static_cast<std::size_t>(nodes[n])][static_cast<std::size_t>(a)] +=
                at.weight * stress[static_cast<std::size_t>(VoigtStiffness::component(a, b))] *
                at.gradients[n][static_cast<std::size_t>(b)];
      found.strain.push_back(strain);
      found.stress.push_back(stress);
    }
  }
}

} // namespace detail

/// Strains and stresses of a deck of solids that a `deck_problem` of the same types was made of.
/// \param displacements of the problem's degrees of freedom, in host memory: node * 3 + component
/// \throws as deck_problem
template <class Cells, class ExecutionSpace, class Form, class Displacements>
DeckStresses deck_stresses(AbaqusDeck deck, const Displacements& displacements) {
  using Of = detail::DeckCells<Cells, ExecutionSpace, Form>;
  static_assert(Of::dimension == 3, "deck_stresses: solids");
  deck = select(at_end_of_steps(std::move(deck)), Of::types);
  const detail::DeckVolume volume = detail::volume_of<Of, Form>(deck);
  DeckStresses result;
  result.mesh = std::move(deck.mesh);
  result.forces.resize(static_cast<std::size_t>(result.mesh.nodes()));
  std::size_t b = 0;
  Of::of_each_element([&]<class Element>(std::type_identity<Element>) {
    using Kernel = decltype(std::declval<typename detail::FormOn<Form>::template on<Element>>().kernel());
    detail::add_stresses<Element, Kernel::template degree<Element>>(
        result.mesh.blocks[b], volume.kinds, volume.kinds.blocks[b], volume.loads[b], displacements, result);
    ++b;
    return detail::PointWeights();
  });
  return result;
}

} // namespace tessera::io

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Temperatures inside a deck's elements.

#include <tessera/core/elements/tabulation.hpp>
#include <tessera/io/abaqus/deck.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace tessera::io::detail {

/// Temperatures of nodes before the first step and at the end of the last one; NaN where there is none.
struct NodeTemperatures {
  std::vector<double> initial, last;
};
/// By number of the node, those beyond the mesh's too. Without *TEMPERATURE the initial ones last.
NodeTemperatures node_temperatures(const AbaqusDeck& deck);

/// What the nodes of an element weigh in the temperature at the points of its rule.
struct PointWeights {
  std::size_t points = 0, nodes = 0;
  std::vector<double> weights; ///< point * nodes + node

  /// A field at a point of an element with these nodes.
  double at(std::size_t point, const Ordinal* element, const std::vector<double>& field) const {
    double sum = 0.0;
    for (std::size_t n = 0; n < nodes; ++n)
      sum += weights[point * nodes + n] * field[static_cast<std::size_t>(element[n])];
    return sum;
  }
};

/// The function of degree one in each direction that has a quadratic one's values at two Gauss points an
/// axis: its basis functions at a point, those of a quadratic element's nodes.
template <class Element>
std::array<double, Element::nodes> multilinear_fit(const std::array<double, Element::dimension>& at) {
  using Gauss = Quadrature<Element::shape, 3>;
  std::array<double, Element::nodes> fit{};
  for (int g = 0; g < Gauss::points; ++g) {
    double share = 1.0; // 1 at Gauss point g, 0 at the others
    for (std::size_t d = 0; d < at.size(); ++d)
      share *= (1 + 3 * at[d] * Gauss::coordinates[static_cast<std::size_t>(g)][d]) / 2;
    const auto values = Element::values(Gauss::coordinates[static_cast<std::size_t>(g)]);
    for (std::size_t n = 0; n < fit.size(); ++n) fit[n] += share * values[n];
  }
  return fit;
}

/// As CalculiX has them: quadrilaterals, hexahedra and wedges of order one have the mean temperature of their
/// nodes, those of order two with more than two Gauss points an axis a multilinear function, as quadratic
/// strains are beyond them; all others have their own basis.
template <class Element, int Degree>
PointWeights point_weights() {
  using Table = Tabulation<Element, Degree>;
  constexpr bool box = is_cube(Element::shape);
  PointWeights weights{static_cast<std::size_t>(Table::points), static_cast<std::size_t>(Element::nodes), {}};
  for (int q = 0; q < Table::points; ++q) {
    std::array<double, Element::nodes> at_point{};
    if constexpr (Element::order == 1 && (box || Element::shape == Shape::wedge))
      at_point.fill(1.0 / Element::nodes);
    else if constexpr (Element::order == 2 && box && Degree > 3)
      at_point = multilinear_fit<Element>(Table::Rule::coordinates[static_cast<std::size_t>(q)]);
    else
      for (int n = 0; n < Element::nodes; ++n) at_point[static_cast<std::size_t>(n)] = Table::value(q, n);
    weights.weights.insert(weights.weights.end(), at_point.begin(), at_point.end());
  }
  return weights;
}

} // namespace tessera::io::detail

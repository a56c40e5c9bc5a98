// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Quadrature rules on the reference shapes, chosen at compile time by shape and degree.

#include <tessera/core/elements/shape.hpp>

#include <array>

namespace tessera {

/// The degree on a shape that serves two.
constexpr int higher_degree(Shape shape, int one, int other) {
  return detail::Shapes::higher_degree(shape, one, other);
}

/// The highest degree that `Quadrature<shape, degree>` offers.
constexpr int max_quadrature_degree(Shape shape) { return detail::Shapes::max_degree(shape); }

/// Quadrature on the reference domain of a shape, exact for polynomials of total degree `Degree` on
/// simplices and pyramids, of degree `Degree` in each direction on lines, quadrilaterals and hexahedra, and
/// on wedges of total degree `Degree` on the triangle times degree `Degree` along z, or of the two degrees of
/// which `wedge_degree` makes one. On pyramids it is exact, too, for polynomials in x / (1 - z), y / (1 - z)
/// and z of degree `Degree` in each: products of two basis functions or of their derivatives are such, of
/// twice the element's order.
///
/// Weights are positive and sum to the measure of the reference domain; points are inside. Offered are
/// degrees 0 to 12 on triangles (1, 3, 6, 6, 7, 12, 15, 16, 19, 25, 28, 33 points from degree 1), 0 to 8 on
/// tetrahedra (1, 4, 8, 14, 14, 24, 35, 46 points), 0 to 12 on wedges (those of the triangle times Degree / 2
/// + 1), and 0 to 15 elsewhere ((Degree / 2 + 1)^d points). Sources: core/elements/quadrature_tables.hpp.
template <Shape shape, int Degree>
struct Quadrature {
  static_assert(Degree >= 0, "Quadrature<shape, Degree>: the degree cannot be negative");
  static_assert(
      ShapeOf<shape>::offers(Degree),
      "Quadrature<shape, Degree>: no rule of this degree; the highest is max_quadrature_degree(shape): 12 on "
      "triangles and wedges, 8 on tetrahedra, 15 on lines, quadrilaterals, hexahedra and pyramids");

  static constexpr int dimension = dimension_of(shape);
  /// The degree to which the rule is exact, `Degree` or the next above it that costs no more points; on
  /// wedges with two degrees a `wedge_degree` of two such.
  static constexpr int exactness = ShapeOf<shape>::served_degree(Degree);

private:
  static constexpr auto rule_ = ShapeOf<shape>::template rule<exactness>();

public:
  static constexpr int points = static_cast<int>(rule_.weights.size());
  /// Reference coordinates of the points, [point][direction].
  static constexpr std::array<std::array<double, dimension>, points> coordinates = rule_.coordinates;
  /// Weights, [point].
  static constexpr std::array<double, points> weights = rule_.weights;
};

} // namespace tessera

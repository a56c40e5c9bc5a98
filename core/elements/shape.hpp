// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The reference shapes and their plain facts.

namespace tessera {

/// Reference shape. Lines, quadrilaterals and hexahedra are [-1,1]^d; triangles and tetrahedra are the unit
/// simplex; a wedge is the unit triangle times [-1,1]; a pyramid is x, y, z >= 0, x + z <= 1, y + z <= 1.
enum class Shape { line, triangle, quadrilateral, tetrahedron, hexahedron, wedge, pyramid };

/// What is to be known of a shape; a new one is a line here.
struct ShapeFacts {
  const char* short_name;
  int dimension, vertices, sides;
  int intervals;  ///< the last so many directions run over [-1,1], those before over a simplex or pyramid
  double measure; ///< of the reference domain
};
constexpr ShapeFacts facts_of(Shape shape) {
  constexpr ShapeFacts facts[] = {{"line", 1, 2, 2, 1, 2.0},       {"tri", 2, 3, 3, 0, 1.0 / 2},
                                  {"quad", 2, 4, 4, 2, 4.0},       {"tet", 3, 4, 4, 0, 1.0 / 6},
                                  {"hex", 3, 8, 6, 3, 8.0},        {"wedge", 3, 6, 5, 1, 1.0},
                                  {"pyramid", 3, 5, 5, 0, 1.0 / 3}};
  return facts[static_cast<int>(shape)];
}

/// Dimension of the reference domain.
constexpr int dimension_of(Shape shape) { return facts_of(shape).dimension; }

/// Whether the reference domain is the unit simplex.
constexpr bool is_simplex(Shape shape) { return shape == Shape::triangle || shape == Shape::tetrahedron; }
/// Whether the reference domain is the cube [-1,1]^d, and bases are products over its directions.
constexpr bool is_cube(Shape shape) { return facts_of(shape).intervals == dimension_of(shape); }

/// Whether direction d of the reference domain runs over [-1,1]; else over [0,1].
constexpr bool is_interval(Shape shape, int d) {
  return d >= dimension_of(shape) - facts_of(shape).intervals;
}
/// Length of the reference domain along the axis d at node 0.
constexpr double reference_extent(Shape shape, int d) { return is_interval(shape, d) ? 2 : 1; }

/// Number of corners.
constexpr int vertices_of(Shape shape) { return facts_of(shape).vertices; }
/// Number of facets: ends of a line, edges of a triangle or quadrilateral, faces of a solid.
constexpr int sides_of(Shape shape) { return facts_of(shape).sides; }
/// Length, area or volume of the reference domain.
constexpr double reference_measure(Shape shape) { return facts_of(shape).measure; }
/// The shape in lower case, as in element names and messages.
constexpr const char* short_name(Shape shape) { return facts_of(shape).short_name; }

} // namespace tessera

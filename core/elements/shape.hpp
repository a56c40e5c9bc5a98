#pragma once

/// \file
/// The reference shapes and their plain facts.

namespace tessera {

/// Reference shape. Lines, quadrilaterals and hexahedra are [-1,1]^d; triangles and tetrahedra are the unit
/// simplex.
enum class Shape { line, triangle, quadrilateral, tetrahedron, hexahedron };

/// Dimension of the reference domain.
constexpr int dimension_of(Shape shape) {
  return shape == Shape::line ? 1 : shape == Shape::triangle || shape == Shape::quadrilateral ? 2 : 3;
}

/// Whether the reference domain is the unit simplex; otherwise it is the cube [-1,1]^d.
constexpr bool is_simplex(Shape shape) { return shape == Shape::triangle || shape == Shape::tetrahedron; }

/// Number of corners.
constexpr int vertices_of(Shape shape) {
  return is_simplex(shape) ? dimension_of(shape) + 1 : 1 << dimension_of(shape);
}

/// Number of facets: ends of a line, edges of a triangle or quadrilateral, faces of a solid.
constexpr int sides_of(Shape shape) {
  return is_simplex(shape) ? dimension_of(shape) + 1 : 2 * dimension_of(shape);
}

/// Length, area or volume of the reference domain.
constexpr double reference_measure(Shape shape) {
  return shape == Shape::triangle      ? 1.0 / 2
         : shape == Shape::tetrahedron ? 1.0 / 6
                                       : 1 << dimension_of(shape);
}

/// The shape in lower case, as in element names and messages: "line", "tri", "quad", "tet", "hex".
constexpr const char* short_name(Shape shape) {
  switch (shape) {
  case Shape::line:
    return "line";
  case Shape::triangle:
    return "tri";
  case Shape::quadrilateral:
    return "quad";
  case Shape::tetrahedron:
    return "tet";
  case Shape::hexahedron:
    return "hex";
  }
  return "";
}

} // namespace tessera

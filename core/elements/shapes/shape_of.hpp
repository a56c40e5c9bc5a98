// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a reference shape states of itself.

#include <algorithm>

namespace tessera {

/// Reference shape. Lines, quadrilaterals and hexahedra are [-1,1]^d; triangles and tetrahedra are the unit
/// simplex; a wedge is the unit triangle times [-1,1]; a pyramid is x, y, z >= 0, x + z <= 1, y + z <= 1.
enum class Shape { line, triangle, quadrilateral, tetrahedron, hexahedron, wedge, pyramid };

/// What is to be known of a shape beside its quadrature.
struct ShapeFacts {
  const char* short_name;
  int dimension, vertices, sides;
  int intervals;  ///< the last so many directions run over [-1,1], those before over a simplex or pyramid
  double measure; ///< of the reference domain
};

/// The facts and the quadrature of a shape, in a header for each in this folder: `facts`, `max_degree`,
/// `offers(degree)`, `served_degree(degree)`, `higher_degree(one, other)` and `rule<degree>()`.
template <Shape shape>
struct ShapeOf;

namespace detail {

/// Degrees of rules of which each is one number.
template <int highest>
struct PlainDegrees {
  static constexpr int max_degree = highest;
  static constexpr bool offers(int degree) { return degree <= highest; }
  static constexpr int higher_degree(int one, int other) { return std::max(one, other); }
};

/// The first of some ascending degrees that serves a wanted one.
template <class Degrees>
constexpr int first_degree_from(const Degrees& degrees, int degree) {
  return *std::find_if(degrees.begin(), degrees.end(), [degree](int d) { return d >= degree; });
}

} // namespace detail
} // namespace tessera

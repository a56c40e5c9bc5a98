// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The wedge, whose rules may have a degree on the triangle and another along the axis.

#include <tessera/core/elements/shapes/line.hpp>
#include <tessera/core/elements/shapes/triangle.hpp>

#include <algorithm>

namespace tessera {

/// The degree of a rule on wedges that is exact to different degrees on the triangle, 1 to 12, and along z, 0
/// to 15: the product of the triangle's rule and Gauss-Legendre's with `along_z / 2 + 1` points.
constexpr int wedge_degree(int on_triangle, int along_z) { return on_triangle + 16 * (along_z + 1); }

namespace detail {

/// The degrees that a degree on wedges means; others mean the same for both.
struct WedgeDegrees {
  int on_triangle, along_z;
  constexpr explicit WedgeDegrees(int degree)
      : on_triangle(degree % 16), along_z(degree < 16 ? degree : degree / 16 - 1) {}
};

/// The rule on the triangle times that on the line; along the line runs fastest.
template <int degree>
constexpr auto wedge_rule() {
  constexpr WedgeDegrees degrees(degree);
  constexpr int n = degrees.along_z / 2 + 1;
  constexpr auto triangle =
      ShapeOf<Shape::triangle>::rule<ShapeOf<Shape::triangle>::served_degree(degrees.on_triangle)>();
  constexpr auto line = gauss_legendre<n>();
  constexpr int points = static_cast<int>(triangle.weights.size()) * n;
  Rule<3, points> rule;
  for (int q = 0; q < points; ++q) {
    rule.coordinates[q] = {triangle.coordinates[q / n][0], triangle.coordinates[q / n][1],
                           line.coordinates[q % n]};
    rule.weights[q] = triangle.weights[q / n] * line.weights[q % n];
  }
  return rule;
}

} // namespace detail

template <>
struct ShapeOf<Shape::wedge> {
  using Triangle = ShapeOf<Shape::triangle>;
  using Line = ShapeOf<Shape::line>;

  static constexpr ShapeFacts facts{"wedge", 3, 6, 5, 1, 1.0};
  static constexpr int max_degree = Triangle::max_degree;
  static constexpr bool offers(int degree) {
    const detail::WedgeDegrees both(degree);
    return degree < 16 ? degree <= max_degree
                       : Triangle::offers(both.on_triangle) && Line::offers(both.along_z);
  }
  static constexpr int served_degree(int degree) {
    const detail::WedgeDegrees both(degree);
    if (degree < 16) return std::min(Triangle::served_degree(degree), Line::served_degree(degree));
    return wedge_degree(Triangle::served_degree(both.on_triangle), Line::served_degree(both.along_z));
  }
  static constexpr int higher_degree(int one, int other) {
    const detail::WedgeDegrees a(one), b(other);
    const int on_triangle = std::max(a.on_triangle, b.on_triangle), along_z = std::max(a.along_z, b.along_z);
    return on_triangle == along_z ? along_z : wedge_degree(on_triangle, along_z);
  }
  template <int degree>
  static constexpr auto rule() {
    return detail::wedge_rule<degree>();
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Quadrature rules on the reference shapes, chosen at compile time by shape and degree.

#include <tessera/core/elements/quadrature_tables.hpp>
#include <tessera/core/elements/shape.hpp>

#include <algorithm>
#include <array>

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

} // namespace detail

/// The degree on a shape that serves two.
constexpr int higher_degree(Shape shape, int one, int other) {
  if (shape != Shape::wedge) return std::max(one, other);
  const detail::WedgeDegrees a(one), b(other);
  const int on_triangle = std::max(a.on_triangle, b.on_triangle), along_z = std::max(a.along_z, b.along_z);
  return on_triangle == along_z ? along_z : wedge_degree(on_triangle, along_z);
}

/// The highest degree that `Quadrature<shape, degree>` offers.
constexpr int max_quadrature_degree(Shape shape) {
  return shape == Shape::triangle      ? detail::triangle_degrees.back()
         : shape == Shape::tetrahedron ? detail::tetrahedron_degrees.back()
         : shape == Shape::wedge       ? detail::triangle_degrees.back()
                                       : 15;
}

namespace detail {

/// Points, [point][direction], and weights of a rule on the reference domain.
template <int dimension, int points>
struct Rule {
  std::array<std::array<double, dimension>, points> coordinates{};
  std::array<double, points> weights{};
};

/// The degree of the rule that serves a wanted degree.
constexpr int served_degree(Shape shape, int degree) {
  const auto first_from = [degree](const auto& degrees) {
    return *std::find_if(degrees.begin(), degrees.end(), [degree](int d) { return d >= degree; });
  };
  if (shape == Shape::triangle) return first_from(triangle_degrees);
  if (shape == Shape::tetrahedron) return first_from(tetrahedron_degrees);
  if (shape == Shape::wedge && degree >= 16) {
    const WedgeDegrees both(degree);
    return wedge_degree(served_degree(Shape::triangle, both.on_triangle), both.along_z / 2 * 2 + 1);
  }
  if (shape == Shape::wedge) return std::min(first_from(triangle_degrees), degree / 2 * 2 + 1);
  return degree / 2 * 2 + 1;
}

/// All distinct permutations of every orbit's coordinates. The last barycentric coordinate of a point is
/// implied.
template <int dimension, int points, class Orbits>
constexpr Rule<dimension, points> expanded(const Orbits& orbits) {
  Rule<dimension, points> rule;
  int q = 0;
  for (auto orbit : orbits) {
    std::sort(orbit.point.begin(), orbit.point.end());
    do {
      for (int d = 0; d < dimension; ++d) rule.coordinates[q][d] = orbit.point[d];
      rule.weights[q++] = orbit.weight;
    } while (std::next_permutation(orbit.point.begin(), orbit.point.end()));
  }
  return rule;
}

template <class Orbits>
constexpr int count_points(const Orbits& orbits) {
  int points = 0;
  for (auto orbit : orbits) {
    std::sort(orbit.point.begin(), orbit.point.end());
    do ++points;
    while (std::next_permutation(orbit.point.begin(), orbit.point.end()));
  }
  return points;
}

/// Tensor product of the Gauss-Legendre rule; x runs fastest.
template <int dimension, int points_1d>
constexpr auto tensor_rule() {
  constexpr int points = dimension == 1   ? points_1d
                         : dimension == 2 ? points_1d * points_1d
                                          : points_1d * points_1d * points_1d;
  constexpr auto line = gauss_legendre<points_1d>();
  Rule<dimension, points> rule;
  for (int q = 0; q < points; ++q) {
    rule.weights[q] = 1;
    for (int d = 0, rest = q; d < dimension; ++d, rest /= points_1d) {
      rule.coordinates[q][d] = line.coordinates[rest % points_1d];
      rule.weights[q] *= line.weights[rest % points_1d];
    }
  }
  return rule;
}

/// The rule on the triangle times that on the line; along the line runs fastest.
template <int degree>
constexpr auto wedge_rule() {
  constexpr WedgeDegrees degrees(degree);
  constexpr int n = degrees.along_z / 2 + 1;
  constexpr auto orbits = triangle_orbits<served_degree(Shape::triangle, degrees.on_triangle)>();
  constexpr auto triangle = expanded<2, count_points(orbits)>(orbits);
  constexpr auto line = gauss_legendre<n>();
  constexpr int points = count_points(orbits) * n;
  Rule<3, points> rule;
  for (int q = 0; q < points; ++q) {
    rule.coordinates[q] = {triangle.coordinates[q / n][0], triangle.coordinates[q / n][1],
                           line.coordinates[q % n]};
    rule.weights[q] = triangle.weights[q / n] * line.weights[q % n];
  }
  return rule;
}

/// Gauss-Legendre for x / (1 - z) and y / (1 - z), Gauss-Jacobi for z, whose weight is the Jacobian; x runs
/// fastest (A. H. Stroud, "Approximate Calculation of Multiple Integrals", 1971, section 2.5, "cone").
template <int points_1d>
constexpr auto pyramid_rule() {
  constexpr int n = points_1d;
  constexpr auto base = gauss_legendre<n>();
  constexpr auto height = gauss_jacobi<n>();
  Rule<3, n * n * n> rule;
  for (int q = 0; q < n * n * n; ++q) {
    const int i = q % n, j = q / n % n, k = q / (n * n);
    const double z = height.coordinates[k], half = (1 - z) / 2;
    rule.coordinates[q] = {half * (1 + base.coordinates[i]), half * (1 + base.coordinates[j]), z};
    rule.weights[q] = base.weights[i] * base.weights[j] * height.weights[k] / 4;
  }
  return rule;
}

/// The rule of a shape that is exact to `degree`, one of the degrees that `served_degree` returns.
template <Shape shape, int degree>
constexpr auto make_rule() {
  if constexpr (shape == Shape::triangle) {
    constexpr auto orbits = triangle_orbits<degree>();
    return expanded<2, count_points(orbits)>(orbits);
  } else if constexpr (shape == Shape::tetrahedron) {
    constexpr auto orbits = tetrahedron_orbits<degree>();
    return expanded<3, count_points(orbits)>(orbits);
  } else if constexpr (shape == Shape::wedge) {
    return wedge_rule<degree>();
  } else if constexpr (shape == Shape::pyramid) {
    return pyramid_rule<(degree + 1) / 2>();
  } else if constexpr (is_cube(shape)) {
    return tensor_rule<dimension_of(shape), (degree + 1) / 2>();
  }
}

} // namespace detail

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
      shape == Shape::wedge && Degree >= 16
          ? detail::WedgeDegrees(Degree).on_triangle <= max_quadrature_degree(Shape::triangle) &&
                detail::WedgeDegrees(Degree).along_z <= max_quadrature_degree(Shape::line)
          : Degree <= max_quadrature_degree(shape),
      "Quadrature<shape, Degree>: no rule of this degree; the highest is max_quadrature_degree(shape): 12 on "
      "triangles and wedges, 8 on tetrahedra, 15 on lines, quadrilaterals, hexahedra and pyramids");

  static constexpr int dimension = dimension_of(shape);
  /// The degree to which the rule is exact, `Degree` or the next above it that costs no more points; on
  /// wedges with two degrees a `wedge_degree` of two such.
  static constexpr int exactness = detail::served_degree(shape, Degree);

private:
  static constexpr auto rule_ = detail::make_rule<shape, exactness>();

public:
  static constexpr int points = static_cast<int>(rule_.weights.size());
  /// Reference coordinates of the points, [point][direction].
  static constexpr std::array<std::array<double, dimension>, points> coordinates = rule_.coordinates;
  /// Weights, [point].
  static constexpr std::array<double, points> weights = rule_.weights;
};

} // namespace tessera

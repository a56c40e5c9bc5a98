// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rules of which several shapes have theirs: of orbits on simplices, and products along the axes of cubes.

#include <tessera/core/elements/quadrature_tables.hpp>
#include <tessera/core/elements/shapes/shape_of.hpp>

#include <algorithm>
#include <array>

namespace tessera::detail {

/// Points, [point][direction], and weights of a rule on the reference domain.
template <int dimension, int points>
struct Rule {
  std::array<std::array<double, dimension>, points> coordinates{};
  std::array<double, points> weights{};
};

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

/// The rules of a cube of some dimension, whose degrees count along each axis.
template <int dimension>
struct CubeRules : PlainDegrees<15> {
  static constexpr int served_degree(int degree) { return degree / 2 * 2 + 1; }
  template <int degree>
  static constexpr auto rule() {
    return tensor_rule<dimension, (degree + 1) / 2>();
  }
};

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The pyramid.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

namespace detail {

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

} // namespace detail

template <>
struct ShapeOf<Shape::pyramid> : detail::PlainDegrees<15> {
  static constexpr ShapeFacts facts{"pyramid", 3, 5, 5, 0, 1.0 / 3};
  static constexpr int served_degree(int degree) { return degree / 2 * 2 + 1; }
  template <int degree>
  static constexpr auto rule() {
    return detail::pyramid_rule<(degree + 1) / 2>();
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The triangle.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

template <>
struct ShapeOf<Shape::triangle> : detail::PlainDegrees<detail::triangle_degrees.back()> {
  static constexpr ShapeFacts facts{"tri", 2, 3, 3, 0, 1.0 / 2};
  static constexpr int served_degree(int degree) {
    return detail::first_degree_from(detail::triangle_degrees, degree);
  }
  template <int degree>
  static constexpr auto rule() {
    constexpr auto orbits = detail::triangle_orbits<degree>();
    return detail::expanded<2, detail::count_points(orbits)>(orbits);
  }
};

} // namespace tessera

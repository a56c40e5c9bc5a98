// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The tetrahedron.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

template <>
struct ShapeOf<Shape::tetrahedron> : detail::PlainDegrees<detail::tetrahedron_degrees.back()> {
  static constexpr ShapeFacts facts{"tet", 3, 4, 4, 0, 1.0 / 6};
  static constexpr int served_degree(int degree) {
    return detail::first_degree_from(detail::tetrahedron_degrees, degree);
  }
  template <int degree>
  static constexpr auto rule() {
    constexpr auto orbits = detail::tetrahedron_orbits<degree>();
    return detail::expanded<3, detail::count_points(orbits)>(orbits);
  }
};

} // namespace tessera

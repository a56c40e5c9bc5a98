// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The hexahedron.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

template <>
struct ShapeOf<Shape::hexahedron> : detail::CubeRules<3> {
  static constexpr ShapeFacts facts{"hex", 3, 8, 6, 3, 8.0};
};

} // namespace tessera

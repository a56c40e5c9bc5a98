// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The quadrilateral.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

template <>
struct ShapeOf<Shape::quadrilateral> : detail::CubeRules<2> {
  static constexpr ShapeFacts facts{"quad", 2, 4, 4, 2, 4.0};
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The line.

#include <tessera/core/elements/shapes/products.hpp>

namespace tessera {

template <>
struct ShapeOf<Shape::line> : detail::CubeRules<1> {
  static constexpr ShapeFacts facts{"line", 1, 2, 2, 1, 2.0};
};

} // namespace tessera

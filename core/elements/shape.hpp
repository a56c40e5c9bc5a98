// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The reference shapes and their plain facts; a new one is a header in shapes/ and a line here.

#include <tessera/core/elements/shapes/hexahedron.hpp>
#include <tessera/core/elements/shapes/line.hpp>
#include <tessera/core/elements/shapes/pyramid.hpp>
#include <tessera/core/elements/shapes/quadrilateral.hpp>
#include <tessera/core/elements/shapes/tetrahedron.hpp>
#include <tessera/core/elements/shapes/triangle.hpp>
#include <tessera/core/elements/shapes/wedge.hpp>

namespace tessera {

namespace detail {

/// Questions to the shapes of a list, which are in the order of the enumeration.
template <Shape... shapes>
struct ShapeList {
  static constexpr ShapeFacts facts_of(Shape shape) {
    constexpr ShapeFacts facts[] = {ShapeOf<shapes>::facts...};
    return facts[static_cast<int>(shape)];
  }
  static constexpr int max_degree(Shape shape) {
    constexpr int degrees[] = {ShapeOf<shapes>::max_degree...};
    return degrees[static_cast<int>(shape)];
  }
  static constexpr int higher_degree(Shape shape, int one, int other) {
    const int degrees[] = {ShapeOf<shapes>::higher_degree(one, other)...};
    return degrees[static_cast<int>(shape)];
  }
};

using Shapes = ShapeList<Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron,
                         Shape::hexahedron, Shape::wedge, Shape::pyramid>;

} // namespace detail

/// What is to be known of a shape.
constexpr ShapeFacts facts_of(Shape shape) { return detail::Shapes::facts_of(shape); }

/// Dimension of the reference domain.
constexpr int dimension_of(Shape shape) { return facts_of(shape).dimension; }

/// Whether the reference domain is the unit simplex.
constexpr bool is_simplex(Shape shape) { return shape == Shape::triangle || shape == Shape::tetrahedron; }
/// Whether the reference domain is the cube [-1,1]^d, and bases are products over its directions.
constexpr bool is_cube(Shape shape) { return facts_of(shape).intervals == dimension_of(shape); }

/// Whether direction d of the reference domain runs over [-1,1]; else over [0,1].
constexpr bool is_interval(Shape shape, int d) {
  return d >= dimension_of(shape) - facts_of(shape).intervals;
}
/// Length of the reference domain along the axis d at node 0.
constexpr double reference_extent(Shape shape, int d) { return is_interval(shape, d) ? 2 : 1; }

/// Number of corners.
constexpr int vertices_of(Shape shape) { return facts_of(shape).vertices; }
/// Number of facets: ends of a line, edges of a triangle or quadrilateral, faces of a solid.
constexpr int sides_of(Shape shape) { return facts_of(shape).sides; }
/// Length, area or volume of the reference domain.
constexpr double reference_measure(Shape shape) { return facts_of(shape).measure; }
/// The shape in lower case, as in element names and messages.
constexpr const char* short_name(Shape shape) { return facts_of(shape).short_name; }

} // namespace tessera

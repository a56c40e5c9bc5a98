// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Quadrilaterals and hexahedra of second order without nodes inside faces and cells: the first nodes of the
/// Lagrange element of their shape, in its numbering, with other basis functions (O. C. Zienkiewicz and R. L.
/// Taylor, "The Finite Element Method", 5th ed., vol. 1, section 8.6, "serendipity family").

#include <tessera/core/elements/detail/lagrange.hpp>

namespace tessera::detail {

/// Corners and edges.
constexpr int serendipity_nodes(Shape shape) { return shape == Shape::quadrilateral ? 8 : 20; }

/// The first nodes of the Lagrange element's.
template <Shape shape, class All>
constexpr auto first_nodes(const All& all) {
  std::array<typename All::value_type, serendipity_nodes(shape)> some{};
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = all[i];
  return some;
}

/// Constants of their own: compilers limit the steps that they take for one.
template <Shape shape>
inline constexpr auto serendipity_coordinates =
    first_nodes<shape>(LagrangeElement<shape, 2>::node_coordinates());

template <Shape shape_>
struct SerendipityElement {
  static_assert(!is_simplex(shape_) && shape_ != Shape::line);
  static constexpr Shape shape = shape_;
  static constexpr int order = 2;
  static constexpr int dimension = dimension_of(shape);
  static constexpr int nodes = serendipity_nodes(shape);
  static constexpr int vertices = vertices_of(shape);
  static constexpr int sides = sides_of(shape);
  static constexpr bool affine_simplex = false;

  using Point = std::array<double, dimension>;

  static constexpr auto lattice() { return first_nodes<shape>(make_lattice<shape, order>()); }
  static constexpr std::array<Point, nodes> node_coordinates() { return serendipity_coordinates<shape>; }
  /// Basis functions at a point.
  static constexpr std::array<double, nodes> values(Point xi) {
    std::array<double, nodes> result{};
    for (int i = 0; i < nodes; ++i) result[to_size(i)] = basis(xi, i).value;
    return result;
  }
  /// Their derivatives, [node][direction].
  static constexpr std::array<Point, nodes> gradients(Point xi) {
    std::array<Point, nodes> result{};
    for (int i = 0; i < nodes; ++i) result[to_size(i)] = basis(xi, i).gradient;
    return result;
  }

private:
  /// A product of factors, each a function of few coordinates, and its gradient.
  struct Product {
    double value = 1;
    Point gradient{};
    constexpr void times(double factor, const Point& slope) {
      for (std::size_t d = 0; d < slope.size(); ++d) gradient[d] = gradient[d] * factor + value * slope[d];
      value *= factor;
    }
  };

  /// Along each direction (1 + x_i x) / 2, or 1 - x^2 at the middle of an edge; of a corner, times what
  /// vanishes at the middles beside it.
  static constexpr Product basis(const Point& xi, int i) {
    const Point& node = serendipity_coordinates<shape>[to_size(i)];
    Product product;
    double sum = 1 - dimension;
    for (std::size_t d = 0; d < node.size(); ++d) {
      Point slope{};
      slope[d] = node[d] == 0 ? -2 * xi[d] : node[d] / 2;
      product.times(node[d] == 0 ? 1 - xi[d] * xi[d] : (1 + node[d] * xi[d]) / 2, slope);
      sum += node[d] * xi[d];
    }
    if (i < vertices) product.times(sum, node);
    return product;
  }
};

} // namespace tessera::detail

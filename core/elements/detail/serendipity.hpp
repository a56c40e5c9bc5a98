// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elements of second order without nodes inside faces and cells: the first nodes of the lattice of their
/// shape, in its numbering, with basis functions of their own (O. C. Zienkiewicz and R. L. Taylor, "The
/// Finite Element Method", 5th ed., vol. 1, sections 8.6, "serendipity family", and 8.12, "prisms"; pyramids:
/// G. Bedrosian, "Shape functions and integration formulas for three-dimensional finite element analysis",
/// Int. J. Numer. Meth. Engng. 35, 1992).

#include <tessera/core/elements/detail/lattice.hpp>
#include <tessera/core/elements/detail/pyramid.hpp>

namespace tessera::detail {

/// Corners and edges; of the edges of solids there are as many as Euler's formula says.
constexpr int serendipity_nodes(Shape shape) {
  const int vertices = vertices_of(shape), sides = sides_of(shape);
  return vertices + (dimension_of(shape) == 2 ? sides : vertices + sides - 2);
}

/// The first nodes of all.
template <Shape shape, class All>
constexpr auto first_nodes(const All& all) {
  std::array<typename All::value_type, serendipity_nodes(shape)> some{};
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = all[i];
  return some;
}

/// Constants of their own: compilers limit the steps that they take for one.
template <Shape shape>
inline constexpr auto serendipity_coordinates =
    reference_coordinates<shape, 2>(first_nodes<shape>(make_lattice<shape, 2>()));

/// A product of functions, and its gradient.
template <std::size_t dimension>
struct ProductOfFunctions {
  double value = 1;
  std::array<double, dimension> gradient{};
  constexpr void times(double factor, const std::array<double, dimension>& slope) {
    for (std::size_t d = 0; d < dimension; ++d) gradient[d] = gradient[d] * factor + value * slope[d];
    value *= factor;
  }
};

/// \name The function of a node of a shape at a point.
///@{

/// Along each direction (1 + x_i x) / 2, or 1 - x^2 at the middle of an edge; of a corner, times what
/// vanishes at the middles beside it.
template <Shape shape>
  requires(is_cube(shape))
constexpr auto serendipity_function(const std::array<double, dimension_of(shape)>& xi, std::size_t i) {
  constexpr std::size_t dimension = to_size(dimension_of(shape));
  const auto& node = serendipity_coordinates<shape>[i];
  ProductOfFunctions<dimension> product;
  double sum = 1.0 - dimension;
  for (std::size_t d = 0; d < dimension; ++d) {
    std::array<double, dimension> slope{};
    slope[d] = node[d] == 0 ? -2 * xi[d] : node[d] / 2;
    product.times(node[d] == 0 ? 1 - xi[d] * xi[d] : (1 + node[d] * xi[d]) / 2, slope);
    sum += node[d] * xi[d];
  }
  if (i < to_size(vertices_of(shape))) product.times(sum, node);
  return product;
}

/// With barycentric coordinates L of the triangle and e = -1 or 1 at its two ends:
/// L_i (1 + e z) (2 L_i - 2 + e z) / 2 at a corner, 2 L_i L_j (1 + e z) at the middle of a triangle's edge,
/// L_i (1 - z^2) between the triangles.
template <Shape shape>
  requires(shape == Shape::wedge)
constexpr auto serendipity_function(const std::array<double, 3>& xi, std::size_t node) {
  constexpr std::array<double, 3> slopes[] = {{-1, -1, 0}, {1, 0, 0}, {0, 1, 0}};
  const double L[] = {1 - xi[0] - xi[1], xi[0], xi[1]}, z = xi[2], end = node % 6 < 3 ? -1 : 1;
  const std::size_t i = node % 3, j = (i + 1) % 3;
  ProductOfFunctions<3> product;
  product.times(L[i], slopes[i]);
  if (node >= 12) {
    product.times(1 - z * z, {0, 0, -2 * z});
    return product;
  }
  product.times((1 + end * z) / 2, {0, 0, end / 2});
  if (node < 6)
    product.times(2 * L[i] - 2 + end * z, {2 * slopes[i][0], 2 * slopes[i][1], end});
  else
    product.times(4 * L[j], {4 * slopes[j][0], 4 * slopes[j][1], 0});
  return product;
}

/// A function of the pyramid of order one times a linear one: of a corner its own times what vanishes at the
/// middles of its edges.
template <Shape shape>
  requires(shape == Shape::pyramid)
constexpr auto serendipity_function(const std::array<double, 3>& xi, std::size_t node) {
  struct Factors {
    std::size_t function;
    double constant;
    std::array<double, 3> slope;
  };
  constexpr Factors factors[] = {
      {0, 1, {-2, -2, -2}}, {1, -1, {2, -2, 0}}, {2, -3, {2, 2, 2}}, {3, -1, {-2, 2, 0}}, {4, -1, {0, 0, 2}},
      {0, 0, {4, 0, 0}},    {1, 0, {0, 4, 0}},   {3, 0, {4, 0, 0}},  {0, 0, {0, 4, 0}}, // round the base
      {0, 0, {0, 0, 4}},    {1, 0, {0, 0, 4}},   {2, 0, {0, 0, 4}},  {3, 0, {0, 0, 4}}};
  const auto& [function, constant, slope] = factors[node];
  ProductOfFunctions<3> product{PyramidElement::values(xi)[function],
                                PyramidElement::gradients(xi)[function]};
  product.times(constant + slope[0] * xi[0] + slope[1] * xi[1] + slope[2] * xi[2], slope);
  return product;
}
///@}

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
  static constexpr std::array<double, nodes> values(const Point& xi) {
    std::array<double, nodes> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = serendipity_function<shape>(xi, i).value;
    return result;
  }
  /// Their derivatives, [node][direction]; of pyramids at the apex, as of those of order one.
  static constexpr std::array<Point, nodes> gradients(const Point& xi) {
    std::array<Point, nodes> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = serendipity_function<shape>(xi, i).gradient;
    return result;
  }
};

} // namespace tessera::detail

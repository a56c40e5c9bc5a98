// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The numbering of the nodes of Lagrange elements.
///
/// It is that of VTK's Lagrange cells (VTK 9.1 and later), and this file is the one place where it is written
/// down. A node is named by its lattice point: `order` times its coordinates in [0,1]^d, integers in
/// 0..order. Vertices come first, then the inner nodes of the edges, of the faces, and of the volume:
///
/// - line: 0-1.
/// - triangle: edges 0-1, 1-2, 2-0, each in this direction; inside, a triangle of order - 3 numbered
/// likewise.
/// - quadrilateral: edges 0-1, 1-2, 3-2, 0-3, each along its axis; inside, x before y.
/// - tetrahedron: edges 0-1, 1-2, 2-0, 0-3, 1-3, 2-3; faces 0-1-3, 1-2-3, 0-2-3, 0-1-2.
/// - hexahedron: edges 0-1, 1-2, 3-2, 0-3, then 4-5, 5-6, 7-6, 4-7, then 0-4, 1-5, 2-6, 3-7; faces x = 0, x =
/// 1,
///   y = 0, y = 1, z = 0, z = 1; inside faces and volume, x before y before z.
/// - wedge: edges 0-1, 1-2, 2-0, then 3-4, 4-5, 5-3, then 0-3, 1-4, 2-5; faces 0-1-4-3, 1-2-5-4, 2-0-3-5.
/// - pyramid: edges 0-1, 1-2, 2-3, 3-0, then 0-4, 1-4, 2-4, 3-4; the base.
///
/// For orders 1 and 2 this equals VTK's linear and its (bi-, tri-) quadratic cells.

#include <tessera/core/elements/shape.hpp>
#include <tessera/core/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace tessera::detail {

/// Number of nodes of the Lagrange element: points of its lattice.
constexpr int lattice_size(Shape shape, int order) {
  if (shape == Shape::pyramid) return (order + 1) * (order + 2) * (2 * order + 3) / 6;
  int size = 1;
  for (int d = 0; d < dimension_of(shape); ++d)
    size = is_interval(shape, d) ? size * (order + 1) : size * (order + d + 1) / (d + 1);
  return size;
}

template <int dimension>
using LatticePoint = std::array<int, dimension>;

/// Lattice points of the nodes, in VTK's order.
template <Shape shape, int order>
using Lattice = std::array<LatticePoint<dimension_of(shape)>, lattice_size(shape, order)>;

/// Appends lattice points.
template <Shape shape, int order>
struct LatticeBuilder {
  using Point = LatticePoint<dimension_of(shape)>;
  Lattice<shape, order> points{};
  int size = 0;

  constexpr void add(const Point& point) { points[to_size(size++)] = point; }

  /// The points strictly between two given ones, in this direction.
  constexpr void add_edge(const Point& from, const Point& to) {
    int length = 0;
    for (std::size_t d = 0; d < from.size(); ++d)
      length = std::max({length, to[d] - from[d], from[d] - to[d]});
    for (int s = 1; s < length; ++s) {
      Point point = from;
      for (std::size_t d = 0; d < from.size(); ++d) point[d] += (to[d] - from[d]) / length * s;
      add(point);
    }
  }
};

template <int p>
constexpr auto line_lattice() {
  LatticeBuilder<Shape::line, p> lattice;
  lattice.add({0});
  lattice.add({p});
  lattice.add_edge({0}, {p});
  return lattice.points;
}

template <int p>
constexpr auto triangle_lattice() {
  LatticeBuilder<Shape::triangle, p> lattice;
  // Nested triangles from the outermost: corner at (o, o), size s.
  for (int o = 0, s = p; s >= 0; ++o, s -= 3) {
    const LatticePoint<2> corners[3] = {{o, o}, {o + s, o}, {o, o + s}};
    for (int v = 0; v < (s == 0 ? 1 : 3); ++v) lattice.add(corners[v]);
    for (int v = 0; v < 3; ++v) lattice.add_edge(corners[v], corners[(v + 1) % 3]);
  }
  return lattice.points;
}

template <int p>
constexpr auto quadrilateral_lattice() {
  LatticeBuilder<Shape::quadrilateral, p> lattice;
  const LatticePoint<2> corners[4] = {{0, 0}, {p, 0}, {p, p}, {0, p}};
  for (const auto& corner : corners) lattice.add(corner);
  constexpr int edges[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
  for (const auto& edge : edges) lattice.add_edge(corners[edge[0]], corners[edge[1]]);
  for (int y = 1; y < p; ++y)
    for (int x = 1; x < p; ++x) lattice.add({x, y});
  return lattice.points;
}

template <int p>
constexpr auto tetrahedron_lattice() {
  static_assert(
      p <= 3,
      "The numbering of a tetrahedron is written down for orders 1 to 3: a face has at most one inner node");
  LatticeBuilder<Shape::tetrahedron, p> lattice;
  const LatticePoint<3> corners[4] = {{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}};
  for (const auto& corner : corners) lattice.add(corner);
  constexpr int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (const auto& edge : edges) lattice.add_edge(corners[edge[0]], corners[edge[1]]);
  if (p == 3) {
    lattice.add({1, 0, 1});
    lattice.add({1, 1, 1});
    lattice.add({0, 1, 1});
    lattice.add({1, 1, 0});
  }
  return lattice.points;
}

template <int p>
constexpr auto hexahedron_lattice() {
  LatticeBuilder<Shape::hexahedron, p> lattice;
  const LatticePoint<3> corners[8] = {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0},
                                      {0, 0, p}, {p, 0, p}, {p, p, p}, {0, p, p}};
  for (const auto& corner : corners) lattice.add(corner);
  constexpr int edges[12][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6},
                                {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  for (const auto& edge : edges) lattice.add_edge(corners[edge[0]], corners[edge[1]]);
  for (int normal = 0; normal < 3; ++normal) {
    const int first = normal == 0 ? 1 : 0;
    const int second = normal == 2 ? 1 : 2;
    for (int end = 0; end <= p; end += p)
      for (int b = 1; b < p; ++b)
        for (int a = 1; a < p; ++a) {
          LatticePoint<3> point{};
          point[to_size(normal)] = end;
          point[to_size(first)] = a;
          point[to_size(second)] = b;
          lattice.add(point);
        }
  }
  for (int z = 1; z < p; ++z)
    for (int y = 1; y < p; ++y)
      for (int x = 1; x < p; ++x) lattice.add({x, y, z});
  return lattice.points;
}

template <int p>
constexpr auto wedge_lattice() {
  static_assert(p <= 2, "The numbering of a wedge is written down for orders 1 and 2");
  LatticeBuilder<Shape::wedge, p> lattice;
  const LatticePoint<3> corners[] = {{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {0, p, p}};
  for (const auto& corner : corners) lattice.add(corner);
  constexpr int edges[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  for (const auto& edge : edges) lattice.add_edge(corners[edge[0]], corners[edge[1]]);
  if (p == 2) {
    lattice.add({1, 0, 1});
    lattice.add({1, 1, 1});
    lattice.add({0, 1, 1});
  }
  return lattice.points;
}

template <int p>
constexpr auto pyramid_lattice() {
  static_assert(p <= 2, "The numbering of a pyramid is written down for orders 1 and 2");
  LatticeBuilder<Shape::pyramid, p> lattice;
  const LatticePoint<3> corners[] = {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}, {0, 0, p}};
  for (const auto& corner : corners) lattice.add(corner);
  constexpr int edges[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  for (const auto& edge : edges) lattice.add_edge(corners[edge[0]], corners[edge[1]]);
  if (p == 2) lattice.add({1, 1, 0});
  return lattice.points;
}

/// Lattice points of the nodes of a shape of order p, in VTK's order.
template <Shape shape, int p>
constexpr Lattice<shape, p> make_lattice() {
  if constexpr (shape == Shape::line)
    return line_lattice<p>();
  else if constexpr (shape == Shape::triangle)
    return triangle_lattice<p>();
  else if constexpr (shape == Shape::quadrilateral)
    return quadrilateral_lattice<p>();
  else if constexpr (shape == Shape::tetrahedron)
    return tetrahedron_lattice<p>();
  else if constexpr (shape == Shape::wedge)
    return wedge_lattice<p>();
  else if constexpr (shape == Shape::pyramid)
    return pyramid_lattice<p>();
  else if constexpr (shape == Shape::hexahedron)
    return hexahedron_lattice<p>();
}

/// Reference coordinates of lattice points of order p.
template <Shape shape, int p, std::size_t count>
constexpr auto reference_coordinates(const std::array<LatticePoint<dimension_of(shape)>, count>& points) {
  std::array<std::array<double, to_size(dimension_of(shape))>, count> coordinates{};
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < coordinates[i].size(); ++d) {
      const double unit = static_cast<double>(points[i][d]) / p;
      coordinates[i][d] = is_interval(shape, static_cast<int>(d)) ? 2 * unit - 1 : unit;
    }
  return coordinates;
}

} // namespace tessera::detail

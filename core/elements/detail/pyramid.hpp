// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The basis of the pyramid of order one: bilinear on the base and linear on the triangles, so that it meets
/// hexahedra and tetrahedra; inside it is rational (G. Bedrosian, "Shape functions and integration formulas
/// for three-dimensional finite element analysis", Int. J. Numer. Meth. Engng. 35, 1992).

#include <tessera/core/elements/detail/lattice.hpp>

#include <array>

namespace tessera::detail {

struct PyramidElement {
  static constexpr Shape shape = Shape::pyramid;
  static constexpr int order = 1;
  static constexpr int dimension = dimension_of(shape);
  static constexpr int nodes = lattice_size(shape, order);
  static constexpr int vertices = vertices_of(shape);
  static constexpr int sides = sides_of(shape);
  static constexpr bool affine_simplex = false;

  using Point = std::array<double, dimension>;

  static constexpr Lattice<shape, order> lattice() { return make_lattice<shape, order>(); }
  static constexpr std::array<Point, nodes> node_coordinates() {
    return reference_coordinates<shape, order>(lattice());
  }
  /// With x = (1 - z) a and y = (1 - z) b: (1 - z) times the bilinear functions of a and b, and z.
  static constexpr std::array<double, nodes> values(const Point& xi) {
    const auto [a, b] = on_base(xi);
    const double r = 1 - xi[2];
    return {r * (1 - a) * (1 - b), r * a * (1 - b), r * a * b, r * (1 - a) * b, xi[2]};
  }
  /// Their derivatives, [node][direction]. They have no limit at the apex; there, those along the line from
  /// the middle of the base.
  static constexpr std::array<Point, nodes> gradients(const Point& xi) {
    const auto [a, b] = on_base(xi);
    return {{{b - 1, a - 1, a * b - 1}, {1 - b, -a, -a * b}, {b, a, a * b}, {-b, 1 - a, -a * b}, {0, 0, 1}}};
  }

private:
  /// Where the line from the apex through a point meets the base; for the apex, the middle.
  static constexpr std::array<double, 2> on_base(const Point& xi) {
    const double r = 1 - xi[2];
    return r > 0 ? std::array{xi[0] / r, xi[1] / r} : std::array{0.5, 0.5};
  }
};

} // namespace tessera::detail

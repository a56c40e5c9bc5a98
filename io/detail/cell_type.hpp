// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The types of cells that a mesh file can hold.

#include <tessera/core/elements/detail/serendipity.hpp>
#include <tessera/core/elements/shape.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::io {

/// Shape and polynomial order of a cell, a run-time `Line<P>`, `Tri<P>`, `Quad<P>`, `Tet<P>`, `Hex<P>`,
/// `Wedge<P>`, `Pyramid<P>`, `Quad8`, `Hex20`, `Wedge15` or `Pyramid13` with the same numbering of nodes and
/// sides. A vertex, the side of a line, is a line of order 0.
struct CellType {
  Shape shape = Shape::line;
  int order = 1;
  bool serendipity = false; ///< nodes at corners and edges alone: `Quad8`, `Hex20`, `Wedge15`, `Pyramid13`

  friend constexpr auto operator<=>(const CellType&, const CellType&) = default;
  friend constexpr bool operator==(const CellType&, const CellType&) = default; // nvcc does not derive it

  /// 0 for a vertex, 1 for a line, 2 for a triangle or quadrilateral, 3 for a solid.
  constexpr int dimension() const noexcept { return order == 0 ? 0 : dimension_of(shape); }

  /// Nodes per cell.
  constexpr int nodes() const noexcept {
    return serendipity ? tessera::detail::serendipity_nodes(shape)
                       : tessera::detail::lattice_size(shape, order);
  }

  /// Corners per cell, which are its first nodes.
  constexpr int corners() const noexcept { return order == 0 ? 1 : vertices_of(shape); }

  /// Sides (cells of one dimension less) per cell.
  constexpr int sides() const noexcept { return order == 0 ? 0 : sides_of(shape); }

  /// Local numbers of the corners of side `side`, 0 <= side < sides().
  std::span<const int> side_corners(int side) const noexcept;

  /// Short name: "vertex", "line1", "tri1", "quad2", "tet3", "hex1", "hex20", ...
  std::string name() const;
};

/// The vertex.
inline constexpr CellType vertex_type{Shape::line, 0};

/// The type with the given short name among those that the readers know, or nothing.
std::optional<CellType> cell_type(std::string_view name);

/// Every type that the readers know: vertices, lines and triangles to order 5, tetrahedra to order 3,
/// quadrilaterals, hexahedra and wedges to order 2, with and without nodes inside faces and cells, pyramids
/// of order 1, and of order 2 without such nodes; by dimension, shape and order.
std::span<const CellType> cell_types() noexcept;

/// The type of an element class.
template <class Element>
constexpr CellType cell_type_of() noexcept {
  return {Element::shape, Element::order,
          Element::nodes != tessera::detail::lattice_size(Element::shape, Element::order)};
}

} // namespace tessera::io

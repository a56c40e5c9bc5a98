#pragma once

/// \file
/// The types of cells that a mesh file can hold: shape and order, node counts, and the corners of each side.

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::io {

/// Shape of a cell, from a point to a solid.
enum class CellShape : std::uint8_t { vertex, line, triangle, quadrilateral, tetrahedron, hexahedron };

/// Shape and polynomial order of a Lagrange cell. The nodes of a cell are numbered as VTK's Lagrange cells of
/// the same order: corners, then edges, then faces, then the interior.
struct CellType {
  CellShape shape = CellShape::vertex;
  int order = 1;

  friend constexpr auto operator<=>(const CellType&, const CellType&) = default;

  /// 0 for a vertex, 1 for a line, 2 for a triangle or quadrilateral, 3 for a solid.
  constexpr int dimension() const noexcept {
    switch (shape) {
    case CellShape::vertex:
      return 0;
    case CellShape::line:
      return 1;
    case CellShape::triangle:
    case CellShape::quadrilateral:
      return 2;
    default:
      return 3;
    }
  }

  /// Nodes per cell.
  constexpr int nodes() const noexcept {
    const int n = order + 1;
    switch (shape) {
    case CellShape::vertex:
      return 1;
    case CellShape::line:
      return n;
    case CellShape::triangle:
      return n * (n + 1) / 2;
    case CellShape::quadrilateral:
      return n * n;
    case CellShape::tetrahedron:
      return n * (n + 1) * (n + 2) / 6;
    default:
      return n * n * n;
    }
  }

  /// Corners per cell, which are its first nodes.
  constexpr int corners() const noexcept { return CellType{shape, 1}.nodes(); }

  /// Sides (cells of one dimension less) per cell.
  constexpr int sides() const noexcept {
    switch (shape) {
    case CellShape::vertex:
      return 0;
    case CellShape::line:
      return 2;
    case CellShape::triangle:
      return 3;
    case CellShape::hexahedron:
      return 6;
    default:
      return 4;
    }
  }

  /// Type of each side; a vertex has none and returns itself.
  constexpr CellType side_type() const noexcept {
    switch (shape) {
    case CellShape::triangle:
    case CellShape::quadrilateral:
      return {CellShape::line, order};
    case CellShape::tetrahedron:
      return {CellShape::triangle, order};
    case CellShape::hexahedron:
      return {CellShape::quadrilateral, order};
    default:
      return {CellShape::vertex, 1};
    }
  }

  /// Local numbers of the corners of side `side` (0 <= side < sides()), in the order of VTK's faces and
  /// edges: seen from outside, the corners of a face go anticlockwise.
  std::span<const std::int8_t> side_corners(int side) const noexcept;

  /// Short name: `tri1` ... `tri5`, `tet1` ... `tet3`, `quad1`, `quad2`, `hex1`, `hex2`, `line1` ... `line5`,
  /// `vertex`.
  std::string name() const;
};

/// The type with the given short name, or nothing if there is no such type among the supported ones.
std::optional<CellType> cell_type(std::string_view name);

/// Every supported type, by dimension, shape and order.
std::span<const CellType> cell_types() noexcept;

/// The type of a finite element class, which has `dimension`, `order` and `nodes`.
template <class Element>
constexpr CellType cell_type_of() noexcept {
  constexpr int order = Element::order;
  constexpr CellShape simplex = Element::dimension == 2 ? CellShape::triangle : CellShape::tetrahedron;
  constexpr CellShape tensor = Element::dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron;
  static_assert(Element::dimension == 2 || Element::dimension == 3,
                "tessera::io::cell_type_of: the element's dimension must be 2 or 3");
  static_assert(Element::nodes == CellType{simplex, order}.nodes() ||
                    Element::nodes == CellType{tensor, order}.nodes(),
                "tessera::io::cell_type_of: the element must be a complete Lagrange simplex or tensor cell");
  return Element::nodes == CellType{simplex, order}.nodes() ? CellType{simplex, order}
                                                            : CellType{tensor, order};
}

} // namespace tessera::io

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/element.hpp>
#include <tessera/io/detail/cell_type.hpp>

namespace tessera::io {

namespace {

constexpr CellType known[] = {vertex_type,
                              {Shape::line, 1},
                              {Shape::line, 2},
                              {Shape::line, 3},
                              {Shape::line, 4},
                              {Shape::line, 5},
                              {Shape::triangle, 1},
                              {Shape::triangle, 2},
                              {Shape::triangle, 3},
                              {Shape::triangle, 4},
                              {Shape::triangle, 5},
                              {Shape::quadrilateral, 1},
                              {Shape::quadrilateral, 2},
                              {Shape::quadrilateral, 2, true},
                              {Shape::tetrahedron, 1},
                              {Shape::tetrahedron, 2},
                              {Shape::tetrahedron, 3},
                              {Shape::hexahedron, 1},
                              {Shape::hexahedron, 2},
                              {Shape::hexahedron, 2, true},
                              {Shape::wedge, 1},
                              {Shape::wedge, 2},
                              {Shape::wedge, 2, true},
                              {Shape::pyramid, 1},
                              {Shape::pyramid, 2, true}};

template <class Element>
std::span<const int> corners_of_side(int side) noexcept {
  static constexpr auto sides = Element::side_nodes();
  const auto corners = static_cast<std::size_t>(tessera::detail::side_corners_of<Element>(side));
  return std::span<const int>(sides[static_cast<std::size_t>(side)]).first(corners);
}

constexpr int line_ends[] = {0, 1};

} // namespace

std::span<const int> CellType::side_corners(int side) const noexcept {
  if (order == 0) return {};
  switch (shape) {
  case Shape::line:
    return {line_ends + side, 1};
  case Shape::triangle:
    return corners_of_side<Tri<1>>(side);
  case Shape::quadrilateral:
    return corners_of_side<Quad<1>>(side);
  case Shape::tetrahedron:
    return corners_of_side<Tet<1>>(side);
  case Shape::hexahedron:
    return corners_of_side<Hex<1>>(side);
  case Shape::wedge:
    return corners_of_side<Wedge<1>>(side);
  case Shape::pyramid:
    return corners_of_side<Pyramid<1>>(side);
  }
  return {};
}

std::string CellType::name() const {
  return order == 0 ? std::string("vertex")
                    : short_name(shape) + std::to_string(serendipity ? nodes() : order);
}

std::optional<CellType> cell_type(std::string_view name) {
  for (const CellType& type : known)
    if (type.name() == name) return type;
  return std::nullopt;
}

std::span<const CellType> cell_types() noexcept { return known; }

} // namespace tessera::io

#include <tessera/io/cell_type.hpp>

#include <array>

namespace tessera::io {

namespace {

using Corners = std::array<std::int8_t, 4>;

// VTK's edges of vtkTriangle and vtkQuad and faces of vtkTetra and vtkHexahedron.
constexpr Corners line_sides[] = {{0}, {1}};
constexpr Corners triangle_sides[] = {{0, 1}, {1, 2}, {2, 0}};
constexpr Corners quadrilateral_sides[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
constexpr Corners tetrahedron_sides[] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
constexpr Corners hexahedron_sides[] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                        {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

constexpr CellType supported[] = {
    {CellShape::vertex, 1},        {CellShape::line, 1},        {CellShape::line, 2},
    {CellShape::line, 3},          {CellShape::line, 4},        {CellShape::line, 5},
    {CellShape::triangle, 1},      {CellShape::triangle, 2},    {CellShape::triangle, 3},
    {CellShape::triangle, 4},      {CellShape::triangle, 5},    {CellShape::quadrilateral, 1},
    {CellShape::quadrilateral, 2}, {CellShape::tetrahedron, 1}, {CellShape::tetrahedron, 2},
    {CellShape::tetrahedron, 3},   {CellShape::hexahedron, 1},  {CellShape::hexahedron, 2}};

} // namespace

std::span<const std::int8_t> CellType::side_corners(int side) const noexcept {
  const auto corners = static_cast<std::size_t>(side_type().corners());
  switch (shape) {
  case CellShape::vertex:
    return {};
  case CellShape::line:
    return {line_sides[side].data(), corners};
  case CellShape::triangle:
    return {triangle_sides[side].data(), corners};
  case CellShape::quadrilateral:
    return {quadrilateral_sides[side].data(), corners};
  case CellShape::tetrahedron:
    return {tetrahedron_sides[side].data(), corners};
  default:
    return {hexahedron_sides[side].data(), corners};
  }
}

std::string CellType::name() const {
  switch (shape) {
  case CellShape::vertex:
    return "vertex";
  case CellShape::line:
    return "line" + std::to_string(order);
  case CellShape::triangle:
    return "tri" + std::to_string(order);
  case CellShape::quadrilateral:
    return "quad" + std::to_string(order);
  case CellShape::tetrahedron:
    return "tet" + std::to_string(order);
  default:
    return "hex" + std::to_string(order);
  }
}

std::optional<CellType> cell_type(std::string_view name) {
  for (const CellType& type : supported)
    if (type.name() == name) return type;
  return std::nullopt;
}

std::span<const CellType> cell_types() noexcept { return supported; }

} // namespace tessera::io

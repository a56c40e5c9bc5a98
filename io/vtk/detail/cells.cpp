// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/vtk/detail/cells.hpp>

#include <vtkCellType.h>

namespace tessera::io {

namespace {

// vtkPixel and vtkVoxel count along the axes, not round the faces.
constexpr std::int8_t pixel[] = {0, 1, 3, 2};
constexpr std::int8_t voxel[] = {0, 1, 3, 2, 4, 5, 7, 6};
// The faces of vtkWedge, 0-1-2 and 3-5-4, point outwards where 3-4-5 lies behind 0-1-2, other than those of
// its cells of higher order and of all other formats.
constexpr std::int8_t wedge[] = {0, 2, 1, 3, 5, 4};

std::optional<Shape> shape_of(int vtk_type) noexcept {
  switch (vtk_type) {
  case VTK_LINE:
  case VTK_QUADRATIC_EDGE:
  case VTK_LAGRANGE_CURVE:
    return Shape::line;
  case VTK_TRIANGLE:
  case VTK_QUADRATIC_TRIANGLE:
  case VTK_LAGRANGE_TRIANGLE:
    return Shape::triangle;
  case VTK_QUAD:
  case VTK_BIQUADRATIC_QUAD:
  case VTK_QUADRATIC_QUAD:
  case VTK_LAGRANGE_QUADRILATERAL:
    return Shape::quadrilateral;
  case VTK_TETRA:
  case VTK_QUADRATIC_TETRA:
  case VTK_LAGRANGE_TETRAHEDRON:
    return Shape::tetrahedron;
  case VTK_HEXAHEDRON:
  case VTK_TRIQUADRATIC_HEXAHEDRON:
  case VTK_QUADRATIC_HEXAHEDRON:
  case VTK_LAGRANGE_HEXAHEDRON:
    return Shape::hexahedron;
  case VTK_WEDGE:
  case VTK_BIQUADRATIC_QUADRATIC_WEDGE:
  case VTK_QUADRATIC_WEDGE:
  case VTK_LAGRANGE_WEDGE:
    return Shape::wedge;
  case VTK_PYRAMID:
  case VTK_QUADRATIC_PYRAMID:
  case VTK_LAGRANGE_PYRAMID:
    return Shape::pyramid;
  default:
    return std::nullopt;
  }
}

/// Nodes at corners and edges alone.
constexpr bool is_serendipity(int vtk_type) noexcept {
  return vtk_type == VTK_QUADRATIC_QUAD || vtk_type == VTK_QUADRATIC_HEXAHEDRON ||
         vtk_type == VTK_QUADRATIC_WEDGE || vtk_type == VTK_QUADRATIC_PYRAMID;
}

constexpr int serendipity_type(Shape shape) noexcept {
  return shape == Shape::quadrilateral ? VTK_QUADRATIC_QUAD
         : shape == Shape::hexahedron  ? VTK_QUADRATIC_HEXAHEDRON
         : shape == Shape::wedge       ? VTK_QUADRATIC_WEDGE
                                       : VTK_QUADRATIC_PYRAMID;
}

} // namespace

int vtk_type(CellType type) noexcept {
  if (type.order == 0) return VTK_VERTEX;
  if (type.serendipity) return serendipity_type(type.shape);
  switch (type.shape) {
  case Shape::line:
    return type.order == 1 ? VTK_LINE : type.order == 2 ? VTK_QUADRATIC_EDGE : VTK_LAGRANGE_CURVE;
  case Shape::triangle:
    return type.order == 1 ? VTK_TRIANGLE : type.order == 2 ? VTK_QUADRATIC_TRIANGLE : VTK_LAGRANGE_TRIANGLE;
  case Shape::quadrilateral:
    return type.order == 1 ? VTK_QUAD : type.order == 2 ? VTK_BIQUADRATIC_QUAD : VTK_LAGRANGE_QUADRILATERAL;
  case Shape::tetrahedron:
    return type.order == 1 ? VTK_TETRA : type.order == 2 ? VTK_QUADRATIC_TETRA : VTK_LAGRANGE_TETRAHEDRON;
  case Shape::hexahedron:
    return type.order == 1   ? VTK_HEXAHEDRON
           : type.order == 2 ? VTK_TRIQUADRATIC_HEXAHEDRON
                             : VTK_LAGRANGE_HEXAHEDRON;
  case Shape::wedge:
    return type.order == 1   ? VTK_WEDGE
           : type.order == 2 ? VTK_BIQUADRATIC_QUADRATIC_WEDGE
                             : VTK_LAGRANGE_WEDGE;
  case Shape::pyramid:
    return type.order == 1 ? VTK_PYRAMID : VTK_LAGRANGE_PYRAMID;
  }
  return VTK_EMPTY_CELL;
}

NodeOrder vtk_order(CellType type) noexcept {
  return vtk_type(type) == VTK_WEDGE ? NodeOrder(wedge) : NodeOrder();
}

std::optional<VtkCell> vtk_cell(int vtk_type, std::int64_t nodes) noexcept {
  if (vtk_type == VTK_VERTEX && nodes == 1) return VtkCell{vertex_type, {}};
  if (vtk_type == VTK_PIXEL && nodes == 4) return VtkCell{{Shape::quadrilateral, 1}, pixel};
  if (vtk_type == VTK_VOXEL && nodes == 8) return VtkCell{{Shape::hexahedron, 1}, voxel};
  const std::optional<Shape> shape = shape_of(vtk_type);
  if (!shape) return std::nullopt;
  for (const CellType& type : cell_types())
    if (type.shape == *shape && type.order > 0 && type.serendipity == is_serendipity(vtk_type) &&
        type.nodes() == nodes)
      return VtkCell{type, vtk_type == VTK_WEDGE ? NodeOrder(wedge) : NodeOrder()};
  return std::nullopt;
}

} // namespace tessera::io

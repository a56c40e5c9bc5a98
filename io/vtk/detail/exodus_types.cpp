// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/vtk/detail/exodus_types.hpp>

namespace tessera::io {

namespace {

// SAND92-2137, "Node ordering": of a hexahedron the middles of the edges along z come before those of the
// top, and the middle of all before those of the faces, which come as -z, +z, -x, +x, -y, +y.
constexpr std::int8_t hex27[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17,
                                 18, 19, 12, 13, 14, 15, 23, 24, 25, 26, 21, 22, 20};

// Of a wedge, likewise, the edges along z before those of the top.
constexpr std::int8_t wedge18[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11, 15, 16, 17};

constexpr ExodusType exodus_types[] = {
    {"SPHERE", vertex_type, {}},
    {"BAR", {Shape::line, 1}, {}},
    {"BAR", {Shape::line, 2}, {}},
    {"BEAM", {Shape::line, 1}, {}},
    {"BEAM", {Shape::line, 2}, {}},
    {"TRUSS", {Shape::line, 1}, {}},
    {"TRUSS", {Shape::line, 2}, {}},
    {"EDGE", {Shape::line, 1}, {}},
    {"EDGE", {Shape::line, 2}, {}},
    {"TRI", {Shape::triangle, 1}, {}},
    {"TRI", {Shape::triangle, 2}, {}},
    {"QUAD", {Shape::quadrilateral, 1}, {}},
    {"QUAD", {Shape::quadrilateral, 2}, {}},
    {"QUAD", {Shape::quadrilateral, 2, true}, {}},
    {"SHELL", {Shape::quadrilateral, 1}, {}},
    {"SHELL", {Shape::quadrilateral, 2}, {}},
    {"SHELL", {Shape::quadrilateral, 2, true}, {}},
    {"TET", {Shape::tetrahedron, 1}, {}},
    {"TET", {Shape::tetrahedron, 2}, {}},
    {"HEX", {Shape::hexahedron, 1}, {}},
    {"HEX", {Shape::hexahedron, 2}, hex27},
    {"HEX", {Shape::hexahedron, 2, true}, NodeOrder(hex27).first(20)},
    {"WEDGE", {Shape::wedge, 1}, {}},
    {"WEDGE", {Shape::wedge, 2}, wedge18},
    {"WEDGE", {Shape::wedge, 2, true}, NodeOrder(wedge18).first(15)},
    {"PYRAMID", {Shape::pyramid, 1}, {}},
    {"PYRAMID", {Shape::pyramid, 2, true}, {}},
};

// Ibid., "Side set node ordering": of a tetrahedron 1-2-4, 2-3-4, 1-4-3, 1-3-2; of a hexahedron 1-2-6-5,
// 2-3-7-6, 3-4-8-7, 1-5-8-4, 1-4-3-2, 5-6-7-8.
constexpr std::int8_t in_order[] = {0, 1, 2, 3};
constexpr std::int8_t hex_sides[] = {2, 1, 3, 0, 4, 5};
// Of a wedge 1-2-5-4, 2-3-6-5, 1-4-6-3, 1-3-2, 4-5-6.
constexpr std::int8_t wedge_sides[] = {2, 3, 4, 0, 1};
// Of a pyramid 1-2-5, 2-3-5, 3-4-5, 4-1-5, 1-4-3-2.
constexpr std::int8_t pyramid_sides[] = {1, 2, 3, 4, 0};

} // namespace

const ExodusType* exodus_type(const std::string& name, std::int64_t nodes) noexcept {
  for (const ExodusType& entry : exodus_types)
    if (name.starts_with(entry.name) && entry.type.nodes() == nodes) return &entry;
  return nullptr;
}

ExodusEdges exodus_edges(const std::string& name, CellType type, std::int64_t dimensions) noexcept {
  if (type.dimension() != 2) return ExodusEdges::from_one;
  // By ex_get_side_set_node_list all sides of QUAD are edges, and in two dimensions those of TRISHELL too.
  if (name.starts_with("QUAD")) return dimensions == 3 ? ExodusEdges::either : ExodusEdges::from_one;
  if (dimensions == 3 || name.starts_with("SHELL")) return ExodusEdges::from_three;
  return name.starts_with("TRISHELL") ? ExodusEdges::either : ExodusEdges::from_one;
}

std::span<const std::int8_t> exodus_sides(CellType type) noexcept {
  if (type.shape == Shape::hexahedron) return hex_sides;
  if (type.shape == Shape::wedge) return wedge_sides;
  if (type.shape == Shape::pyramid) return pyramid_sides;
  return std::span(in_order).first(static_cast<std::size_t>(type.sides()));
}

} // namespace tessera::io

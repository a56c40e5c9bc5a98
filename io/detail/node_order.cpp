// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/node_order.hpp>

#include <algorithm>
#include <cstddef>

namespace tessera::io {

namespace {

// Gmsh Reference Manual, "Node ordering": the edges that end in the last vertex of a tetrahedron run towards
// the others and come in the order (3,0), (3,2), (3,1); its faces come as (0,2,1), (0,1,3), (0,3,2), (3,1,2).
constexpr std::int8_t gmsh_tet2[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
constexpr std::int8_t gmsh_tet3[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10, 15, 14, 13, 12, 17, 19, 18, 16};
// Ibid.: the edges and faces of a hexahedron come in the order of their smallest vertices.
constexpr std::int8_t gmsh_hex2[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                     19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};

// Ibid.: those of a wedge come likewise; so do the edges of a pyramid.
constexpr std::int8_t gmsh_wedge2[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16};
constexpr std::int8_t gmsh_pyramid13[] = {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};

constexpr GmshType gmsh_types[] = {
    {15, vertex_type, {}},
    {1, {Shape::line, 1}, {}},
    {8, {Shape::line, 2}, {}},
    {26, {Shape::line, 3}, {}},
    {27, {Shape::line, 4}, {}},
    {28, {Shape::line, 5}, {}},
    {2, {Shape::triangle, 1}, {}},
    {9, {Shape::triangle, 2}, {}},
    {21, {Shape::triangle, 3}, {}},
    {23, {Shape::triangle, 4}, {}},
    {25, {Shape::triangle, 5}, {}},
    {3, {Shape::quadrilateral, 1}, {}},
    {10, {Shape::quadrilateral, 2}, {}},
    {16, {Shape::quadrilateral, 2, true}, {}},
    {4, {Shape::tetrahedron, 1}, {}},
    {11, {Shape::tetrahedron, 2}, gmsh_tet2},
    {29, {Shape::tetrahedron, 3}, gmsh_tet3},
    {5, {Shape::hexahedron, 1}, {}},
    {12, {Shape::hexahedron, 2}, gmsh_hex2},
    {17, {Shape::hexahedron, 2, true}, NodeOrder(gmsh_hex2).first(20)},
    {6, {Shape::wedge, 1}, {}},
    {13, {Shape::wedge, 2}, gmsh_wedge2},
    {18, {Shape::wedge, 2, true}, NodeOrder(gmsh_wedge2).first(15)},
    {7, {Shape::pyramid, 1}, {}},
    {19, {Shape::pyramid, 2, true}, gmsh_pyramid13},
};

// TetGen (outelements with -o2): the nodes on the edges (2,3), (0,3), (0,1), (1,2), (1,3), (0,2) follow the
// corners.
constexpr std::int8_t tetgen_tet1[] = {0, 1, 2, 3};
constexpr std::int8_t tetgen_tet2[] = {0, 1, 2, 3, 6, 7, 9, 5, 8, 4};
// Triangle (-o2): the nodes on the edges opposite to corners 0, 1, 2 follow the corners.
constexpr std::int8_t triangle_tri1[] = {0, 1, 2};
constexpr std::int8_t triangle_tri2[] = {0, 1, 2, 5, 3, 4};

// AVS Developer's Guide: the first nodes of a hexahedron are those of its top, that of a pyramid is its apex.
// Some programs take VTK's order; the cells of one are those of the other turned round.
constexpr std::int8_t ucd_tet[] = {0, 1, 3, 2};
constexpr std::int8_t ucd_hex[] = {4, 5, 6, 7, 0, 1, 2, 3};
constexpr std::int8_t ucd_prism[] = {3, 4, 5, 0, 1, 2};
constexpr std::int8_t ucd_pyramid[] = {1, 2, 3, 4, 0};

constexpr UcdType ucd_types[] = {
    {"pt", vertex_type, {}},
    {"line", {Shape::line, 1}, {}},
    {"tri", {Shape::triangle, 1}, {}},
    {"quad", {Shape::quadrilateral, 1}, {}},
    {"tet", {Shape::tetrahedron, 1}, ucd_tet},
    {"hex", {Shape::hexahedron, 1}, ucd_hex},
    {"prism", {Shape::wedge, 1}, ucd_prism},
    {"pyr", {Shape::pyramid, 1}, ucd_pyramid},
};

struct OtherGmshType {
  int number;
  int nodes;
  const char* shape;
};

constexpr OtherGmshType other_gmsh_types[] = {
    {14, 14, "pyramid"},     {20, 9, "triangle"},     {22, 12, "triangle"},   {24, 15, "triangle"},
    {30, 35, "tetrahedron"}, {31, 56, "tetrahedron"}, {36, 16, "quadrangle"}, {37, 25, "quadrangle"},
    {90, 40, "prism"},       {91, 75, "prism"},       {92, 64, "hexahedron"}, {93, 125, "hexahedron"},
};

} // namespace

const GmshType* gmsh_type(std::int64_t number) noexcept {
  for (const GmshType& entry : gmsh_types)
    if (entry.number == number) return &entry;
  return nullptr;
}

std::string gmsh_type_name(std::int64_t number) {
  for (const OtherGmshType& other : other_gmsh_types)
    if (other.number == number)
      return "type " + std::to_string(number) + " (" + std::to_string(other.nodes) + "-node " + other.shape +
             ")";
  return "type " + std::to_string(number);
}

int other_gmsh_nodes(std::int64_t number) noexcept {
  for (const OtherGmshType& other : other_gmsh_types)
    if (other.number == number) return other.nodes;
  return 0;
}

const UcdType* ucd_type(std::string_view name) noexcept {
  const auto found = std::find_if(std::begin(ucd_types), std::end(ucd_types),
                                  [&](const UcdType& entry) { return entry.name == name; });
  return found == std::end(ucd_types) ? nullptr : found;
}

NodeOrder tetgen_order(CellType type) noexcept {
  if (type.shape == Shape::triangle)
    return type.order == 1 ? NodeOrder(triangle_tri1) : NodeOrder(triangle_tri2);
  return type.order == 1 ? NodeOrder(tetgen_tet1) : NodeOrder(tetgen_tet2);
}

} // namespace tessera::io

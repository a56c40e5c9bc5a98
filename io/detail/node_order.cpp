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
    {4, {Shape::tetrahedron, 1}, {}},
    {11, {Shape::tetrahedron, 2}, gmsh_tet2},
    {29, {Shape::tetrahedron, 3}, gmsh_tet3},
    {5, {Shape::hexahedron, 1}, {}},
    {12, {Shape::hexahedron, 2}, gmsh_hex2},
};

// TetGen (outelements with -o2): the nodes on the edges (2,3), (0,3), (0,1), (1,2), (1,3), (0,2) follow the
// corners.
constexpr std::int8_t tetgen_tet1[] = {0, 1, 2, 3};
constexpr std::int8_t tetgen_tet2[] = {0, 1, 2, 3, 6, 7, 9, 5, 8, 4};

struct GmshName {
  int number;
  const char* name;
};

constexpr GmshName other_gmsh_types[] = {
    {6, "6-node prism"},         {7, "5-node pyramid"},       {13, "18-node prism"},
    {14, "14-node pyramid"},     {16, "8-node quadrangle"},   {17, "20-node hexahedron"},
    {18, "15-node prism"},       {19, "13-node pyramid"},     {20, "9-node triangle"},
    {22, "12-node triangle"},    {24, "15-node triangle"},    {30, "35-node tetrahedron"},
    {31, "56-node tetrahedron"}, {36, "16-node quadrangle"},  {37, "25-node quadrangle"},
    {92, "64-node hexahedron"},  {93, "125-node hexahedron"},
};

// Abaqus Analysis User's Guide, "Element face definitions": for a tetrahedron S1 = 1-2-3, S2 = 1-4-2, S3 =
// 2-4-3, S4 = 3-4-1; for a hexahedron S1 = 1-2-3-4, S2 = 5-8-7-6, S3 = 1-5-6-2, S4 = 2-6-7-3, S5 = 3-7-8-4,
// S6 = 4-8-5-1.
constexpr std::int8_t abaqus_plane_sides[] = {0, 1, 2, 3};
constexpr std::int8_t abaqus_tet_sides[] = {3, 0, 1, 2};
constexpr std::int8_t abaqus_hex_sides[] = {4, 5, 2, 1, 3, 0};

constexpr std::span<const std::int8_t> triangle_sides(abaqus_plane_sides, 3);
constexpr std::span<const std::int8_t> quadrilateral_sides(abaqus_plane_sides, 4);

constexpr std::string_view temperatures = "has no displacements";

constexpr AbaqusType abaqus_types[] = {
    {"C3D4", {Shape::tetrahedron, 1}, "", abaqus_tet_sides},
    {"C3D8", {Shape::hexahedron, 1}, "", abaqus_hex_sides},
    {"C3D8I",
     {Shape::hexahedron, 1},
     "has incompatible modes besides its nodes, as hex1 has not",
     abaqus_hex_sides},
    {"C3D8R", {Shape::hexahedron, 1}, "is integrated at one point, hex1 at eight", abaqus_hex_sides},
    {"C3D10", {Shape::tetrahedron, 2}, "", abaqus_tet_sides},
    {"CPS3", {Shape::triangle, 1}, "", triangle_sides},
    {"CPS4", {Shape::quadrilateral, 1}, "", quadrilateral_sides},
    {"CPS6", {Shape::triangle, 2}, "", triangle_sides},
    {"CPE3", {Shape::triangle, 1}, "", triangle_sides},
    {"CPE4", {Shape::quadrilateral, 1}, "", quadrilateral_sides},
    {"CPE6", {Shape::triangle, 2}, "", triangle_sides},
    {"DC3D4", {Shape::tetrahedron, 1}, temperatures, abaqus_tet_sides},
    {"DC3D8", {Shape::hexahedron, 1}, temperatures, abaqus_hex_sides},
    {"DC3D10", {Shape::tetrahedron, 2}, temperatures, abaqus_tet_sides},
    {"DC2D3", {Shape::triangle, 1}, temperatures, triangle_sides},
    {"DC2D4", {Shape::quadrilateral, 1}, temperatures, quadrilateral_sides},
    {"DC2D6", {Shape::triangle, 2}, temperatures, triangle_sides},
};

} // namespace

const GmshType* gmsh_type(std::int64_t number) noexcept {
  for (const GmshType& entry : gmsh_types)
    if (entry.number == number) return &entry;
  return nullptr;
}

std::string gmsh_type_name(std::int64_t number) {
  for (const GmshName& other : other_gmsh_types)
    if (other.number == number) return "type " + std::to_string(number) + " (" + other.name + ")";
  return "type " + std::to_string(number);
}

const AbaqusType* abaqus_type(std::string_view name) noexcept {
  for (const AbaqusType& entry : abaqus_types)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::string abaqus_type_names() {
  std::string list;
  for (const AbaqusType& entry : abaqus_types) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list;
}

NodeOrder tetgen_order(CellType type) noexcept {
  return type.order == 1 ? NodeOrder(tetgen_tet1) : NodeOrder(tetgen_tet2);
}

} // namespace tessera::io

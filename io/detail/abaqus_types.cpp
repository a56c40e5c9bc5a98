// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/node_order.hpp>

#include <string>

namespace tessera::io {

namespace {

// Abaqus Analysis User's Guide, "Element face definitions": for a tetrahedron S1 = 1-2-3, S2 = 1-4-2, S3 =
// 2-4-3, S4 = 3-4-1; for a hexahedron S1 = 1-2-3-4, S2 = 5-8-7-6, S3 = 1-5-6-2, S4 = 2-6-7-3, S5 = 3-7-8-4,
// S6 = 4-8-5-1; for a wedge S1 = 1-2-3, S2 = 4-6-5, S3 = 1-4-5-2, S4 = 2-5-6-3, S5 = 3-6-4-1; for
// Abaqus' pyramid S1 = 1-2-3-4, S2 = 1-5-2, S3 = 2-5-3, S4 = 3-5-4, S5 = 4-5-1.
constexpr std::int8_t abaqus_plane_sides[] = {0, 1, 2, 3};
constexpr std::int8_t abaqus_tet_sides[] = {3, 0, 1, 2};
constexpr std::int8_t abaqus_hex_sides[] = {4, 5, 2, 1, 3, 0};
constexpr std::int8_t abaqus_wedge_sides[] = {0, 1, 2, 3, 4};
constexpr std::int8_t abaqus_pyramid_sides[] = {0, 1, 2, 3, 4};

constexpr std::span<const std::int8_t> triangle_sides(abaqus_plane_sides, 3);
constexpr std::span<const std::int8_t> quadrilateral_sides(abaqus_plane_sides, 4);

constexpr CellType tri1{Shape::triangle, 1}, tri2{Shape::triangle, 2}, quad1{Shape::quadrilateral, 1};
constexpr CellType tet1{Shape::tetrahedron, 1}, tet2{Shape::tetrahedron, 2}, hex1{Shape::hexahedron, 1};
constexpr CellType quad8{Shape::quadrilateral, 2, true}, hex20{Shape::hexahedron, 2, true};
constexpr CellType wedge1{Shape::wedge, 1}, wedge15{Shape::wedge, 2, true}, pyramid1{Shape::pyramid, 1};
constexpr CellType line1{Shape::line, 1}, line2{Shape::line, 2}, quad2{Shape::quadrilateral, 2};

// The second of three nodes lies between the others.
constexpr std::int8_t three_in_line[] = {0, 2, 1};

constexpr std::string_view no_displacements = "has no displacements";
constexpr std::string_view temperatures = "has temperatures besides its displacements";
constexpr std::string_view hybrid = "has pressures besides its displacements";
constexpr std::string_view incompatible = "has incompatible modes besides its nodes, as hex1 has not";
constexpr std::string_view incompatible_plane = "has incompatible modes besides its nodes, as quad1 has not";
constexpr std::string_view one_point = "is integrated at one point, hex1 at eight";
constexpr std::string_view one_point_plane = "is integrated at one point, quad1 at four";
constexpr std::string_view eight_points = "is integrated at eight points, hex20 at 27";
constexpr std::string_view four_points = "is integrated at four points, quad8 at nine";
constexpr std::string_view modified = "has a basis of its own, unlike tet2 and tri2";
constexpr std::string_view surface_stresses = "is integrated in a way of its own, unlike tet2";
constexpr std::string_view surface_stresses_hex = "is integrated in a way of its own, unlike hex1";
constexpr std::string_view pores = "has pressures in pores besides its displacements";
constexpr std::string_view generalized = "has strains along its normal besides its nodes";
constexpr std::string_view fluid = "is of a fluid";
constexpr std::string_view continuum_shell = "is a shell with the nodes of a solid";
constexpr std::string_view surface = "is a surface without stiffness";
constexpr std::string_view rigid = "is rigid";
constexpr std::string_view axisymmetric = "is axisymmetric";
constexpr std::string_view shell = "is a shell";
constexpr std::string_view membrane = "is a membrane";
constexpr std::string_view slender = "is a truss or a beam";

constexpr AbaqusType abaqus_types[] = {
    {"C3D4", tet1, "", abaqus_tet_sides},
    {"C3D5", pyramid1, "", abaqus_pyramid_sides},
    {"C3D6", wedge1, "", abaqus_wedge_sides},
    {"C3D8", hex1, "", abaqus_hex_sides},
    {"C3D8I", hex1, incompatible, abaqus_hex_sides},
    {"C3D8R", hex1, one_point, abaqus_hex_sides},
    {"C3D10", tet2, "", abaqus_tet_sides},
    {"C3D15", wedge15, "", abaqus_wedge_sides},
    {"C3D20", hex20, "", abaqus_hex_sides},
    {"C3D20R", hex20, eight_points, abaqus_hex_sides, true},
    {"CPS3", tri1, "", triangle_sides},
    {"CPS4", quad1, "", quadrilateral_sides},
    {"CPS6", tri2, "", triangle_sides},
    {"CPS8", quad8, "", quadrilateral_sides},
    {"CPS8R", quad8, four_points, quadrilateral_sides, true},
    {"CPE3", tri1, "", triangle_sides},
    {"CPE4", quad1, "", quadrilateral_sides},
    {"CPE6", tri2, "", triangle_sides},
    {"CPE8", quad8, "", quadrilateral_sides},
    {"CPE8R", quad8, four_points, quadrilateral_sides, true},
    {"DC3D4", tet1, no_displacements, abaqus_tet_sides},
    {"DC3D5", pyramid1, no_displacements, abaqus_pyramid_sides},
    {"DC3D6", wedge1, no_displacements, abaqus_wedge_sides},
    {"DC3D8", hex1, no_displacements, abaqus_hex_sides},
    {"DC3D10", tet2, no_displacements, abaqus_tet_sides},
    {"DC3D15", wedge15, no_displacements, abaqus_wedge_sides},
    {"DC3D20", hex20, no_displacements, abaqus_hex_sides},
    {"AC3D4", tet1, no_displacements, abaqus_tet_sides},
    {"AC3D5", pyramid1, no_displacements, abaqus_pyramid_sides},
    {"AC3D6", wedge1, no_displacements, abaqus_wedge_sides},
    {"AC3D8", hex1, no_displacements, abaqus_hex_sides},
    {"AC3D10", tet2, no_displacements, abaqus_tet_sides},
    {"AC3D15", wedge15, no_displacements, abaqus_wedge_sides},
    {"AC3D20", hex20, no_displacements, abaqus_hex_sides},
    {"DC3D8R", hex1, no_displacements, abaqus_hex_sides},
    {"DC3D20R", hex20, no_displacements, abaqus_hex_sides},
    {"DC2D3", tri1, no_displacements, triangle_sides},
    {"DC2D4", quad1, no_displacements, quadrilateral_sides},
    {"DC2D6", tri2, no_displacements, triangle_sides},
    {"DC2D8", quad8, no_displacements, quadrilateral_sides},
    {"AC2D3", tri1, no_displacements, triangle_sides},
    {"AC2D4", quad1, no_displacements, quadrilateral_sides},
    {"AC2D6", tri2, no_displacements, triangle_sides},
    {"AC2D8", quad8, no_displacements, quadrilateral_sides},
    {"DCAX3", tri1, axisymmetric, triangle_sides},
    {"DCAX4", quad1, axisymmetric, quadrilateral_sides},
    {"DCAX6", tri2, axisymmetric, triangle_sides},
    {"DCAX8", quad8, axisymmetric, quadrilateral_sides},
    {"ACAX3", tri1, axisymmetric, triangle_sides},
    {"ACAX4", quad1, axisymmetric, quadrilateral_sides},
    {"ACAX6", tri2, axisymmetric, triangle_sides},
    {"ACAX8", quad8, axisymmetric, quadrilateral_sides},
    {"C3D4H", tet1, hybrid, abaqus_tet_sides},
    {"C3D4T", tet1, temperatures, abaqus_tet_sides},
    {"C3D4P", tet1, pores, abaqus_tet_sides},
    {"C3D5H", pyramid1, hybrid, abaqus_pyramid_sides},
    {"C3D6H", wedge1, hybrid, abaqus_wedge_sides},
    {"C3D6T", wedge1, temperatures, abaqus_wedge_sides},
    {"C3D6P", wedge1, pores, abaqus_wedge_sides},
    {"C3D8H", hex1, hybrid, abaqus_hex_sides},
    {"C3D8IH", hex1, hybrid, abaqus_hex_sides},
    {"C3D8RH", hex1, hybrid, abaqus_hex_sides},
    {"C3D8T", hex1, temperatures, abaqus_hex_sides},
    {"C3D8HT", hex1, temperatures, abaqus_hex_sides},
    {"C3D8RT", hex1, temperatures, abaqus_hex_sides},
    {"C3D8RHT", hex1, temperatures, abaqus_hex_sides},
    {"C3D8P", hex1, pores, abaqus_hex_sides},
    {"C3D8PH", hex1, pores, abaqus_hex_sides},
    {"C3D8RP", hex1, pores, abaqus_hex_sides},
    {"C3D8RPH", hex1, pores, abaqus_hex_sides},
    {"C3D8S", hex1, surface_stresses_hex, abaqus_hex_sides},
    {"C3D8HS", hex1, surface_stresses_hex, abaqus_hex_sides},
    {"C3D10H", tet2, hybrid, abaqus_tet_sides},
    {"C3D10M", tet2, modified, abaqus_tet_sides},
    {"C3D10MH", tet2, modified, abaqus_tet_sides},
    {"C3D10I", tet2, surface_stresses, abaqus_tet_sides},
    {"C3D10HS", tet2, surface_stresses, abaqus_tet_sides},
    {"C3D10T", tet2, temperatures, abaqus_tet_sides},
    {"C3D10HT", tet2, temperatures, abaqus_tet_sides},
    {"C3D10MT", tet2, temperatures, abaqus_tet_sides},
    {"C3D10MHT", tet2, temperatures, abaqus_tet_sides},
    {"C3D10P", tet2, pores, abaqus_tet_sides},
    {"C3D10PH", tet2, pores, abaqus_tet_sides},
    {"C3D10MP", tet2, pores, abaqus_tet_sides},
    {"C3D10MPH", tet2, pores, abaqus_tet_sides},
    {"C3D15H", wedge15, hybrid, abaqus_wedge_sides},
    {"C3D20H", hex20, hybrid, abaqus_hex_sides},
    {"C3D20RH", hex20, hybrid, abaqus_hex_sides},
    {"C3D20T", hex20, temperatures, abaqus_hex_sides},
    {"C3D20HT", hex20, temperatures, abaqus_hex_sides},
    {"C3D20RT", hex20, temperatures, abaqus_hex_sides},
    {"C3D20RHT", hex20, temperatures, abaqus_hex_sides},
    {"C3D20P", hex20, pores, abaqus_hex_sides},
    {"C3D20PH", hex20, pores, abaqus_hex_sides},
    {"C3D20RP", hex20, pores, abaqus_hex_sides},
    {"C3D20RPH", hex20, pores, abaqus_hex_sides},
    {"CPS3T", tri1, temperatures, triangle_sides},
    {"CPS4R", quad1, one_point_plane, quadrilateral_sides},
    {"CPS4I", quad1, incompatible_plane, quadrilateral_sides},
    {"CPS4T", quad1, temperatures, quadrilateral_sides},
    {"CPS4RT", quad1, temperatures, quadrilateral_sides},
    {"CPS6M", tri2, modified, triangle_sides},
    {"CPS6MT", tri2, temperatures, triangle_sides},
    {"CPS8T", quad8, temperatures, quadrilateral_sides},
    {"CPS8RT", quad8, temperatures, quadrilateral_sides},
    {"CPE3T", tri1, temperatures, triangle_sides},
    {"CPE4R", quad1, one_point_plane, quadrilateral_sides},
    {"CPE4I", quad1, incompatible_plane, quadrilateral_sides},
    {"CPE4T", quad1, temperatures, quadrilateral_sides},
    {"CPE4RT", quad1, temperatures, quadrilateral_sides},
    {"CPE6M", tri2, modified, triangle_sides},
    {"CPE6MT", tri2, temperatures, triangle_sides},
    {"CPE8T", quad8, temperatures, quadrilateral_sides},
    {"CPE8RT", quad8, temperatures, quadrilateral_sides},
    {"CPEG3", tri1, generalized, triangle_sides},
    {"CPEG4", quad1, generalized, quadrilateral_sides},
    {"CPEG4R", quad1, generalized, quadrilateral_sides},
    {"CPEG4I", quad1, generalized, quadrilateral_sides},
    {"CPEG6", tri2, generalized, triangle_sides},
    {"CPEG6M", tri2, generalized, triangle_sides},
    {"CPEG8", quad8, generalized, quadrilateral_sides},
    {"CPEG8R", quad8, generalized, quadrilateral_sides},
    {"CPE3H", tri1, hybrid, triangle_sides},
    {"CPE4H", quad1, hybrid, quadrilateral_sides},
    {"CPE4IH", quad1, hybrid, quadrilateral_sides},
    {"CPE4RH", quad1, hybrid, quadrilateral_sides},
    {"CPE4HT", quad1, temperatures, quadrilateral_sides},
    {"CPE4RHT", quad1, temperatures, quadrilateral_sides},
    {"CPE6H", tri2, hybrid, triangle_sides},
    {"CPE6MH", tri2, hybrid, triangle_sides},
    {"CPE8H", quad8, hybrid, quadrilateral_sides},
    {"CPE8RH", quad8, hybrid, quadrilateral_sides},
    {"CPE8HT", quad8, temperatures, quadrilateral_sides},
    {"CPE8RHT", quad8, temperatures, quadrilateral_sides},
    {"CPE4P", quad1, pores, quadrilateral_sides},
    {"CPE4PH", quad1, pores, quadrilateral_sides},
    {"CPE4RP", quad1, pores, quadrilateral_sides},
    {"CPE4RPH", quad1, pores, quadrilateral_sides},
    {"CPE8P", quad8, pores, quadrilateral_sides},
    {"CPE8PH", quad8, pores, quadrilateral_sides},
    {"CPE8RP", quad8, pores, quadrilateral_sides},
    {"CPE8RPH", quad8, pores, quadrilateral_sides},
    {"CAX3", tri1, axisymmetric, triangle_sides},
    {"CAX3H", tri1, axisymmetric, triangle_sides},
    {"CAX4", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4R", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4H", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4RH", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4I", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4IH", quad1, axisymmetric, quadrilateral_sides},
    {"CAX6", tri2, axisymmetric, triangle_sides},
    {"CAX6H", tri2, axisymmetric, triangle_sides},
    {"CAX6M", tri2, axisymmetric, triangle_sides},
    {"CAX6MH", tri2, axisymmetric, triangle_sides},
    {"CAX8", quad8, axisymmetric, quadrilateral_sides},
    {"CAX8R", quad8, axisymmetric, quadrilateral_sides},
    {"CAX8H", quad8, axisymmetric, quadrilateral_sides},
    {"CAX8RH", quad8, axisymmetric, quadrilateral_sides},
    {"CGAX3", tri1, axisymmetric, triangle_sides},
    {"CGAX3H", tri1, axisymmetric, triangle_sides},
    {"CGAX4", quad1, axisymmetric, quadrilateral_sides},
    {"CGAX4R", quad1, axisymmetric, quadrilateral_sides},
    {"CGAX4H", quad1, axisymmetric, quadrilateral_sides},
    {"CGAX4RH", quad1, axisymmetric, quadrilateral_sides},
    {"CGAX6", tri2, axisymmetric, triangle_sides},
    {"CGAX6H", tri2, axisymmetric, triangle_sides},
    {"CGAX6M", tri2, axisymmetric, triangle_sides},
    {"CGAX6MH", tri2, axisymmetric, triangle_sides},
    {"CGAX8", quad8, axisymmetric, quadrilateral_sides},
    {"CGAX8R", quad8, axisymmetric, quadrilateral_sides},
    {"CGAX8H", quad8, axisymmetric, quadrilateral_sides},
    {"CGAX8RH", quad8, axisymmetric, quadrilateral_sides},
    {"CAX3T", tri1, axisymmetric, triangle_sides},
    {"CAX4T", quad1, axisymmetric, quadrilateral_sides},
    {"CAX4RT", quad1, axisymmetric, quadrilateral_sides},
    {"CAX8T", quad8, axisymmetric, quadrilateral_sides},
    {"CAX8RT", quad8, axisymmetric, quadrilateral_sides},
    {"F3D4", tet1, fluid, abaqus_tet_sides},
    {"F3D6", wedge1, fluid, abaqus_wedge_sides},
    {"F3D8", hex1, fluid, abaqus_hex_sides},
    {"F3D8R", hex1, fluid, abaqus_hex_sides},
    {"SC6R", wedge1, continuum_shell, abaqus_wedge_sides},
    {"SC8R", hex1, continuum_shell, abaqus_hex_sides},
    {"CSS8", hex1, continuum_shell, abaqus_hex_sides},
    {"S3", tri1, shell, {}},
    {"S3R", tri1, shell, {}},
    {"S3RS", tri1, shell, {}},
    {"S3RT", tri1, shell, {}},
    {"STRI3", tri1, shell, {}},
    {"S4", quad1, shell, {}},
    {"S4R", quad1, shell, {}},
    {"S4R5", quad1, shell, {}},
    {"S4RS", quad1, shell, {}},
    {"S4RSW", quad1, shell, {}},
    {"S4RT", quad1, shell, {}},
    {"S4T", quad1, shell, {}},
    {"S6", tri2, shell, {}},
    {"STRI65", tri2, shell, {}},
    {"S8", quad8, shell, {}},
    {"S8R", quad8, shell, {}},
    {"S8R5", quad8, shell, {}},
    {"S8RT", quad8, shell, {}},
    {"S9R5", quad2, shell, {}},
    {"DS3", tri1, no_displacements, {}},
    {"DS4", quad1, no_displacements, {}},
    {"DS6", tri2, no_displacements, {}},
    {"DS8", quad8, no_displacements, {}},
    {"M3D3", tri1, membrane, {}},
    {"M3D4", quad1, membrane, {}},
    {"M3D4R", quad1, membrane, {}},
    {"M3D6", tri2, membrane, {}},
    {"M3D8", quad8, membrane, {}},
    {"M3D8R", quad8, membrane, {}},
    {"M3D9", quad2, membrane, {}},
    {"M3D9R", quad2, membrane, {}},
    {"SFM3D3", tri1, surface, {}},
    {"SFM3D4", quad1, surface, {}},
    {"SFM3D4R", quad1, surface, {}},
    {"SFM3D6", tri2, surface, {}},
    {"SFM3D8", quad8, surface, {}},
    {"SFM3D8R", quad8, surface, {}},
    {"R3D3", tri1, rigid, {}},
    {"R3D4", quad1, rigid, {}},
    {"R2D2", line1, rigid, {}},
    {"DC1D2", line1, no_displacements, {}},
    {"T2D2", line1, slender, {}},
    {"T2D2H", line1, slender, {}},
    {"T2D2T", line1, slender, {}},
    {"T3D2", line1, slender, {}},
    {"T3D2H", line1, slender, {}},
    {"T3D2T", line1, slender, {}},
    {"B21", line1, slender, {}},
    {"B21H", line1, slender, {}},
    {"B23", line1, slender, {}},
    {"B23H", line1, slender, {}},
    {"B31", line1, slender, {}},
    {"B31H", line1, slender, {}},
    {"B31R", line1, slender, {}},
    {"B31OS", line1, slender, {}},
    {"B31OSH", line1, slender, {}},
    {"B33", line1, slender, {}},
    {"B33H", line1, slender, {}},
    {"PIPE21", line1, slender, {}},
    {"PIPE31", line1, slender, {}},
    {"DC1D3", line2, no_displacements, {}, false, three_in_line},
    {"T2D3", line2, slender, {}, false, three_in_line},
    {"T2D3H", line2, slender, {}, false, three_in_line},
    {"T2D3T", line2, slender, {}, false, three_in_line},
    {"T3D3", line2, slender, {}, false, three_in_line},
    {"T3D3H", line2, slender, {}, false, three_in_line},
    {"T3D3T", line2, slender, {}, false, three_in_line},
    {"B22", line2, slender, {}, false, three_in_line},
    {"B22H", line2, slender, {}, false, three_in_line},
    {"B32", line2, slender, {}, false, three_in_line},
    {"B32H", line2, slender, {}, false, three_in_line},
    {"B32R", line2, slender, {}, false, three_in_line},
    {"B32OS", line2, slender, {}, false, three_in_line},
    {"B32OSH", line2, slender, {}, false, three_in_line},
    {"PIPE22", line2, slender, {}, false, three_in_line},
    {"PIPE32", line2, slender, {}, false, three_in_line},
};

constexpr RefusedAbaqusType refused_types[] = {
    {"COH", "a cohesive layer"},
    {"GK", "a gasket"},
    {"GAP", "a gap", false},
    {"SPRING", "a spring", false},
    {"DASHPOT", "a dashpot", false},
    {"MASS", "a point mass", false},
    {"ROTARYI", "a rotary inertia", false},
    {"CONN", "a connector", false},
    {"DCOUP", "a distributing coupling", false},
    {"CIN", "an infinite element"},
    {"EC3D", "a material that flows through its mesh"},
    {"U", "defined by a user"},
};
constexpr RefusedAbaqusType pipe_of_fluid{"D", "a pipe of a fluid", false}; // all of its name

} // namespace

const AbaqusType* abaqus_type(std::string_view name) noexcept {
  for (const AbaqusType& entry : abaqus_types)
    if (entry.name == name) return &entry;
  return nullptr;
}

const RefusedAbaqusType* refused_abaqus_type(std::string_view name) noexcept {
  for (const RefusedAbaqusType& entry : refused_types)
    if (name.starts_with(entry.beginning)) return &entry;
  return name == pipe_of_fluid.beginning ? &pipe_of_fluid : nullptr;
}

std::string abaqus_type_names() {
  std::string list;
  for (const AbaqusType& entry : abaqus_types)
    if (entry.obstacle.empty()) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list + " and, as meshes, others with the nodes of such elements, of shells and of beams";
}

} // namespace tessera::io

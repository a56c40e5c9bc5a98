// SPDX-License-Identifier: BSD-3-Clause
// Cells that name a node twice: read as what they are where a caller hears of it, with the sides of sets.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/mesh_arrays.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/read_mixed_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/side_flux.hpp"
#include <algorithm>
#include <set>
#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace io_collapsed_cells {

using namespace tessera;
using namespace tessera::io;
using test::flux;
using test::on_host;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

using Space = Kokkos::DefaultExecutionSpace;
using Edges = std::vector<std::pair<int, int>>;

/// The edges in whose middles the nodes behind the corners lie.
Edges edges_of(Shape shape) {
  switch (shape) {
  case Shape::triangle:
    return {{0, 1}, {1, 2}, {2, 0}};
  case Shape::quadrilateral:
    return {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
  case Shape::tetrahedron:
    return {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  case Shape::hexahedron:
    return {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  case Shape::wedge:
    return {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  default:
    return {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  }
}

/// A way of writing an element as one with more corners: which of its corners stands at each of those.
struct Written {
  Shape as;
  std::vector<int> corners;
};

template <class Element>
std::vector<Written> ways() {
  switch (Element::shape) {
  case Shape::triangle:
    return {{Shape::quadrilateral, {0, 1, 2, 2}},
            {Shape::quadrilateral, {0, 0, 1, 2}},
            {Shape::quadrilateral, {2, 0, 1, 2}}};
  case Shape::wedge: // an edge between the triangles stands twice
    return {{Shape::hexahedron, {0, 1, 2, 2, 3, 4, 5, 5}},
            {Shape::hexahedron, {0, 0, 1, 2, 3, 3, 4, 5}},
            {Shape::hexahedron, {0, 2, 5, 3, 1, 2, 5, 4}}}; // lying on a quadrilateral
  case Shape::pyramid:
    return {{Shape::hexahedron, {0, 1, 2, 3, 4, 4, 4, 4}},
            {Shape::hexahedron, {4, 4, 4, 4, 0, 3, 2, 1}}, // upside down
            {Shape::wedge, {0, 3, 4, 1, 2, 4}}};
  default:
    return {{Shape::hexahedron, {0, 1, 2, 2, 3, 3, 3, 3}},
            {Shape::wedge, {0, 1, 2, 3, 3, 3}},
            {Shape::wedge, {0, 1, 2, 0, 1, 3}},
            {Shape::pyramid, {0, 1, 2, 2, 3}},
            {Shape::pyramid, {0, 1, 1, 2, 3}}};
  }
}

/// A box of lengths 1, 2 and 3 whose elements are written as others, with its side sets by their sides.
template <class Element>
MeshData written_box(const Written& way) {
  const auto mesh = box_mesh<Element>({{2, 1, 2}, {1, 2, 3}});
  const HostArrays host(mesh);
  const MeshArrays arrays = host.arrays();
  MeshData data;
  data.source = "box";
  for (std::size_t node = 0; node < arrays.nodes(); ++node)
    for (std::size_t d = 0; d < 3; ++d)
      data.points.push_back(d < Element::dimension ? arrays.coordinates[Element::dimension * node + d] : 0.0);
  data.node_ids.append_range(1, static_cast<Ordinal>(arrays.nodes()));
  data.node_ids.build_index();
  CellBlock& block = data.block({way.as, Element::order, Element::order == 2});
  const Edges own = edges_of(Element::shape);
  for (std::size_t cell = 0; cell < arrays.cells(); ++cell) {
    const Ordinal* const nodes = arrays.connectivity.data() + cell * Element::nodes;
    for (const int corner : way.corners) block.nodes.push_back(nodes[corner]);
    if (Element::order == 2)
      for (const auto& [from, to] : edges_of(way.as)) {
        const std::pair<int, int> ends(way.corners[to_size(from)], way.corners[to_size(to)]);
        const auto at = std::find_if(own.begin(), own.end(), [&](const auto& edge) {
          return std::minmax(edge.first, edge.second) == std::minmax(ends.first, ends.second);
        });
        block.nodes.push_back(ends.first == ends.second ? nodes[ends.first]
                                                        : nodes[Element::vertices + (at - own.begin())]);
      }
  }
  block.material.resize(arrays.cells());
  block.ids.append_range(1, block.cells());
  const CellType type = cell_type_of<Element>();
  for (const auto& [name, sides] : arrays.sets->sides)
    for (std::size_t i = 0; i < sides.size(); i += 2)
      for (int side = 0; side < block.type.sides(); ++side) {
        std::set<int> written, wanted;
        for (const int corner : block.type.side_corners(side)) written.insert(way.corners[to_size(corner)]);
        for (const int corner : type.side_corners(sides[i + 1])) wanted.insert(corner);
        if (written == wanted) block.side_sets[name].push_back({sides[i], side});
      }
  append(block.cell_sets["odd"], {1, 1});
  append(block.cell_sets["odd"], {3, 1});
  return data;
}

template <class E>
class CollapsedCells : public ::testing::Test {};
using Kinds = ::testing::Types<Tri<1>, Tri<2>, Wedge<1>, Wedge15, Pyramid<1>, Pyramid13, Tet<1>, Tet<2>>;
TYPED_TEST_SUITE(CollapsedCells, Kinds);

TYPED_TEST(CollapsedCells, AreWhatTheyAreWithTheSidesOfSets) {
  for (const Written& way : ways<TypeParam>()) {
    SCOPED_TRACE(::testing::PrintToString(way.corners));
    EXPECT_THROW(to_mesh<TypeParam>(written_box<TypeParam>(way)), MeshError);
    MeshData data = written_box<TypeParam>(way);
    const Ordinal cells = data.blocks.front().cells();
    std::vector<CellGroup> groups(1);
    groups[0].cells[data.blocks.front().type] = {{0, 2}};
    const auto collapsed = collapse_cells(data, groups);
    ASSERT_EQ(collapsed.size(), 1u);
    EXPECT_EQ(collapsed[0].cells, cells);
    EXPECT_EQ(collapsed[0].to, cell_type_of<TypeParam>());
    EXPECT_EQ(collapsed[0].lost_sides, 0u);
    ASSERT_EQ(data.blocks.size(), 1u);
    EXPECT_THAT(data.blocks[0].cell_sets.at("odd"), ElementsAre(CellRange{1, 1}, CellRange{3, 1}));
    EXPECT_EQ(data.blocks[0].cell_sets.size(), 1u);
    EXPECT_THAT(groups[0].cells.at(cell_type_of<TypeParam>()), ElementsAre(CellRange{0, 2}));
    EXPECT_THAT(collapse_cells(data, groups), IsEmpty());
    const auto mesh = to_mesh<TypeParam>(std::move(data));
    // The whole boundary encloses the box.
    const double area = TypeParam::dimension == 2 ? 2.0 : 6.0;
    EXPECT_NEAR(flux(mesh, "xmax", 1), area, 1e-12);
    EXPECT_NEAR(flux(mesh, "xmin", 0), -area, 1e-12);
    EXPECT_NEAR(flux(mesh, "ymin", 0), 0.0, 1e-12);
    double volume = 0;
    for (const auto& [name, sides] : mesh.side_sets()) volume += flux(mesh, name, 1);
    EXPECT_NEAR(volume, area, 1e-12);
  }
}

/// One cell with the given nodes, which lie anywhere.
MeshData one_cell(const std::string& type, const std::vector<Ordinal>& nodes) {
  MeshData data;
  data.source = "one";
  data.points.resize(3 * 20);
  data.node_ids.append_range(1, 20);
  CellBlock& block = data.block(*cell_type(type));
  block.nodes = nodes;
  block.material.resize(1);
  block.ids.append(7);
  for (Ordinal side = 0; side < block.type.sides(); ++side) block.side_sets["all"].push_back({0, side});
  block.fields.push_back({"f", {1, 2, 3}});
  return data;
}

TEST(CollapsedCellsOf, NoOtherKindStayAsTheyAre) {
  const std::vector<std::pair<std::string, std::vector<Ordinal>>> cells{
      {"hex1", {0, 1, 2, 2, 4, 5, 6, 7}}, // seven corners
      {"hex1", {0, 1, 2, 3, 0, 1, 2, 3}}, // flat
      {"hex1", {0, 1, 0, 3, 4, 5, 6, 7}}, // folded
      {"hex1", {0, 0, 2, 3, 4, 5, 6, 6}}, // six corners and six sides
      {"quad1", {0, 1, 0, 2}},
      {"quad1", {0, 0, 1, 1}},
      {"wedge1", {0, 1, 2, 0, 1, 2}},
      {"pyramid1", {0, 1, 0, 2, 3}},
      {"tet1", {0, 1, 2, 2}},
      {"quad8", {0, 1, 2, 2, 4, 5, 6, 7}}, // a node on an edge without length
      {"quad2", {0, 1, 2, 2, 4, 5, 2, 7, 8}}};
  for (const auto& [type, nodes] : cells) {
    MeshData data = one_cell(type, nodes);
    std::vector<CellGroup> none;
    EXPECT_THAT(collapse_cells(data, none), IsEmpty()) << type << ::testing::PrintToString(nodes);
    EXPECT_EQ(data.contents(), "1 " + type + " cells");
    EXPECT_EQ(data.blocks[0].nodes, nodes);
  }
}

TEST(CollapsedCellsOf, ABlockTakeFieldsAndLeaveSidesWithoutArea) {
  MeshData data = one_cell("hex1", {0, 1, 2, 2, 3, 4, 5, 5});
  std::vector<CellGroup> none;
  const auto collapsed = collapse_cells(data, none);
  ASSERT_EQ(collapsed.size(), 1u);
  EXPECT_EQ(collapsed[0].lost_sides, 1u);
  ASSERT_EQ(data.blocks.size(), 1u);
  const CellBlock& wedges = data.blocks[0];
  EXPECT_THAT(wedges.nodes, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(wedges.side_sets.at("all"),
              ElementsAre(Side{0, 0}, Side{0, 1}, Side{0, 2}, Side{0, 3}, Side{0, 4}));
  EXPECT_EQ(wedges.ids.id(0), 7);
  ASSERT_EQ(wedges.fields.size(), 1u);
  EXPECT_THAT(wedges.fields[0].values, ElementsAre(1, 2, 3));
}

// A cube, and beside it at x = 1 a wedge that is written as a hexahedron; its floor as a quadrilateral.
const std::string nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 0 0\n"
                          "10 2 0 1\n";
const std::string gmsh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n" + nodes +
                         "$EndNodes\n$Elements\n4\n1 3 2 3 1 1 4 3 2\n2 3 2 3 1 2 3 9 9\n"
                         "3 5 2 7 1 1 2 3 4 5 6 7 8\n4 5 2 9 1 2 9 9 3 6 10 10 7\n$EndElements\n";
using Solids = Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>;

std::string with_commas(std::string text) {
  std::replace(text.begin(), text.end(), ' ', ',');
  return text;
}

void expect_both(const MixedMesh<Solids>& mesh, const std::string& floor) {
  EXPECT_EQ(mesh.block<Hex<1>>().num_elements(), 1);
  ASSERT_EQ(mesh.block<Wedge<1>>().num_elements(), 1);
  EXPECT_EQ(mesh.block<Wedge<1>>().element_name(0).find("element 4 of "), 0u);
  EXPECT_EQ(on_host(mesh.side_set(floor).block<Hex<1>>()).extent(0), 1u);
  const auto wedges = on_host(mesh.side_set(floor).block<Wedge<1>>());
  ASSERT_EQ(wedges.extent(0), 1u);
  EXPECT_EQ(wedges(0, 1), 0); // its first triangle
}

TEST(CollapsedCellsOf, AFileOfEachFormatAreToldWhereTheCallerHearsOfThem) {
  const test::TemporaryFolder folder;
  std::vector<std::string> heard;
  const ReadOptions options{.collapsed = [&](const std::string& what) { heard.push_back(what); }};
  std::string path = folder.write("a.msh", gmsh);
  EXPECT_THAT([&] { read_mesh<Hex<1>>(path); },
              ThrowsMessage<MeshError>(StartsWith(path + ": element 4 (nodes 2 9 9 3 6 10 10 7) names a")));
  const auto mixed = read_mixed_mesh<Solids>(path, options);
  EXPECT_THAT(heard, ElementsAre(path + ": of its 2 quad1 and 2 hex1 cells, some name a node twice and are "
                                        "read as what they are: 1 quad1 as tri1, 1 hex1 as wedge1"));
  expect_both(mixed, "surface3");
  EXPECT_THAT(mixed.material_labels(), ElementsAre(MaterialLabel{7, "volume7"}, MaterialLabel{9, "volume9"}));

  heard.clear();
  path = folder.write("a.inp", "*NODE\n" + with_commas(nodes) +
                                   "*ELEMENT, TYPE=C3D8, ELSET=E\n3,1,2,3,4,5,6,7,8\n4,2,9,9,3,6,10,10,7\n"
                                   "*SURFACE, NAME=FLOOR\nE,S1\n4,S4\n");
  const auto deck = read_mixed_mesh<Solids>(path, options);
  EXPECT_THAT(heard, ElementsAre(path + ": of its 2 hex1 cells, some name a node twice and are read as what "
                                        "they are: 1 hex1 as wedge1; 1 sides of side sets are edges or "
                                        "points, and left out"));
  expect_both(deck, "FLOOR");
}

#ifdef TESSERA_HAVE_VTK
TEST(CollapsedCellsOf, WhatAChildProcessReadsAreTold) {
  const test::TemporaryFolder folder;
  std::vector<std::string> heard;
  const auto listener = [&](const std::string& what) { heard.push_back(what); };
  const std::string path = folder.write(
      "a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n"
               "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n2 0 0\n2 0 1\n"
               "CELLS 3 29\n8 0 3 2 1 4 7 6 5\n8 1 8 8 2 5 9 9 6\n10 0 1 2 3 4 5 6 7 8 9\n"
               "CELL_TYPES 3\n12\n12\n7\n");
  EXPECT_THAT([&] { read_mesh_data(path); },
              ThrowsMessage<FileError>(HasSubstr("holds 2 hex1, 1 vtkPolygon of 10 nodes (not supported)")));
  const MeshData data = read_mesh_data(
      path, {.allow_partial = true, .turned = listener, .collapsed = listener, .left_out = listener});
  EXPECT_EQ(data.contents(), "1 hex1 and 1 wedge1 cells");
  EXPECT_THAT(heard, ElementsAre(path + ": left out are 1 vtkPolygon of 10 nodes (not supported)",
                                 StartsWith(path + ": of its 2 hex1 cells, some name a node twice"),
                                 path + ": of its 1 hex1 and 1 wedge1 cells, 1 was numbered the other way "
                                        "round, and turned"));
}
#endif

} // namespace io_collapsed_cells

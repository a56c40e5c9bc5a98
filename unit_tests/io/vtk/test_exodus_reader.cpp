// SPDX-License-Identifier: BSD-3-Clause
// Exodus II files: those of VTK's own writer, and those of the Exodus library with sets.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/vtk/exodus_reader.hpp>

#include <gmock/gmock.h>
#include <vtkCell.h>
#include <vtkCellType.h>
#include <vtkExodusIIReader.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtk_exodusII.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <support/files.hpp>
#include <support/meshes/same_mesh.hpp>
#include <support/vtk_samples.hpp>
#include <vector>

namespace io_vtk_exodus_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

template <class Element>
class ExodusOfVtk : public ::testing::Test {};

// What both VTK's writer and this library know.
using Elements = ::testing::Types<Quad<1>, Tri<1>, Tri<2>, Tet<1>, Tet<2>, Hex<1>>;
TYPED_TEST_SUITE(ExodusOfVtk, Elements);

TYPED_TEST(ExodusOfVtk, IsRead) {
  using Element = TypeParam;
  const auto mesh = box_mesh<Element>({{3, 2, 2}, {1.5, 1.0, 0.7}});
  const test::TemporaryFolder folder;
  test::write_exodus(folder / "a.exo", test::vtk_grid_of(folder, mesh)->GetOutput());

  test::expect_same_elements(read_mesh<Element>(folder / "a.exo"), mesh);
  EXPECT_EQ(read_exodus(folder / "a.exo").material_names.size(), 1u) << "one block";
}

void require(int status) { ASSERT_GE(status, 0) << ex_strerror(status); }

/// A hexahedron with a tetrahedron on its top and one beside, node sets and side sets, some of them with
/// names.
struct Sample {
  std::vector<double> x{0, 1, 1, 0, 0, 1, 1, 0, 0.2};
  std::vector<double> y{0, 0, 1, 1, 0, 0, 1, 1, 0.2};
  std::vector<double> z{0, 0, 0, 0, 1, 1, 1, 1, 2};
  std::vector<int> hex{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int> tets{5, 6, 7, 9, 5, 7, 8, 9};
  std::vector<int> node_map{10, 20, 30, 40, 50, 60, 70, 80, 90};
  std::vector<int> element_map{100, 300, 200};
  std::vector<int> low{4, 1, 2};
  std::vector<int> side_elements{1, 1, 2, 3};
  std::vector<int> sides{5, 4, 4, 1};
  const char* tet_name = "TETRA";
  int dimensions = 3;

  void write(const std::string& path, int mode = EX_CLOBBER) const {
    int double_bytes = 8, stored_bytes = 8;
    const int file = ex_create(path.c_str(), mode, &double_bytes, &stored_bytes);
    require(file);
    require(ex_put_init(file, "sample", dimensions, 9, 3, 2, 2, 1));
    require(ex_put_coord(file, x.data(), y.data(), z.data()));
    require(ex_put_block(file, EX_ELEM_BLOCK, 7, "hex8", 1, 8, 0, 0, 0));
    require(ex_put_block(file, EX_ELEM_BLOCK, 3, tet_name, 2, 4, 0, 0, 0));
    require(ex_put_name(file, EX_ELEM_BLOCK, 7, "steel"));
    require(ex_put_conn(file, EX_ELEM_BLOCK, 7, hex.data(), nullptr, nullptr));
    require(ex_put_conn(file, EX_ELEM_BLOCK, 3, tets.data(), nullptr, nullptr));
    require(ex_put_id_map(file, EX_NODE_MAP, node_map.data()));
    require(ex_put_id_map(file, EX_ELEM_MAP, element_map.data()));
    const std::vector<int> top{9};
    require(ex_put_set_param(file, EX_NODE_SET, 1, 3, 0));
    require(ex_put_set(file, EX_NODE_SET, 1, low.data(), nullptr));
    require(ex_put_name(file, EX_NODE_SET, 1, "low"));
    require(ex_put_set_param(file, EX_NODE_SET, 22, 1, 0));
    require(ex_put_set(file, EX_NODE_SET, 22, top.data(), nullptr));
    require(ex_put_set_param(file, EX_SIDE_SET, 5, 4, 0));
    require(ex_put_set(file, EX_SIDE_SET, 5, side_elements.data(), sides.data()));
    require(ex_put_name(file, EX_SIDE_SET, 5, "walls"));
    require(ex_close(file));
  }
};

TEST(Exodus, BlocksSetsAndNumbers) {
  const test::TemporaryFolder folder;
  for (const int mode : {EX_CLOBBER, EX_CLOBBER | EX_64BIT_OFFSET, EX_CLOBBER | EX_NETCDF4}) {
    SCOPED_TRACE(mode);
    Sample().write(folder / "a.e", mode);
    const MeshData data = read_exodus(folder / "a.e");
    EXPECT_EQ(data.contents(), "2 tet1 and 1 hex1 cells");
    EXPECT_EQ(data.node_ids.id(8), 90);
    const CellBlock& hex = *data.find({Shape::hexahedron, 1});
    const CellBlock& tets = *data.find({Shape::tetrahedron, 1});
    EXPECT_THAT(hex.nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(tets.nodes, ElementsAre(4, 5, 6, 8, 4, 6, 7, 8));
    EXPECT_EQ(tets.ids.id(1), 200);
    EXPECT_THAT(hex.material, ElementsAre(7));
    EXPECT_THAT(tets.material, ElementsAre(3, 3));
    EXPECT_EQ(data.material_names.at(7), "steel");
    EXPECT_EQ(data.material_names.at(3), "block3");
    EXPECT_THAT(tets.cell_sets.at("block3"), ElementsAre(CellRange{0, 2}));
    EXPECT_THAT(data.node_sets.at("low"), ElementsAre(0, 1, 3));
    EXPECT_THAT(data.node_sets.at("nodeset22"), ElementsAre(8));
    // Side 5 of a hexahedron is its bottom, 4 that at x = 0; side 4 of a tetrahedron its bottom, 1 nodes
    // 1-2-4.
    const auto& on_hex = hex.side_sets.at("walls");
    const auto& on_tets = tets.side_sets.at("walls");
    const auto corners = [&](const CellBlock& block, const Side& side) {
      std::vector<Ordinal> nodes;
      for (const int corner : block.type.side_corners(side.side))
        nodes.push_back(block.nodes[static_cast<std::size_t>(side.cell * block.type.nodes() + corner)]);
      std::sort(nodes.begin(), nodes.end());
      return nodes;
    };
    ASSERT_EQ(on_hex.size(), 2u);
    EXPECT_THAT(corners(hex, on_hex[0]), ElementsAre(0, 3, 4, 7));
    EXPECT_THAT(corners(hex, on_hex[1]), ElementsAre(0, 1, 2, 3));
    ASSERT_EQ(on_tets.size(), 2u);
    EXPECT_THAT(corners(tets, on_tets[0]), ElementsAre(4, 5, 6));
    EXPECT_THAT(corners(tets, on_tets[1]), ElementsAre(4, 6, 8));
    EXPECT_EQ(select(read_exodus(folder / "a.e"), {Shape::tetrahedron, 1}, true).contents(), "2 tet1 cells");
    EXPECT_THAT(
        [&] { read_mesh<Tet<1>>(folder / "a.e"); },
        ThrowsMessage<MeshError>(HasSubstr("its tet1 cells alone would lack 1 hex1 cells, 1 cells of cell "
                                           "set 'steel', 2 sides of side set 'walls'")));
  }
}

/// Sides of every number lie where Exodus says.
TEST(Exodus, SidesOfEveryShape) {
  const test::TemporaryFolder folder;
  const std::vector<std::vector<Ordinal>> hex = {{0, 1, 4, 5}, {1, 2, 5, 6}, {2, 3, 6, 7},
                                                 {0, 3, 4, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
  const std::vector<std::vector<Ordinal>> tet = {{4, 5, 8}, {5, 6, 8}, {4, 6, 8}, {4, 5, 6}};
  for (int element = 1; element <= 2; ++element) {
    const auto& expected = element == 1 ? hex : tet;
    for (std::size_t side = 0; side < expected.size(); ++side) {
      Sample sample;
      sample.side_elements.assign(4, element);
      sample.sides.assign(4, static_cast<int>(side + 1));
      sample.write(folder / "a.e");
      const MeshData data = read_exodus(folder / "a.e");
      const CellBlock& block = *data.find({element == 1 ? Shape::hexahedron : Shape::tetrahedron, 1});
      const auto& set = block.side_sets.at("walls");
      ASSERT_EQ(set.size(), 1u);
      std::vector<Ordinal> nodes;
      for (const int corner : block.type.side_corners(set[0].side))
        nodes.push_back(block.nodes[static_cast<std::size_t>(corner)]);
      std::sort(nodes.begin(), nodes.end());
      EXPECT_EQ(nodes, expected[side]) << element << " side " << side + 1;
    }
  }
}

/// One element of that name, the nodes of the reference element in their order, with a set of each side.
/// \param expected the corners of Exodus' sides, ascending
template <class Element>
void expect_sides(const char* name, const std::vector<std::vector<int>>& expected) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  std::vector<double> axes[3];
  std::vector<int> nodes;
  nodes.reserve(Element::nodes);
  for (const auto& node : Element::node_coordinates()) {
    for (std::size_t d = 0; d < 3; ++d) axes[d].push_back(node[d]);
    nodes.push_back(static_cast<int>(nodes.size()) + 1);
  }
  const int elements[] = {1, 1, 1, 1, 1}, sides[] = {1, 2, 3, 4, 5};
  for (std::size_t side = 0; side < expected.size(); ++side) {
    int double_bytes = 8, stored_bytes = 8;
    const int file = ex_create(path.c_str(), EX_CLOBBER, &double_bytes, &stored_bytes);
    require(file);
    require(ex_put_init(file, "solid", 3, Element::nodes, 1, 1, 0, 1));
    require(ex_put_coord(file, axes[0].data(), axes[1].data(), axes[2].data()));
    require(ex_put_block(file, EX_ELEM_BLOCK, 1, name, 1, Element::nodes, 0, 0, 0));
    require(ex_put_conn(file, EX_ELEM_BLOCK, 1, nodes.data(), nullptr, nullptr));
    require(ex_put_set_param(file, EX_SIDE_SET, 1, 1, 0));
    require(ex_put_set(file, EX_SIDE_SET, 1, elements, sides + side));
    require(ex_close(file));
    EXPECT_NO_THROW((void)read_mesh<Element>(path));
    const MeshData data = read_exodus(path);
    const CellBlock& block = *data.find({Element::shape, 1});
    ASSERT_EQ(block.side_sets.begin()->second.size(), 1u);
    const auto found = block.type.side_corners(block.side_sets.begin()->second[0].side);
    std::vector<int> corners(found.begin(), found.end());
    std::sort(corners.begin(), corners.end());
    EXPECT_EQ(corners, expected[side]) << name << " side " << side + 1;
  }
}

TEST(Exodus, WedgesAndPyramids) {
  expect_sides<Wedge<1>>("WEDGE6", {{0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}, {0, 1, 2}, {3, 4, 5}});
  for (const char* name : {"PYRAMID", "PYRAMID5", "pyramid"})
    expect_sides<Pyramid<1>>(name, {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 4}, {0, 1, 2, 3}});
}

/// Where the 27 nodes of Exodus's hexahedron lie in [-1,1]^3: corners, edges of the bottom, edges along z,
/// edges of the top, the middle, faces.
const std::vector<std::array<double, 3>> hex27 = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1},  {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1}, {0, 1, -1},  {-1, 0, -1}, {-1, -1, 0}, {1, -1, 0},
    {1, 1, 0},    {-1, 1, 0},  {0, -1, 1}, {1, 0, 1},   {0, 1, 1},   {-1, 0, 1},  {0, 0, 0},
    {0, 0, -1},   {0, 0, 1},   {-1, 0, 0}, {1, 0, 0},   {0, -1, 0},  {0, 1, 0}};

/// Those of its wedge, over the triangle x, y >= 0, x + y <= 1: edges as above, then the quadrilaterals.
const std::vector<std::array<double, 3>> wedge18 = {
    {0, 0, -1},  {1, 0, -1},   {0, 1, -1},  {0, 0, 1},  {1, 0, 1},   {0, 1, 1},
    {.5, 0, -1}, {.5, .5, -1}, {0, .5, -1}, {0, 0, 0},  {1, 0, 0},   {0, 1, 0},
    {.5, 0, 1},  {.5, .5, 1},  {0, .5, 1},  {.5, 0, 0}, {.5, .5, 0}, {0, .5, 0}};

/// And of its pyramid, x, y, z >= 0, x + z <= 1, y + z <= 1: edges of the base, edges up to the apex.
const std::vector<std::array<double, 3>> pyramid13 = {
    {0, 0, 0},  {1, 0, 0},  {1, 1, 0},  {0, 1, 0},   {0, 0, 1},    {.5, 0, 0}, {1, .5, 0},
    {.5, 1, 0}, {0, .5, 0}, {0, 0, .5}, {.5, 0, .5}, {.5, .5, .5}, {0, .5, .5}};

/// One element of the first nodes of a table is read as VTK's reader reads it.
/// \param name without the number of nodes
template <class Element>
void expect_second_order(const std::string& name, const std::vector<std::array<double, 3>>& places,
                         int vtk_type) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e", full_name = name + std::to_string(Element::nodes);
  std::vector<double> axes[3];
  std::vector<int> nodes;
  for (int n = 0; n < Element::nodes; ++n) {
    for (std::size_t d = 0; d < 3; ++d) axes[d].push_back(places[static_cast<std::size_t>(n)][d]);
    nodes.push_back(n + 1);
  }
  int double_bytes = 8, stored_bytes = 8;
  const int file = ex_create(path.c_str(), EX_CLOBBER, &double_bytes, &stored_bytes);
  require(file);
  require(ex_put_init(file, "solid", 3, Element::nodes, 1, 1, 0, 0));
  require(ex_put_coord(file, axes[0].data(), axes[1].data(), axes[2].data()));
  require(ex_put_block(file, EX_ELEM_BLOCK, 1, full_name.c_str(), 1, Element::nodes, 0, 0, 0));
  require(ex_put_conn(file, EX_ELEM_BLOCK, 1, nodes.data(), nullptr, nullptr));
  require(ex_close(file));

  // The table above is what VTK's reader takes it for.
  vtkNew<vtkExodusIIReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  auto* blocks = vtkMultiBlockDataSet::SafeDownCast(reader->GetOutput()->GetBlock(0));
  auto* grid = vtkUnstructuredGrid::SafeDownCast(blocks->GetBlock(0));
  ASSERT_EQ(grid->GetCellType(0), vtk_type);
  vtkCell* cell = grid->GetCell(0);

  const auto mesh = read_mesh<Element>(path);
  constexpr auto reference = Element::node_coordinates();
  for (int n = 0; n < Element::nodes; ++n)
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(mesh.coordinates()(mesh.connectivity()(0, n), d), reference[n][d]) << "node " << n;
      EXPECT_EQ(cell->GetPoints()->GetPoint(n)[d], reference[n][d]) << "VTK's node " << n;
    }
}

TEST(Exodus, CellsOfSecondOrder) {
  expect_second_order<Hex<2>>("HEX", hex27, VTK_TRIQUADRATIC_HEXAHEDRON);
  expect_second_order<Hex20>("HEX", hex27, VTK_QUADRATIC_HEXAHEDRON);
  expect_second_order<Wedge<2>>("WEDGE", wedge18, VTK_BIQUADRATIC_QUADRATIC_WEDGE);
  expect_second_order<Wedge15>("WEDGE", wedge18, VTK_QUADRATIC_WEDGE);
  expect_second_order<Pyramid13>("PYRAMID", pyramid13, VTK_QUADRATIC_PYRAMID);
}

TEST(Exodus, WhatIsWrongIsNamed) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  const auto refused = [&](const std::string& message) {
    EXPECT_THAT([&] { read_exodus(path); }, ThrowsMessage<FileError>(StartsWith(path + message)));
  };
  const auto changed = [&](auto change, const std::string& message) {
    Sample sample;
    change(sample);
    sample.write(path);
    refused(message);
  };
  changed([](Sample& s) { s.tet_name = "WEDGE"; },
          ": block 'block3' has 2 elements 'WEDGE' of 4 nodes, which are not supported; read are SPHERE");
  changed([](Sample& s) { s.hex[3] = 10; }, ": element 100 has node 10, but there are 9 nodes");
  changed([](Sample& s) { s.hex[3] = 0; }, ": element 100 has node 0, but there are 9 nodes");
  changed([](Sample& s) { s.low[2] = 10; }, ": node set 'low' has node 10, but there are 9 nodes");
  changed([](Sample& s) { s.side_elements[0] = 4; },
          ": side set 'walls' has element 4, but there are 3 elements");
  changed([](Sample& s) { s.sides[0] = 7; }, ": side set 'walls' has side 7 of a hex1 element");
  changed([](Sample& s) { s.y[1] = NAN; }, ": node 2 has a coordinate that is not finite");
  changed([](Sample& s) { s.node_map[1] = 10; }, ": node 10 is defined twice");
  folder.write("a.e", "CDF nonsense");
  refused(": is no Exodus II file");
  std::filesystem::remove(path);
  refused(": cannot be opened: No such file or directory");
}

} // namespace io_vtk_exodus_reader

#else

TEST(Exodus, IsRead) { GTEST_SKIP() << "built without VTK"; }

#endif

// SPDX-License-Identifier: BSD-3-Clause
// VTK's unstructured grids, as this library and as VTK's own writers write them.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/vtk/reader.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <gmock/gmock.h>
#include <vtkCellArray.h>
#include <vtkCellType.h>
#include <vtkNew.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <support/files.hpp>
#include <support/meshes/same_mesh.hpp>
#include <support/meshes/test_meshes.hpp>
#include <support/vtk_samples.hpp>
#include <vector>

namespace io_vtk_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

template <class MeshType>
void expect_same(const MeshType& found, const MeshType& mesh) {
  test::expect_same_elements(found, mesh);
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    ASSERT_EQ(found.material_labels().at(static_cast<std::size_t>(found.materials()(e))).number,
              mesh.materials()(e));
}

template <class Element>
Mesh<Element> box_with_materials() {
  test::HostMesh<Element, Kokkos::DefaultExecutionSpace> host(
      box_mesh<Element>({{3, 2, 2}, {1.5, 1.0, 0.7}}));
  for (std::size_t e = 0; e < host.connectivity.extent(0); ++e)
    host.materials.push_back(static_cast<Ordinal>(1 + e % 3));
  return host.mesh();
}

template <class Element>
class VtkReader : public ::testing::Test {};

using Elements =
    ::testing::Types<Tri<1>, Tri<2>, Tri<3>, Tri<4>, Tri<5>, Quad<1>, Quad<2>, Tet<1>, Tet<2>, Tet<3>, Hex<1>,
                     Hex<2>, Quad8, Hex20, Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(VtkReader, Elements);

TYPED_TEST(VtkReader, ReadsWhatIsWrittenHere) {
  const auto mesh = box_with_materials<TypeParam>();
  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", mesh,
            {{"u", std::vector<double>(static_cast<std::size_t>(mesh.num_nodes()), 0.1)}});
  expect_same(read_mesh<TypeParam>(folder / "a.vtu"), mesh);
}

TYPED_TEST(VtkReader, ReadsEveryEncodingOfVtk) {
  const auto mesh = box_with_materials<TypeParam>();
  const test::TemporaryFolder folder;
  const auto reader = test::vtk_grid_of(folder, mesh);
  for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended}) {
    SCOPED_TRACE(mode);
    test::write_xml(folder / "a.vtu", reader->GetOutput(), mode);
    expect_same(read_mesh<TypeParam>(folder / "a.vtu"), mesh);
  }
}

TYPED_TEST(VtkReader, ReadsLegacyFilesOfVtk) {
  const auto mesh = box_with_materials<TypeParam>();
  const test::TemporaryFolder folder;
  const auto reader = test::vtk_grid_of(folder, mesh);
  test::write_legacy(folder / "binary.vtk", reader->GetOutput(), true);
  expect_same(read_mesh<TypeParam>(folder / "binary.vtk"), mesh);

  test::write_legacy(folder / "plain", reader->GetOutput(), false);
  const auto text = read_mesh<TypeParam>(folder / "plain"); // known by its first words
  ASSERT_EQ(text.num_elements(), mesh.num_elements());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    EXPECT_NEAR(text.coordinates()(n, 0), mesh.coordinates()(n, 0), 1e-5);
}

int lagrange_type(Shape shape) {
  switch (shape) {
  case Shape::line:
    return VTK_LAGRANGE_CURVE;
  case Shape::triangle:
    return VTK_LAGRANGE_TRIANGLE;
  case Shape::quadrilateral:
    return VTK_LAGRANGE_QUADRILATERAL;
  case Shape::tetrahedron:
    return VTK_LAGRANGE_TETRAHEDRON;
  case Shape::hexahedron:
    return VTK_LAGRANGE_HEXAHEDRON;
  case Shape::wedge:
    return VTK_LAGRANGE_WEDGE;
  case Shape::pyramid:
    return VTK_LAGRANGE_PYRAMID;
  }
  return VTK_EMPTY_CELL;
}

TYPED_TEST(VtkReader, ReadsLagrangeCellsOfEveryOrder) {
  const auto mesh = box_with_materials<TypeParam>();
  const test::TemporaryFolder folder;
  const auto reader = test::vtk_grid_of(folder, mesh);
  vtkUnstructuredGrid* grid = reader->GetOutput();
  vtkNew<vtkCellArray> cells;
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    cells->InsertNextCell(TypeParam::nodes);
    for (int n = 0; n < TypeParam::nodes; ++n) cells->InsertCellPoint(mesh.connectivity()(e, n));
  }
  grid->SetCells(lagrange_type(TypeParam::shape), cells);
  test::write_xml(folder / "a.vtu", grid, vtkXMLWriter::Appended);
  if (cell_type_of<TypeParam>().serendipity) { // none of Lagrange's
    EXPECT_THAT([&] { read_mesh<TypeParam>(folder / "a.vtu"); },
                ThrowsMessage<FileError>(
                    HasSubstr(" of " + std::to_string(TypeParam::nodes) + " nodes (not supported)")));
    return;
  }
  expect_same(read_mesh<TypeParam>(folder / "a.vtu"), mesh);
  test::write_legacy(folder / "a.vtk", grid, true);
  expect_same(read_mesh<TypeParam>(folder / "a.vtk"), mesh);
}

/// Two hexahedra along x; quadrilaterals at both ends, a voxel beside.
const std::string mixed = R"(# vtk DataFile Version 3.0
mixed
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 20 double
0 0 0  1 0 0  1 1 0  0 1 0
0 0 1  1 0 1  1 1 1  0 1 1
2 0 0  2 1 0  2 0 1  2 1 1
5 0 0  6 0 0  5 1 0  6 1 0
5 0 1  6 0 1  5 1 1  6 1 1
CELLS 6 40
8 0 1 2 3 4 5 6 7
8 1 8 9 2 5 10 11 6
4 0 4 7 3
4 8 9 11 10
8 12 13 14 15 16 17 18 19
2 0 3
CELL_TYPES 6
12 12 9 9 11 3
CELL_DATA 6
SCALARS CellEntityIds int 1
LOOKUP_TABLE default
4 7 1 2 7 0
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

TEST(VtkGrids, CellsOfOneNumberAreSets) {
  const test::TemporaryFolder folder;
  const MeshData data = read_vtk(folder.write("a.vtk", mixed));
  EXPECT_EQ(data.contents(), "1 line1, 2 quad1 and 3 hex1 cells");
  const CellBlock& solids = *data.find({Shape::hexahedron, 1});
  EXPECT_THAT(solids.material, ElementsAre(4, 7, 7));
  EXPECT_EQ(data.material_names.at(7), "volume7");
  EXPECT_THAT(solids.cell_sets.at("volume7"), ElementsAre(CellRange{1, 2}));
  EXPECT_EQ(solids.ids.id(2), 4);
  // A voxel counts along the axes.
  EXPECT_EQ(std::vector(solids.nodes.end() - 8, solids.nodes.end()),
            (std::vector<Ordinal>{12, 13, 15, 14, 16, 17, 19, 18}));
  EXPECT_THAT(data.node_sets.at("surface1"), ElementsAre(0, 3, 4, 7));
  EXPECT_THAT(data.node_sets.at("surface2"), ElementsAre(8, 9, 10, 11));
  EXPECT_FALSE(data.node_sets.contains("curve0"));
  const auto mesh = read_mesh<Hex<1>>(folder / "a.vtk");
  const auto sides = mesh.side_set("surface2");
  ASSERT_EQ(sides.extent(0), 1u);
  EXPECT_EQ(sides(0, 0), 1);
  EXPECT_EQ(sides(0, 1), 1);
}

TEST(VtkGrids, MixedFilesGiveOneMeshForEachType) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.vtk", mixed);
  EXPECT_EQ(read_mesh<Hex<1>>(path).num_elements(), 3); // lines and faces are sides
  EXPECT_THAT([&] { read_mesh<Quad<1>>(path); },
              ThrowsMessage<MeshError>(
                  StartsWith(path + ": a mesh of its quad1 cells alone would lack 3 hex1 cells")));
  EXPECT_THAT([&] { read_mesh<Tet<1>>(path); },
              ThrowsMessage<MeshError>(path + ": has no tet1 cells, but 1 line1, 2 quad1 and 3 hex1 cells"));
}

TEST(VtkGrids, WhatIsNotReadIsNamed) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("a.vtk", text);
    EXPECT_THAT([&] { read_vtk(path); }, ThrowsMessage<FileError>(StartsWith(path + message)));
  };
  refused(changed(mixed, "12 12 9 9 11 3", "12 25 9 9 11 3"),
          ": holds 2 hex1, 1 line1, 2 quad1, 1 vtkQuadraticHexahedron of 8 nodes (not supported)");
  refused(changed(mixed, "8 1 8 9 2 5 10 11 6", "8 1 8 9 2 5 10 20 6"),
          ": cell 1 has node 20, but there are 20 nodes");
  refused(changed(mixed, "8 1 8 9 2 5 10 11 6", "8 1 8 9 2 5 10 -1 6"),
          ": cell 1 has node -1, but there are 20 nodes");
  refused(changed(mixed, "6 1 1\nCELLS", "6 nan 1\nCELLS"), ": VTK cannot read it: ");
  refused(changed(changed(mixed, "int 1", "double 1"), "4 7 1 2 7 0", "4 7.5 1 2 7 0"),
          ": cell 1 has material number 7.5");
  refused(changed(mixed, "DATASET UNSTRUCTURED_GRID", "DATASET POLYDATA"),
          ": is no legacy VTK file of an unstructured grid");
  refused("# vtk nonsense", ": ");
  const std::vector<double> points = {0, 0, 1, 0, 0, NAN};
  const std::vector<Ordinal> triangle = {0, 1, 2};
  const std::string infinite = folder / "infinite.vtu";
  write_vtu(infinite, {{Shape::triangle, 1}, 2, points, triangle, {}});
  EXPECT_THAT([&] { read_vtu(infinite); },
              ThrowsMessage<FileError>(infinite + ": node 2 has a coordinate that is not finite"));
  const std::string none = folder / "none.vtu";
  EXPECT_THAT([&] { read_vtu(none); },
              ThrowsMessage<FileError>(none + ": cannot be opened: No such file or directory"));
  const std::string grid =
      folder.write("a.vtu", "<VTKFile type=\"PolyData\" version=\"1.0\"><PolyData/></VTKFile>");
  EXPECT_THAT([&] { read_vtu(grid); }, ThrowsMessage<FileError>(StartsWith(grid + ": VTK cannot read it: ")));
}

TEST(VtkGrids, NamesOfMaterialsComeBack) {
  const test::TemporaryFolder folder;
  auto mesh = box_with_materials<Tet<1>>();
  const std::vector<MaterialLabel> labels = {
      {4, "unused"}, {2, "a \"quoted\" <name> & an umlaut \xc3\xa4"}, {7, ""}, {9, "steel"}};
  mesh.label_materials(labels);
  write_vtu(folder / "a.vtu", mesh);
  const auto found = read_mesh<Tet<1>>(folder / "a.vtu");
  EXPECT_EQ(found.material_labels(),
            (std::vector<MaterialLabel>{{2, labels[1].name}, {7, "volume7"}, {9, "steel"}}));
  EXPECT_THAT(
      read_vtu(folder / "a.vtu").blocks[0].cell_sets,
      ElementsAre(::testing::Key(labels[1].name), ::testing::Key("steel"), ::testing::Key("volume7")));
}

TEST(VtkGrids, FilesOfGmsh) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  const test::TemporaryFolder folder;
  folder.write("part.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
                           "Physical Volume(\"part\") = {1};\nPhysical Surface(\"wall\") = {2};\n");
  for (const std::string encoding : {"", "-bin "}) {
    ASSERT_EQ(test::run_in(folder, "gmsh -3 -order 2 -clscale 10 " + encoding + "part.geo -o part.vtk"), 0)
        << test::read_file(folder / "log");
    const auto mesh = read_mesh<Tet<2>>(folder / "part.vtk");
    EXPECT_GT(mesh.side_set("surface2").extent(0), 0u);
    // A box has straight edges: every node lies where the linear tetrahedron has it.
    constexpr auto reference = Tet<2>::node_coordinates();
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int n = 0; n < Tet<2>::nodes; ++n) {
        const auto weights = Tet<1>::values(reference[n]);
        for (int d = 0; d < 3; ++d) {
          double expected = 0.0;
          for (int corner = 0; corner < 4; ++corner)
            expected += weights[corner] * mesh.coordinates()(mesh.connectivity()(e, corner), d);
          ASSERT_NEAR(mesh.coordinates()(mesh.connectivity()(e, n), d), expected, 1e-12)
              << e << " node " << n;
        }
      }
  }
}

TEST(VtkGrids, ProgressIsReported) {
  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", box_mesh<Hex<1>>({{20, 20, 20}}));
  std::vector<double> fractions;
  read_vtu(folder / "a.vtu", {[&](double fraction) { fractions.push_back(fraction); }});
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LE(fractions.back(), 1.0);
}

} // namespace io_vtk_reader

#else

TEST(VtkReader, ReadsWhatIsWrittenHere) { GTEST_SKIP() << "built without VTK"; }

#endif

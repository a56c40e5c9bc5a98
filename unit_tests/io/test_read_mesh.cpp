// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>

namespace io_read_mesh {

using namespace tessera;
using namespace tessera::io;
using test::on_host;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

const std::string gmsh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "left"
2 4 "part"
$EndPhysicalNames
$Nodes
7
1 0 0 3
2 1 0 3
3 1 1 3
4 0 1 3
5 2 0 3
6 2 1 3
7 9 9 9
$EndNodes
$Elements
4
1 1 2 1 1 4 1
2 2 2 4 1 1 2 3
3 2 2 4 1 1 3 4
4 3 2 5 1 2 5 6 3
$EndElements
)";

TEST(ReadMesh, OneMeshForEachElementType) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.msh", gmsh);
  EXPECT_THAT([&] { read_mesh<Tri<1>>(path); },
              ThrowsMessage<MeshError>(HasSubstr("a mesh of its tri1 cells alone would lack 1 quad1 cells, 1 "
                                                 "cells of cell set 'surface5';")));
  const ReadOptions some{.allow_partial = true};
  const auto triangles = read_mesh<Tri<1>>(path, some);
  ASSERT_EQ(triangles.num_nodes(), 4);
  ASSERT_EQ(triangles.num_elements(), 2);
  EXPECT_EQ(triangles.num_materials(), 1);
  EXPECT_EQ(triangles.material("part"), 0);
  EXPECT_EQ(triangles.material_labels(), (std::vector<MaterialLabel>{{4, "part"}}));
  const auto coordinates = on_host(triangles.coordinates());
  EXPECT_EQ(coordinates(2, 0), 1.0);
  EXPECT_EQ(coordinates(3, 1), 1.0);
  const auto connectivity = on_host(triangles.connectivity());
  EXPECT_EQ(connectivity(1, 0), 0);
  EXPECT_EQ(connectivity(1, 1), 2);
  EXPECT_EQ(connectivity(1, 2), 3);
  const auto nodes = on_host(triangles.node_set("left"));
  ASSERT_EQ(nodes.extent(0), 2u);
  EXPECT_EQ(nodes(1), 3);
  const auto sides = on_host(triangles.side_set("left"));
  ASSERT_EQ(sides.extent(0), 1u);
  EXPECT_EQ(sides(0, 0), 1);
  EXPECT_EQ(sides(0, 1), 2);
  EXPECT_THAT([&] { triangles.node_set("right"); },
              ThrowsMessage<ArgumentError>(HasSubstr("no node set 'right'; it has left")));

  const auto quads = read_mesh<Quad<1>>(path, some);
  EXPECT_EQ(quads.num_nodes(), 4);
  EXPECT_EQ(quads.num_elements(), 1);
  EXPECT_THAT([&] { read_mesh<Tet<1>>(path); },
              ThrowsMessage<MeshError>(path + ": has no tet1 cells, but 1 line1, 2 tri1 and 1 quad1 cells"));
}

TEST(ReadMesh, InvertedElementsAreRefused) {
  const test::TemporaryFolder folder;
  std::string text = gmsh;
  text.replace(text.find("1 1 2 3\n"), 8, "1 1 3 2\n");
  const std::string path = folder.write("a.msh", text);
  text.replace(text.find("4\n1 1 2 1"), 1, "3");
  text.erase(text.find("4 3 2 5 1 2 5 6 3\n"), 18);
  folder.write("a.msh", text);
  EXPECT_THAT([&] { read_mesh<Tri<1>>(path); },
              ThrowsMessage<MeshError>(StartsWith(path + ": element 2 (nodes 1 3 2) is flat or inverted")));
  // So it is for what is made of linear elements.
  EXPECT_THAT([&] { read_mesh<Tri<2>>(path); },
              ThrowsMessage<MeshError>(StartsWith(path + ": element 2 (nodes 1 3 2) is flat or inverted")));
}

TEST(ReadMesh, CellsThatStandTwiceAreRefused) {
  const test::TemporaryFolder folder;
  std::string text = gmsh;
  text.replace(text.find("4 3 2 5 1 2 5 6 3\n"), 18, "14 2 2 9 1 2 3 1\n");
  const std::string path = folder.write("a.msh", text);
  EXPECT_THAT([&] { read_mesh<Tri<1>>(path); },
              ThrowsMessage<MeshError>(path + ": element 14 (nodes 2 3 1) repeats element 2: its corners are "
                                              "the same, and both would count; keep one of them"));
  EXPECT_THAT([&] { read_mesh<Tri<3>>(path); },
              ThrowsMessage<MeshError>(HasSubstr("element 14 (nodes 2 3 1) repeats element 2")));
}

/// Tags 1 and 2 are two materials, which their names find, and no third one.
TEST(ReadMesh, MaterialsAreThoseOfTheFile) {
  const test::TemporaryFolder folder;
  std::string text = gmsh;
  const auto change = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  change("2\n1 1 \"left\"\n2 4 \"part\"", "3\n1 1 \"left\"\n2 2 \"steel\"\n2 1 \"air\"");
  change("2 2 2 4 1 1 2 3", "2 2 2 1 1 1 2 3");
  change("3 2 2 4 1 1 3 4", "3 2 2 2 1 1 3 4");
  change("4\n1 1 2 1", "3\n1 1 2 1");
  change("4 3 2 5 1 2 5 6 3\n", "");
  const auto mesh = read_mesh<Tri<1>>(folder.write("a.msh", text));
  EXPECT_EQ(mesh.num_materials(), 2);
  EXPECT_EQ(mesh.material("air"), 0);
  EXPECT_EQ(mesh.material("steel"), 1);
  EXPECT_EQ(on_host(mesh.materials())(0), 0);
  EXPECT_EQ(on_host(mesh.materials())(1), 1);
  EXPECT_EQ(read_mesh<Tri<2>>(folder / "a.msh").material("steel"), 1);
}

/// What messages about elements say, whatever order they are brought into.
TEST(ReadMesh, ElementsKeepTheFilesNames) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", "*NODE\n11\n12,1\n13,1,1\n14,0,1\n*ELEMENT,TYPE=CPS3\n"
                                                 "70,11,12,13\n75,11,13,14\n");
  const auto mesh = read_mesh<Tri<1>>(path);
  EXPECT_EQ(mesh.element_name(0), "element 70 of " + path);
  EXPECT_EQ(mesh.element_name(1), "element 75 of " + path);
  EXPECT_EQ(elevated<Tri<2>>(mesh).element_name(1), "element 75 of " + path);
  EXPECT_EQ(read_mesh<Tri<2>>(path).element_name(1), "element 75 of " + path);
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<Ordinal*, Space> turned("Tessera::Test::turned", 2);
  Kokkos::deep_copy(Kokkos::subview(turned, 0), 1);
  const auto nodes = make_permutation(Space(), tessera::detail::all_items(Space(), 4));
  const auto other = renumber(Space(), mesh, nodes, make_permutation(Space(), turned));
  Kokkos::deep_copy(turned, 0);
  EXPECT_EQ(other.element_name(0), "element 75 of " + path);
  EXPECT_EQ(other.element_name(1), "element 70 of " + path);
  EXPECT_EQ(box_mesh<Tri<1>>({{1, 1}}).element_name(1), "element 1");
}

TEST(ReadMesh, FormatsByExtensionAndByContent) {
  const test::TemporaryFolder folder;
  const std::string deck = "** deck\n*NODE\n1\n2,1\n3,0,1\n*ELEMENT,TYPE=CPS3\n1,1,2,3\n";
  EXPECT_EQ(read_mesh_data(folder.write("a.msh", gmsh)).contents(), "1 line1, 2 tri1 and 1 quad1 cells");
  EXPECT_EQ(read_mesh_data(folder.write("a.MSH", gmsh)).contents(), "1 line1, 2 tri1 and 1 quad1 cells");
  EXPECT_EQ(read_mesh_data(folder.write("plain", gmsh)).contents(), "1 line1, 2 tri1 and 1 quad1 cells");
  EXPECT_EQ(read_mesh_data(folder.write("a.inp", deck)).contents(), "1 tri1 cells");
  EXPECT_EQ(read_mesh_data(folder.write("a.txt", deck)).contents(), "1 tri1 cells");
  // What cgx calls all.msh, and what is called by a format that it is not of.
  EXPECT_EQ(read_mesh_data(folder.write("all.msh", deck)).contents(), "1 tri1 cells");
  EXPECT_EQ(read_mesh_data(folder.write("gmsh.inp", "\n" + gmsh)).contents(),
            "1 line1, 2 tri1 and 1 quad1 cells");
  EXPECT_EQ(files_of_mesh(folder / "all.msh"), std::vector<std::string>{folder / "all.msh"});
  folder.write("t.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
  folder.write("t.ele", "1 4 0\n0 0 1 2 3\n");
  EXPECT_EQ(read_mesh_data(folder / "t.node").contents(), "1 tet1 cells");
  EXPECT_EQ(read_mesh_data(folder / "t.ele").contents(), "1 tet1 cells");
  const std::string other = folder.write("a.stl", "solid cube\n");
  EXPECT_THAT(
      [&] { read_mesh_data(other); },
      ThrowsMessage<FileError>(
          other +
          ": is of no known format; read are Gmsh (.msh), Abaqus and CalculiX decks "
          "(.inp), AVS UCD (.inp), TetGen and Triangle (.node and .ele), VTK (.vtk, .vtu) and Exodus II "
          "(.e, .exo)"));
#ifndef TESSERA_HAVE_VTK
  const std::string grid = folder.write("a.vtu", "");
  EXPECT_THAT([&] { read_mesh_data(grid); },
              ThrowsMessage<FileError>(grid + ": cannot be read by a library that was built without VTK"));
#endif
  EXPECT_THAT([&] { read_mesh_data(folder / "none.msh"); },
              ThrowsMessage<FileError>(HasSubstr("cannot be opened: No such file or directory")));
}

TEST(ReadMesh, ProgressIsReported) {
  const test::TemporaryFolder folder;
  double last = -1.0;
  read_mesh_data(folder.write("a.msh", gmsh), {[&](double fraction) { last = fraction; }});
  EXPECT_EQ(last, 1.0);
}

} // namespace io_read_mesh

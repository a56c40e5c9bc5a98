// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>

namespace io_abaqus_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::ThrowsMessage;

/// A cube and a tetrahedron on it, with every way to write sets; numbers have gaps.
const std::string deck = R"(** a comment
*Heading
 any text, even, commas
*NODE, NSET=Nall
  1, 0., 0., 0.
  2, 1., 0.
  3, 1.D0, 1., 0.
  4, , 1., 0.

  15, 0., 0., +1.
  16, 1., 0., 1.
  17, 1., 1., 1.E0
  18, 0., 1., 1.
*Element, type=C3D8I,
 elset=Cube
 100, 1, 2, 3, 4, 15,
 16, 17, 18
*ELEMENT, ELSET="Roof", TYPE=C3D4
7, 15, 16, 17, 30
*NODE
30, .5, .5, 2.
*NSET, NSET=base, UNSORTED
4, 3, 2, 1
*NSET, NSET=odd, GENERATE
1, 31, 2
*NSET, NSET=both
base, 30
*ELSET, ELSET=ALL
Cube, 7
*SURFACE, NAME=bottom
Cube, S1
*SURFACE, NAME=sides, TYPE=ELEMENT
ALL, S3
7, s2
*SURFACE, NAME=tip, TYPE=NODE
30
base
*MATERIAL, NAME=first
*ELASTIC
1., 0.
*MATERIAL, NAME=second
*SOLID SECTION, ELSET=ALL, MATERIAL=first
*Solid Section, elset=roof, material=SECOND
)";

TEST(AbaqusReader, SurfacesOfNodesAddNothingToSetsOfTheirName) {
  const test::TemporaryFolder folder;
  const MeshData data =
      read_abaqus(folder.write("a.inp", std::string(deck) + "*SURFACE, NAME=base, TYPE=NODE\n30\n"
                                                            "*SURFACE, NAME=odd, TYPE=NODE\nodd\n"));
  EXPECT_THAT(data.node_sets.at("BASE"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(data.node_sets.at("BASE.SURFACE"), ElementsAre(8));
  EXPECT_FALSE(data.node_sets.contains("ODD.SURFACE")); // the same nodes
}

TEST(AbaqusReader, MeshSetsSurfacesAndMaterials) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write("a.inp", deck));
  EXPECT_EQ(data.contents(), "1 tet1 and 1 hex1 cells");
  ASSERT_EQ(data.nodes(), 9);
  EXPECT_THAT(data.points,
              ElementsAre(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, .5, .5, 2));
  EXPECT_EQ(data.node_ids.id(8), 30);
  EXPECT_EQ(data.node_ids.find(15), 4);

  const CellBlock& cube = *data.find({Shape::hexahedron, 1});
  const CellBlock& roof = *data.find({Shape::tetrahedron, 1});
  EXPECT_THAT(cube.nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(roof.nodes, ElementsAre(4, 5, 6, 8));
  EXPECT_EQ(cube.ids.id(0), 100);
  EXPECT_EQ(roof.ids.id(0), 7);
  EXPECT_THAT(cube.formulations, ElementsAre(Key("C3D8I")));
  EXPECT_THAT(cube.material, ElementsAre(1));
  EXPECT_THAT(roof.material, ElementsAre(2));
  EXPECT_EQ(data.material_names.at(1), "FIRST");
  EXPECT_EQ(data.material_names.at(2), "SECOND");

  EXPECT_THAT(data.node_sets, ElementsAre(Key("BASE"), Key("BOTH"), Key("NALL"), Key("ODD"), Key("TIP")));
  EXPECT_THAT(data.node_sets.at("BASE"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(data.node_sets.at("BOTH"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(data.node_sets.at("ODD"), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(data.node_sets.at("TIP"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_EQ(data.node_sets.at("NALL").size(), 8u);
  EXPECT_THAT(cube.cell_sets, ElementsAre(Key("ALL"), Key("CUBE")));
  EXPECT_THAT(roof.cell_sets, ElementsAre(Key("ALL"), Key("ROOF")));

  // S1 of a hexahedron is z = 0, VTK's face 4; S3 is y = 0, face 2; S2 and S3 of a tetrahedron are faces 0
  // and 1.
  EXPECT_THAT(cube.side_sets.at("BOTTOM"), ElementsAre(Side{0, 4}));
  EXPECT_THAT(cube.side_sets.at("SIDES"), ElementsAre(Side{0, 2}));
  EXPECT_THAT(roof.side_sets, ElementsAre(Key("SIDES")));
  EXPECT_THAT(roof.side_sets.at("SIDES"), ElementsAre(Side{0, 0}, Side{0, 1}));
}

TEST(AbaqusReader, IncludedFilesAndElementsAboveTheirNodes) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "parts");
  folder.write("parts/elements.inc", "*INCLUDE, INPUT=more.inc\n");
  folder.write("parts/more.inc", "1, 1, 2, 3\n2, 1, 3, 4\n");
  folder.write("nodes.inc", "1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n");
  const std::string path =
      folder.write("a.inp", "*ELEMENT, TYPE=CPS3, ELSET=E\n*INCLUDE, INPUT=\"parts/elements.inc\"\n"
                            "*NODE\n*INCLUDE, INPUT=nodes.inc\n");
  const MeshData data = read_abaqus(path);
  EXPECT_EQ(data.nodes(), 4);
  EXPECT_THAT(data.blocks.at(0).nodes, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(size(data.blocks.at(0).cell_sets.at("E")), 2);

  const std::string inner = folder.write("parts/more.inc", "1, 1, 2, 3\n2, 1, 3, x\n");
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(inner + ":2: expected node number, an integer, but found 'x'"));
  folder.write("parts/more.inc", "1, 1, 2, 3\n2, 1, 3, 9\n");
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(inner + ":2: element 2 has node 9, which the deck does not define"));
  std::filesystem::remove(inner);
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(folder / "parts/elements.inc" + ":1: *INCLUDE: " + inner +
                                       ": cannot be opened: No such file or directory"));
  const std::string loop = folder.write("loop.inp", "*NODE\n*INCLUDE, INPUT=loop.inp\n");
  EXPECT_THAT(
      [&] { read_abaqus(loop); },
      ThrowsMessage<FileError>(loop + ":2: files are included more than 15 deep; does one include itself?"));
}

TEST(AbaqusReader, SetsThatHoldEachOther) {
  const test::TemporaryFolder folder;
  std::string text =
      "*NODE\n1\n2,1\n3,1,1\n*ELEMENT, TYPE=CPE3\n1,1,2,3\n*NSET, NSET=A\n1\n*NSET, NSET=B\n2\n";
  // Doubling at each step, were sets copied into each other.
  for (int i = 0; i < 60; ++i) text += "*NSET, NSET=A\nB\n*NSET, NSET=B\nA\n";
  const MeshData data = read_abaqus(folder.write("a.inp", text));
  EXPECT_THAT(data.node_sets.at("A"), ElementsAre(0, 1));
  EXPECT_THAT(data.node_sets.at("B"), ElementsAre(0, 1));
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  std::string changed = deck;
  const std::size_t at = deck.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  changed.replace(at, from.size(), to);
  const std::string path = folder.write("bad.inp", changed);
  EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(path + message));
}

TEST(AbaqusReader, BadDecksAreRefusedWithFileAndLine) {
  const std::string types = "; read are C3D4, C3D5, C3D6, C3D8, C3D10, C3D15, C3D20, CPS3, CPS4, CPS6, CPS8, "
                            "CPE3, CPE4, CPE6, CPE8 "
                            "and, as meshes, others with the nodes of such elements, of shells and of beams";
  expect_refused("type=C3D8I", "type=C3D27", ":14: element type 'C3D27' is not supported" + types);
  expect_refused("type=C3D8I", "type", ":14: element type '' is not supported" + types);
  expect_refused("2, 1., 0.", "2, 1., NaN",
                 ":6: expected coordinate 2 of node 2, a finite number, but found 'NaN'");
  expect_refused("2, 1., 0.", "2, 1., 0. 5",
                 ":6: expected coordinate 2 of node 2, a finite number, but found '0. 5'");
  expect_refused("2, 1., 0.", "two, 1., 0.", ":6: expected node number, an integer, but found 'two'");
  expect_refused("2, 1., 0.", "0, 1., 0.",
                 ":6: expected node number from 1 to 4611686018427387904, but found 0");
  expect_refused("2, 1., 0.", "5000000000000000000",
                 ":6: expected node number from 1 to 4611686018427387904, but found 5000000000000000000");
  expect_refused("2, 1., 0.", "1, 1., 0.", ": node 1 is defined twice");
  expect_refused("*NODE, NSET=Nall", "*NODES, NSET=Nall", ":4: there is no keyword *NODES; is *NODE meant?");
  expect_refused("*Element, type", "*Elemnet, type", ":14: there is no keyword *Elemnet; is *ELEMENT meant?");
  expect_refused("*NODE, NSET=Nall", "*NODE, SYSTEM=C", ":4: *NODE with SYSTEM is not supported");
  expect_refused("*NODE, NSET=Nall", "*NODE, INPUT=f", ":4: *NODE with INPUT is not supported");
  expect_refused(" 16, 17, 18\n", "", ":16: element 100 has 5 nodes where C3D8I needs 8");
  expect_refused("16, 17, 18", "16, 17, 19", ":17: element 100 has node 19, which the deck does not define");
  expect_refused("7, 15, 16, 17, 30", "7, 15, 16, 17, 31",
                 ":19: element 7 has node 31, which the deck does not define");
  expect_refused("7, 15, 16, 17, 30", "100, 15, 16, 17, 30", ": element 100 is defined twice");
  expect_refused("7, 15, 16, 17, 30", "7, 15, 16, 17, 30\n7, 15, 16, 17, 18", ": element 7 is defined twice");
  expect_refused("4, 3, 2, 1", "4, 3, 2, 14",
                 ":23: node set 'BASE' holds node 14, which the deck does not define");
  expect_refused("base, 30", "basis, 30",
                 ":27: there is no node set 'BASIS' above this line; there are BASE, BOTH, NALL, ODD");
  expect_refused("1, 31, 2", "1, 31, 0", ":25: expected the step of a range, at least 1, but found '0'");
  expect_refused("1, 31, 2", "1", ":25: expected first, last and step of a range, but found 1 fields");
  expect_refused("*NSET, NSET=odd", "*NSET, NSET=odd, ELSET=ALL",
                 ":24: *NSET with ELSET is not supported; list the nodes");
  expect_refused("*NSET, NSET=odd", "*NSET", ":24: *NSET needs the parameter NSET=name");
  expect_refused("NAME=bottom", "NAME=", ":30: *SURFACE needs the parameter NAME=name");
  expect_refused("Cube, S1", "Cube, S7", ":31: expected a face S1 to S6 of elements 'CUBE', but found 'S7'");
  expect_refused("Cube, S1", "Cube", ":31: expected a face S1 to S6 of elements 'CUBE', but found ''");
  expect_refused("Cube, S1", "Cub, S1",
                 ":31: there is no element set 'CUB' above this line; there are ALL, CUBE, ROOF");
  expect_refused("7, s2", "7, s5", ":34: elements of type C3D4 have no face 5");
  expect_refused("7, s2", "8, s2", ":34: there is no element 8");
  expect_refused("TYPE=NODE", "TYPE=CUTTING",
                 ":35: *SURFACE of type 'CUTTING' is not supported; read are ELEMENT and NODE");
  expect_refused("MATERIAL=first", "MATERIAL=third", ":42: there is no material 'THIRD'");
  expect_refused("ELSET=ALL, MATERIAL=first", "ELSET=ALL",
                 ":42: *SOLID SECTION needs the parameters ELSET=name and MATERIAL=name");
  expect_refused("*MATERIAL, NAME=first", "*MATERIAL", ":38: *MATERIAL needs the parameter NAME=name");
  expect_refused("*Heading", "*NFILL",
                 ":2: *NFILL is not supported; write the deck with all its nodes and elements in place");
  expect_refused("*Heading", "*Include", ":2: *INCLUDE needs the parameter INPUT=file");
  expect_refused(deck, "*NODE\n1\n", ": the deck has no *ELEMENT");
  expect_refused(deck, std::string(200, '\xff') + '\n', ": the deck has no *ELEMENT");
}

} // namespace io_abaqus_reader

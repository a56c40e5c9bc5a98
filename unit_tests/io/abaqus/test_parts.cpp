// SPDX-License-Identifier: BSD-3-Clause
// Decks of parts, an assembly and instances, as Abaqus/CAE writes them.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/read.hpp>
#include <tessera/io/read_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>
#include <vector>

namespace io_abaqus_parts {

using namespace tessera;
using namespace tessera::io;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

const std::string& deck = test::abaqus_parts_sample;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AbaqusParts, InstancesArePlacedAndNumberedForThemselves) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write("a.inp", deck));
  EXPECT_EQ(data.contents(), "2 tet1 and 1 hex1 cells");
  ASSERT_EQ(data.nodes(), 17);
  const CellBlock& corners = *data.find({Shape::tetrahedron, 1});
  const CellBlock& block = *data.find({Shape::hexahedron, 1});
  EXPECT_THAT(corners.nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(block.nodes, ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  // (x, y) + (2, 0) turned about (1, 0): (x', y') = (1 - y, 1 + x).
  const std::vector<double> second(data.points.begin() + 12, data.points.begin() + 24);
  EXPECT_THAT(second, Pointwise(DoubleNear(1e-15), {1., 1., 0., 1., 2., 0., 0., 1., 0., 1., 1., 1.}));
  EXPECT_EQ(data.points[3 * 8 + 2], -1.0);
  EXPECT_THAT(corners.material, ElementsAre(2, 2));
  EXPECT_THAT(block.material, ElementsAre(1));
  EXPECT_EQ(data.node_ids.id(2), 3); // the first instance's numbers
  std::vector<std::string> names;
  for (const Ordinal node : {2, 6, 15, 16}) names.push_back(data.node_ids.name(node));
  EXPECT_THAT(names, ElementsAre("CORNER-1.3", "CORNER-2.3", "BLOCK-1.8", "1"));
  EXPECT_EQ(corners.ids.name(1), "CORNER-2.1");
}

/// The doubled nodes of a cut belong to no instance, and are called by its surface.
TEST(AbaqusParts, PretensionSection) {
  const test::TemporaryFolder folder;
  const AbaqusDeck found = read_abaqus_deck(
      folder.write("a.inp", changed(deck, "*End Assembly\n",
                                    "*End Assembly\n*Surface, name=Cut\nBlock-1.1, S2\n"
                                    "*Pre-tension Section, surface=Cut, node=Point\n1, 0, 0\n")));
  ASSERT_EQ(found.mesh.nodes(), 17 + 4);
  std::vector<std::string> names;
  for (const Ordinal node : {15, 16, 17, 20}) names.push_back(found.mesh.node_ids.name(node));
  EXPECT_THAT(names, ElementsAre("BLOCK-1.8", "1", "CUT.1", "CUT.4"));
}

TEST(AbaqusParts, SetsAndSurfaces) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write("a.inp", deck));
  EXPECT_THAT(data.node_sets, ElementsAre(Key("CORNER-1.ALL"), Key("CORNER-1.SET-1"), Key("CORNER-2.ALL"),
                                          Key("CORNER-2.OWN"), Key("CORNER-2.SET-1"), Key("MIXED"),
                                          Key("POINT"), Key("SET-1")));
  EXPECT_THAT(data.node_sets.at("CORNER-2.SET-1"), ElementsAre(4, 5, 6));
  EXPECT_THAT(data.node_sets.at("CORNER-2.OWN"), ElementsAre(7));
  EXPECT_THAT(data.node_sets.at("SET-1"), ElementsAre(0, 3, 12, 13, 14, 15));
  EXPECT_THAT(data.node_sets.at("MIXED"), ElementsAre(4, 5, 6, 14, 16));
  EXPECT_THAT(data.node_sets.at("POINT"), ElementsAre(16));
  const CellBlock& corners = *data.find({Shape::tetrahedron, 1});
  EXPECT_THAT(corners.cell_sets, ElementsAre(Key("CORNER-1.FACES"), Key("CORNER-1.SET-1"),
                                             Key("CORNER-2.FACES"), Key("CORNER-2.SET-1"), Key("SOME")));
  EXPECT_THAT(corners.cell_sets.at("SOME"), ElementsAre(CellRange{1, 1}));
  EXPECT_THAT(corners.side_sets, ElementsAre(Key("CORNER-1.BOTTOM"), Key("CORNER-2.BOTTOM"), Key("OUTSIDE")));
  EXPECT_THAT(corners.side_sets.at("CORNER-2.BOTTOM"), ElementsAre(Side{1, 3}));
  EXPECT_THAT(corners.side_sets.at("OUTSIDE"), ElementsAre(Side{1, 0}, Side{1, 1}));
  EXPECT_THAT(data.find({Shape::hexahedron, 1})->side_sets.at("OUTSIDE"), ElementsAre(Side{0, 5}));
}

const std::string one = R"(*PART, NAME=P
*NODE
1,0,0,0
2,1,0,0
3,0,1,0
4,0,0,1
*ELEMENT, TYPE=C3D4, ELSET=E
1,1,2,3,4
*ELSET, ELSET=base
1
*END PART
*ASSEMBLY, NAME=A
*INSTANCE, NAME=P-1, PART=P
*END INSTANCE
*NSET, NSET=base, INSTANCE=P-1
1,2,3
*END ASSEMBLY
)";

TEST(AbaqusParts, TheOnlyInstanceKeepsItsNumbersAndSets) {
  const test::TemporaryFolder folder;
  const MeshData data = read_mesh_data(folder.write("a.inp", one));
  EXPECT_EQ(data.contents(), "1 tet1 cells");
  EXPECT_THAT(data.node_sets, ElementsAre(Key("BASE")));
  EXPECT_THAT(data.node_sets.at("BASE"), ElementsAre(0, 1, 2));
  EXPECT_EQ(data.node_ids.id(3), 4);
  EXPECT_EQ(data.node_ids.name(3), "P-1.4");
  // The part's set of the assembly's name keeps its instance's.
  EXPECT_THAT(data.blocks.front().cell_sets, ElementsAre(Key("E"), Key("P-1.BASE")));
}

/// Abaqus/CAE writes meshes of independent instances below *INSTANCE, and parts without any.
TEST(AbaqusParts, MeshesOfInstancesThemselves) {
  const test::TemporaryFolder folder;
  const std::string body = one.substr(one.find("*NODE"), one.find("*END PART") - one.find("*NODE"));
  const MeshData data = read_abaqus(folder.write("a.inp", "*PART, NAME=P\n*END PART\n*ASSEMBLY, NAME=A\n"
                                                          "*INSTANCE, NAME=P-1, PART=P\n0,0,5\n" +
                                                              body + "*END INSTANCE\n*END ASSEMBLY\n"));
  EXPECT_THAT(data.points, ElementsAre(0, 0, 5, 1, 0, 5, 0, 1, 5, 0, 0, 6));
  EXPECT_THAT(data.blocks.front().cell_sets, ElementsAre(Key("BASE"), Key("E")));
}

TEST(AbaqusParts, PartsInIncludedFiles) {
  const test::TemporaryFolder folder;
  const std::size_t assembly = one.find("*ASSEMBLY");
  folder.write("part.inc", one.substr(0, assembly));
  folder.write("nodes.inc", "1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n");
  const std::string path = folder.write("a.inp", "*INCLUDE, INPUT=part.inc\n" + one.substr(assembly));
  EXPECT_EQ(read_abaqus(path).contents(), "1 tet1 cells");
  EXPECT_THAT(files_of_mesh(path), ElementsAre(path, folder / "part.inc"));
  std::string two = changed(one, "1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n", "*INCLUDE, INPUT=nodes.inc\n");
  two = changed(two, "*END INSTANCE\n", "*END INSTANCE\n*INSTANCE, NAME=P-2, PART=P\n0,0,5\n*END INSTANCE\n");
  const MeshData data = read_abaqus(folder.write("b.inp", two));
  EXPECT_EQ(data.contents(), "2 tet1 cells");
  EXPECT_EQ(data.points[14], 5.0);
  const std::string part = folder.write("part.inc", "*PART, NAME=P\n*NODE\n1,0,0\n");
  const std::string split =
      folder.write("c.inp", "*INCLUDE, INPUT=part.inc\n*END PART\n" + one.substr(assembly));
  EXPECT_THAT(
      [&] { read_abaqus(split); },
      ThrowsMessage<FileError>(split + ":2: *END PART stands in another file than its *PART, " + part));
}

TEST(AbaqusParts, QuotedNames) {
  const test::TemporaryFolder folder;
  const std::string quoted =
      changed(changed(deck, "name=Corner-2", "name=\"Corner 2\""), "Corner-2.Set-1", "\"Corner 2\".Set-1");
  const std::string text = changed(changed(quoted, "instance=Corner-2", "instance=\"Corner 2\""),
                                   "Corner-2.1, S2", "\"Corner 2\".1, S2");
  const MeshData data = read_abaqus(folder.write("a.inp", text));
  EXPECT_THAT(data.node_sets.at("CORNER 2.SET-1"), ElementsAre(4, 5, 6));
  EXPECT_THAT(data.node_sets.at("MIXED"), ElementsAre(4, 5, 6, 14, 16));
}

/// Parts longer than a reader's buffer, which the lines below an instance must outlast.
TEST(AbaqusParts, LongParts) {
  const test::TemporaryFolder folder;
  std::string part = "*PART, NAME=P\n*NODE\n";
  const int nodes = 60000;
  for (int n = 1; n <= nodes; ++n) part += std::to_string(n) + ", " + std::to_string(n) + "., 0.123456789\n";
  part += "*ELEMENT, TYPE=CPS3, ELSET=E\n";
  for (int e = 1; e <= nodes - 2; ++e)
    part += std::to_string(e) + ", " + std::to_string(e) + ", " + std::to_string(e + 1) + ", " +
            std::to_string(e + 2) + "\n";
  std::string text = part + "*END PART\n*ASSEMBLY, NAME=A\n";
  for (int i = 1; i <= 3; ++i)
    text += "*INSTANCE, NAME=P-" + std::to_string(i) + ", PART=P\n0., " + std::to_string(i) +
            ".\n*END INSTANCE\n*NSET, NSET=ENDS, INSTANCE=P-" + std::to_string(i) + "\n1, 60000\n";
  const MeshData data = read_abaqus(folder.write("a.inp", text + "*END ASSEMBLY\n"));
  EXPECT_EQ(data.nodes(), 3 * nodes);
  EXPECT_EQ(data.blocks.front().cells(), 3 * (nodes - 2));
  EXPECT_EQ(data.node_sets.at("ENDS").size(), 6u);
  EXPECT_EQ(data.points[3 * (2 * nodes) + 1], 3.123456789);
}

TEST(AbaqusParts, DecksAreSolvedWithTheirInstances) {
  const test::TemporaryFolder folder;
  const std::string step = R"(*Boundary
Set-1, 1, 3
Block-1.2, 3, 3, .5
*Step, name=Step-1, nlgeom=NO
*Static
1., 1., 1e-05, 1.
*Cload
Corner-2.Own, 3, 4.
*Dload
Block-1.Set-1, P6, 2.
*Dsload
Corner-1.Bottom, P, 3.
*Restart, write, frequency=0
*Output, field, variable=PRESELECT
*End Step
)";
  const std::string path = folder.write("a.inp", deck + step);
  const AbaqusDeck read = read_abaqus_deck(path);
  EXPECT_THAT(read.others, IsEmpty());
  ASSERT_EQ(read.constraints.size(), 2u);
  EXPECT_THAT(read.constraints[0].nodes, ElementsAre(0, 3, 12, 13, 14, 15));
  EXPECT_THAT(read.constraints[1].nodes, ElementsAre(9));
  ASSERT_EQ(read.steps.size(), 1u);
  EXPECT_THAT(read.steps[0].nodal_loads.at(0).nodes, ElementsAre(7));
  ASSERT_EQ(read.steps[0].pressures.size(), 2u);
  EXPECT_THAT(read.steps[0].pressures[0].sides, ElementsAre(Side{0, 0}));
  EXPECT_THAT(read.steps[0].pressures[1].sides, ElementsAre(Side{0, 3}));
  require_linear_static(read);

  const auto refused = [&](const std::string& from, const std::string& to) {
    require_linear_static(read_abaqus_deck(folder.write("b.inp", changed(deck + step, from, to))));
  };
  const std::string bad = folder / "b.inp";
  EXPECT_THAT([&] { refused("nlgeom=NO", "nlgeom=YES"); },
              ThrowsMessage<UnsupportedError>(HasSubstr("*Step, NLGEOM=YES is not supported")));
  EXPECT_THAT([&] { refused("*End Part", "*Boundary\nAll, 1\n*End Part"); },
              ThrowsMessage<UnsupportedError>(bad + ":19: *Boundary, inside a part is not supported in a "
                                                    "linear static deck"));
  EXPECT_THAT([&] { refused("Block-1.2, 3", "Block-1.9, 3"); },
              ThrowsMessage<FileError>(HasSubstr("there is no node BLOCK-1.9")));
  EXPECT_THAT([&] { refused("Block-1.2, 3", "2, 3"); },
              ThrowsMessage<FileError>(HasSubstr("there is no node 2")));
  EXPECT_THAT([&] { refused("Corner-2.Own", "Own"); },
              ThrowsMessage<FileError>(HasSubstr("there is no node set 'OWN'")));
  EXPECT_THAT([&] { refused("*Solid Section, elset=Set-1, material=Hard\n,\n", ""); },
              ThrowsMessage<FormError>(bad + ": element BLOCK-1.1 has no *SOLID SECTION"));
}

/// Messages of the mesh name the instance.
TEST(AbaqusParts, FlatElementsAreNamedByTheirInstance) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", changed(one, "4,0,0,1", "4,1,1,0"));
  EXPECT_THAT([&] { (void)read_mesh<Tet<1>>(path); },
              ThrowsMessage<MeshError>(
                  HasSubstr("element P-1.1 (nodes P-1.1 P-1.2 P-1.3 P-1.4) is flat or inverted")));
}

} // namespace io_abaqus_parts

// SPDX-License-Identifier: BSD-3-Clause
// Other names of known shapes: a mesh of them is read, a deck of them is refused.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/read_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_abaqus_types {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                          "11,.5,0,0\n12,1,.5,0\n13,.5,1,0\n14,0,.5,0\n15,.5,0,1\n16,1,.5,1\n17,.5,1,1\n"
                          "18,0,.5,1\n21,0,0,.5\n22,1,0,.5\n23,1,1,.5\n24,0,1,.5\n32,.5,.5,0\n33,.5,.5,1\n";

/// One element in a deck of linear statics.
std::string deck(const std::string& type, const std::string& element) {
  return nodes + "*ELEMENT, TYPE=" + type + ", ELSET=E\n1," + element +
         "\n*MATERIAL, NAME=M\n*ELASTIC\n1.,0.3\n*SOLID SECTION, ELSET=E, "
         "MATERIAL=M\n*BOUNDARY\n1,1,3\n*STEP\n"
         "*STATIC\n*CLOAD\n2,1,1.\n*END STEP\n";
}

TEST(AbaqusTypes, AreReadAsMeshesAndNotSolvedAsDecks) {
  const test::TemporaryFolder folder;
  const std::string hex = "1,2,3,4,5,6,7,8", quad = "1,2,3,4", tri = "1,2,3", tet = "1,2,4,5";
  const std::string quad8 = "1,2,3,4,11,12,13,14",
                    hex20 = "1,2,3,4,5,6,7,8,11,12,13,14,15,16,\n17,18,21,22,23,24",
                    wedge15 = "1,2,4,5,6,8,11,32,14,15,33,18,21,22,24";
  const std::vector<std::vector<std::string>> types{
      {"CPS4R", quad, "quad1", "is integrated at one point, quad1 at four"},
      {"CPE4R", quad, "quad1", "is integrated at one point, quad1 at four"},
      {"C3D20R", hex20, "hex20", "is integrated at eight points, hex20 at 27"},
      {"CPS8R", quad8, "quad8", "is integrated at four points, quad8 at nine"},
      {"C3D15H", wedge15, "wedge15", "has pressures besides its displacements"},
      {"CPE4H", quad, "quad1", "has pressures besides its displacements"},
      {"CAX3", tri, "tri1", "is axisymmetric"},
      {"S4R", quad, "quad1", "is a shell"},
      {"C3D8T", hex, "hex1", "has temperatures besides its displacements"},
      {"C3D8H", hex, "hex1", "has pressures besides its displacements"},
      {"C3D4H", tet, "tet1", "has pressures besides its displacements"},
      {"T3D2", "1,2", "line1", "is a truss or a beam"},
      {"T3D3", "1,11,2", "line2", "is a truss or a beam"},
      {"B22", "1,11,2", "line2", "is a truss or a beam"},
      {"B32", "1,11,2", "line2", "is a truss or a beam"},
      {"B32R", "1,11,2", "line2", "is a truss or a beam"},
      {"B31R", "1,2", "line1", "is a truss or a beam"},
      {"S6", "1,2,3,11,12,32", "tri2", "is a shell"},
      {"S8", quad8, "quad8", "is a shell"},
      {"S9R5", quad8 + ",32", "quad2", "is a shell"},
      {"M3D6", "1,2,3,11,12,32", "tri2", "is a membrane"},
      {"M3D8", quad8, "quad8", "is a membrane"},
      {"M3D8R", quad8, "quad8", "is a membrane"},
      {"SFM3D4R", quad, "quad1", "is a surface without stiffness"},
      {"R3D4", quad, "quad1", "is rigid"},
      {"SC8R", hex, "hex1", "is a shell with the nodes of a solid"},
      {"C3D8P", hex, "hex1", "has pressures in pores besides its displacements"},
      {"CAX8H", quad8, "quad8", "is axisymmetric"},
      {"CPS8T", quad8, "quad8", "has temperatures besides its displacements"},
      {"DC3D20", hex20, "hex20", "has no displacements"},
      {"F3D8", hex, "hex1", "is of a fluid"},
      {"F3D8R", hex, "hex1", "is of a fluid"}};
  for (const auto& type : types) {
    const std::string path = folder.write("a.inp", deck(type[0], type[1]));
    EXPECT_EQ(read_abaqus(path).contents(), "1 " + type[2] + " cells") << type[0];
    EXPECT_THAT([&] { require_linear_static(read_abaqus_deck(path)); },
                ThrowsMessage<UnsupportedError>(path + ": element 1 is a " + type[0] + ", which " + type[3]));
  }
  EXPECT_EQ(read_mesh<Quad<1>>(folder.write("b.inp", deck("CPS4R", quad))).num_elements(), 1);
  EXPECT_EQ(read_mesh<Hex<1>>(folder.write("b.inp", deck("C3D8RH", hex))).num_elements(), 1);
}

TEST(AbaqusTypes, ShellsAndTrussesAroundAMeshMakeItsSideSets) {
  const test::TemporaryFolder folder;
  const std::string solid = nodes + "*ELEMENT, TYPE=C3D8R, ELSET=E\n1,1,2,3,4,5,6,7,8\n";
  const MeshData solids =
      read_abaqus(folder.write("a.inp", solid + "*ELEMENT, TYPE=S4, ELSET=TOP\n2,5,6,7,8\n"));
  EXPECT_THAT(solids.find(*cell_type("hex1"))->side_sets.at("TOP"), ElementsAre(Side{0, 5}));
  EXPECT_THAT(solids.node_sets.at("TOP"), ElementsAre(4, 5, 6, 7));
  const MeshData plane = read_abaqus(folder.write(
      "b.inp", nodes + "*ELEMENT, TYPE=CPS4R\n1,1,2,3,4\n*ELEMENT, TYPE=T3D2, ELSET=LEFT\n2,4,1\n"));
  EXPECT_THAT(plane.find(*cell_type("quad1"))->side_sets.at("LEFT"), ElementsAre(Side{0, 3}));
  const std::string path = folder.write("c.inp", solid + "*ELEMENT, TYPE=S4, ELSET=TOP\n2,5,6,7,8\n"
                                                         "*SURFACE, NAME=S\nTOP, S1\n");
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(path + ":29: elements of type S4 have no face 1"));
}

// The node in the middle of an edge comes second in a file.
TEST(AbaqusTypes, QuadraticBeamsAndShellsStandBesideSolidsAndAreRefusedAlone) {
  const test::TemporaryFolder folder;
  const std::string lines = "*ELEMENT, TYPE=B32, ELSET=EDGE\n2,1,11,2\n",
                    shells = "*ELEMENT, TYPE=S8, ELSET=FLOOR\n3,1,2,3,4,11,12,13,14\n";
  const std::string hex20 =
      "*ELEMENT, TYPE=C3D20, ELSET=E\n1,1,2,3,4,5,6,7,8,11,12,13,14,15,16,\n17,18,21,22,23,24\n";
  const std::string path = folder.write("a.inp", nodes + lines + hex20 + shells);
  const MeshData data = read_abaqus(path);
  EXPECT_THAT(data.find(*cell_type("line2"))->nodes, ElementsAre(0, 1, 8));
  EXPECT_THAT(data.find(*cell_type("hex20"))->side_sets.at("FLOOR"), ElementsAre(Side{0, 4}));
  EXPECT_EQ((read_mesh<Hex20>(path).num_elements()), 1);
  // The same where the nodes stand below the elements.
  const MeshData below = read_abaqus(folder.write("b.inp", lines + nodes));
  EXPECT_THAT(below.find(*cell_type("line2"))->nodes, ElementsAre(0, 1, 8));
  const std::string shell = folder.write("c.inp", nodes + "*ELEMENT, TYPE=S8\n3,1,2,3,8,11,12,13,14\n");
  EXPECT_THAT([&] { read_mesh<Quad8>(shell); },
              ThrowsMessage<MeshError>(shell +
                                       ": quad8 cells must lie in a plane z = constant, but z goes from 0 "
                                       "to 1 at node 8"));
}

TEST(AbaqusSets, MayHaveNumbersForNames) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write(
      "a.inp", nodes + "*ELEMENT, TYPE=CPS3, ELSET=2\n1,1,2,3\n*ELEMENT, TYPE=CPS3, ELSET=1\n2,1,3,4\n"
                       "*NSET, NSET=8\n2,3\n*MATERIAL, NAME=A\n*MATERIAL, NAME=B\n"
                       "*SOLID SECTION, ELSET=1, MATERIAL=A\n*SOLID SECTION, ELSET=2, MATERIAL=B\n"));
  EXPECT_THAT(data.blocks.at(0).cell_sets.at("2"), ElementsAre(CellRange{0, 1}));
  EXPECT_THAT(data.blocks.at(0).material, ElementsAre(2, 1));
  EXPECT_THAT(data.node_sets.at("8"), ElementsAre(1, 2));
}

} // namespace io_abaqus_types

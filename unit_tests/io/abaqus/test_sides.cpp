// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_abaqus_sides {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::ThrowsMessage;

/// As Gmsh writes a mesh with its physical surfaces.
TEST(AbaqusSides, ElementSetsOfSidesAreSideSets) {
  const std::string solid = R"(*Heading
 box.inp
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 1, 1, 1
******* E L E M E N T S *************
*ELEMENT, type=CPS3, ELSET=Surface1
1, 1, 3, 2
2, 2, 5, 3
*ELEMENT, type=CPS3, ELSET=Surface2
3, 1, 2, 4
*ELEMENT, type=C3D4, ELSET=Volume1
4, 1, 2, 3, 4
5, 2, 5, 3, 4
*ELSET,ELSET=both
1, 2, 3
*ELSET,ELSET=mixed
1, 4
*NSET,NSET=surface2
5
)";
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write("a.inp", solid));
  const CellBlock& cells = *data.find({Shape::tetrahedron, 1});
  EXPECT_THAT(cells.side_sets, ElementsAre(Key("BOTH"), Key("SURFACE1")));
  // Faces of a tetrahedron by VTK: 0 1 3, 1 2 3, 2 0 3, 0 2 1.
  EXPECT_THAT(cells.side_sets.at("SURFACE1"), ElementsAre(Side{0, 3}, Side{1, 3}));
  EXPECT_THAT(cells.side_sets.at("BOTH"), ElementsAre(Side{0, 0}, Side{0, 3}, Side{1, 3}));
  EXPECT_THAT(data.node_sets.at("SURFACE1"), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(data.node_sets.at("SURFACE2"), ElementsAre(4)); // the deck's own
  // Half of a set: the first of its faces lies on nothing.
  std::string damaged = solid;
  damaged.replace(damaged.find("2, 2, 5, 3"), 10, "2, 1, 5, 2");
  EXPECT_THAT([&] { read_abaqus(folder.write("b.inp", damaged)); },
              ThrowsMessage<FileError>(::testing::HasSubstr("element 2 (nodes 1 5 2)")));
  EXPECT_THAT(read_abaqus(folder.write("b.inp", damaged), {.allow_partial = true})
                  .find({Shape::tetrahedron, 1})
                  ->side_sets,
              ::testing::IsEmpty());
}

TEST(AbaqusSides, FacesOfEveryElementAsInTheManual) {
  // Corners of S1, S2, ... by their places in the element, from the Abaqus and CalculiX manuals.
  const struct {
    std::string type;
    int nodes;
    std::vector<std::vector<int>> faces;
  } elements[] = {
      {"C3D4", 4, {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}}},
      {"C3D10", 10, {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}}},
      {"C3D5", 5, {{1, 2, 3, 4}, {1, 5, 2}, {2, 5, 3}, {3, 5, 4}, {4, 5, 1}}},
      {"C3D6", 6, {{1, 2, 3}, {4, 6, 5}, {1, 4, 5, 2}, {2, 5, 6, 3}, {3, 6, 4, 1}}},
      {"C3D8", 8, {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}}},
      {"C3D20", 20, {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}}},
      {"CPS8", 8, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}},
      {"CPE8R", 8, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}},
      {"CPS3", 3, {{1, 2}, {2, 3}, {3, 1}}},
      {"CPE4", 4, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}},
      {"CPS6", 6, {{1, 2}, {2, 3}, {3, 1}}},
      {"CPE6", 6, {{1, 2}, {2, 3}, {3, 1}}},
      // Those of heat conduction have the faces of their mechanical counterparts.
      {"DC3D4", 4, {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}}},
      {"DC3D10", 10, {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}}},
      {"DC3D8", 8, {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}}},
      {"DC2D3", 3, {{1, 2}, {2, 3}, {3, 1}}},
      {"DC2D4", 4, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}},
      {"DC2D6", 6, {{1, 2}, {2, 3}, {3, 1}}}};
  const test::TemporaryFolder folder;
  for (const auto& element : elements) {
    std::string text = "*NODE\n";
    std::string nodes;
    for (int n = 1; n <= element.nodes; ++n) {
      text += std::to_string(n) + ", " + std::to_string(n) + "\n";
      nodes += ", " + std::to_string(n);
    }
    text += "*ELEMENT, TYPE=" + element.type + "\n1" + nodes + "\n";
    for (std::size_t face = 1; face <= element.faces.size(); ++face)
      text += "*SURFACE, NAME=F" + std::to_string(face) + "\n1, S" + std::to_string(face) + "\n";
    const MeshData data = read_abaqus(folder.write("a.inp", text));
    const CellBlock& block = data.blocks.front();
    for (std::size_t face = 1; face <= element.faces.size(); ++face) {
      const std::vector<Side>& sides = block.side_sets.at("F" + std::to_string(face));
      ASSERT_EQ(sides.size(), 1u);
      std::vector<int> expected = element.faces[face - 1], found;
      for (const int corner : block.type.side_corners(sides[0].side)) found.push_back(corner + 1);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << element.type << " S" << face;
    }
  }
}

} // namespace io_abaqus_sides

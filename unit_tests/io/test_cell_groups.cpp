// SPDX-License-Identifier: BSD-3-Clause
// Groups of sides of which none, some or all are sides of cells.

#include <tessera/core/error.hpp>
#include <tessera/io/gmsh/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>

namespace io_cell_groups {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// A square of two triangles whose left and lower sides are a group; numbers from 10 on.
std::string plate(const std::string& left, const std::string& lower) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 5 \"wall\"\n$EndPhysicalNames\n"
         "$Nodes\n5\n10 0 0 0\n11 1 0 0\n12 1 1 0\n13 0 1 0\n14 5 5 0\n$EndNodes\n"
         "$Elements\n4\n20 1 2 5 1 " +
         left + "\n21 1 2 5 1 " + lower + "\n22 2 2 7 1 10 11 12\n23 2 2 7 1 10 12 13\n$EndElements\n";
}

const CellType triangle{Shape::triangle, 1};

TEST(CellGroups, OfSidesAreSideSets) {
  const test::TemporaryFolder folder;
  const MeshData data = read_gmsh(folder.write("a.msh", plate("13 10", "10 11")));
  EXPECT_THAT(data.find(triangle)->side_sets.at("wall"), ElementsAre(Side{0, 0}, Side{1, 2}));
  EXPECT_THAT(data.node_sets.at("wall"), ElementsAre(0, 1, 3));
}

// Neighbours inside the mesh that the file turns alike are sides of the cells at one side of them, whichever
// of these come first.
TEST(CellGroups, OfSidesBetweenCellsAreOfTheCellThatTheyPointOutOf) {
  const test::TemporaryFolder folder;
  // A square of four triangles round node 5; the way 1 5 3 has cells 13 and 14 at its left.
  const auto square = [](const std::string& first, const std::string& second) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 "
           "0\n$EndNodes\n$Elements\n6\n1 1 2 5 1 " +
           first + "\n2 1 2 5 1 " + second +
           "\n11 2 2 7 1 1 2 5\n14 2 2 7 1 4 1 5\n13 2 2 7 1 3 4 5\n12 2 2 7 1 2 3 5\n$EndElements\n";
  };
  const auto sides = [&](const std::string& text) {
    return read_gmsh(folder.write("a.msh", text)).find(triangle)->side_sets.at("curve5");
  };
  EXPECT_THAT(sides(square("1 5", "5 3")), ElementsAre(Side{1, 1}, Side{2, 2}));
  EXPECT_THAT(sides(square("5 1", "3 5")), ElementsAre(Side{0, 2}, Side{3, 1}));
}

TEST(CellGroups, OnlyPartlyOnCellsAreRefusedUnlessAllowed) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.msh", plate("13 10", "10 14"));
  EXPECT_THAT([&] { read_gmsh(path); },
              ThrowsMessage<FileError>(
                  path +
                  ": group 'wall' has 2 sides, of which 1 are sides of no cell, the first element 21 (nodes "
                  "10 14); repair them, or accept the group as a set of nodes alone with "
                  "ReadOptions::allow_partial (--allow-partial)"));
  const MeshData data = read_gmsh(path, {.allow_partial = true});
  EXPECT_THAT(data.find(triangle)->side_sets, IsEmpty());
  EXPECT_THAT(data.node_sets.at("wall"), ElementsAre(0, 3, 4));
}

TEST(CellGroups, BesideTheCellsAreSetsOfNodes) {
  const test::TemporaryFolder folder;
  const MeshData data = read_gmsh(folder.write("a.msh", plate("13 14", "10 14")));
  EXPECT_THAT(data.find(triangle)->side_sets, IsEmpty());
  EXPECT_THAT(data.node_sets.at("wall"), ElementsAre(0, 3, 4));
}

} // namespace io_cell_groups

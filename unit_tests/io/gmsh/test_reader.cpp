// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/gmsh/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <support/files.hpp>

namespace io_gmsh_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::ThrowsMessage;

/// Two squares side by side, of two triangles each, with the left edge, the right edge and one point as
/// groups. The numbers have gaps and are out of order.
const std::string plate22 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 5 "left edge"
2 7 "part"
2 9 "other"
0 2 "corner"
$EndPhysicalNames
$Nodes
6
10 0 0 0
3 1 0 0
20 2 0 0
21 2 1 0
22 1 1 0
5 0 1 0
$EndNodes
$Elements
8
1 15 2 2 1 21
2 1 2 5 4 5 10
3 1 2 6 5 20 21
4 2 2 7 1 10 3 22
5 2 2 9 1 10 3 22
6 2 2 7 1 10 22 5
7 2 2 8 2 3 20 21
8 2 3 8 2 0 3 21 22
$EndElements
)";

const std::string plate41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
4
1 5 "left edge"
2 7 "part"
2 9 "other"
0 2 "corner"
$EndPhysicalNames
$Entities
1 2 2 0
1 2 1 0 1 2
4 0 0 0 0 1 0 1 -5 2 1 -2
5 2 0 0 2 1 0 1 6 0
1 0 0 0 1 1 0 2 7 9 0
2 1 0 0 2 1 0 1 8 0
$EndEntities
$Nodes
2 6 3 22
2 1 0 3
10
3
20
0 0 0
1 0 0
2 0 0
2 2 1 3
21
22
5
2 1 0 0.5 0.5
1 1 0 0.5 0.5
0 1 0 0.5 0.5
$EndNodes
$Elements
5 7 1 8
0 1 15 1
1 21
1 4 1 1
2 5 10
1 5 1 1
3 20 21
2 1 2 2
4 10 3 22
6 10 22 5
2 2 2 2
7 3 20 21
8 3 21 22
$EndElements
)";

void expect_plate(const MeshData& data) {
  EXPECT_THAT(data.points, ElementsAre(0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 0, 1, 0));
  EXPECT_EQ(data.node_ids.id(0), 10);
  EXPECT_EQ(data.node_ids.find(5), 5);
  EXPECT_EQ(data.contents(), "1 vertex, 2 line1 and 4 tri1 cells");
  const CellBlock& triangles = *data.find({Shape::triangle, 1});
  EXPECT_THAT(triangles.nodes, ElementsAre(0, 1, 4, 0, 4, 5, 1, 2, 3, 1, 3, 4));
  EXPECT_THAT(triangles.material, ElementsAre(7, 7, 8, 8));
  EXPECT_EQ(triangles.ids.id(3), 8);
  EXPECT_THAT(triangles.side_sets, ElementsAre(Key("curve6"), Key("left edge")));
  EXPECT_THAT(triangles.side_sets.at("left edge"), ElementsAre(Side{1, 2}));
  EXPECT_THAT(triangles.side_sets.at("curve6"), ElementsAre(Side{2, 1}));
  EXPECT_THAT(data.node_sets, ElementsAre(Key("corner"), Key("curve6"), Key("left edge")));
  EXPECT_THAT(data.node_sets.at("corner"), ElementsAre(3));
  EXPECT_THAT(data.node_sets.at("curve6"), ElementsAre(2, 3));
  EXPECT_THAT(data.node_sets.at("left edge"), ElementsAre(0, 5));
  EXPECT_EQ(data.material_names.at(7), "part");
  EXPECT_EQ(data.material_names.at(8), "surface8");
}

TEST(GmshReader, Version2WithAnElementInTwoGroups) {
  const test::TemporaryFolder folder;
  const MeshData data = read_gmsh(folder.write("plate.msh", plate22));
  expect_plate(data);
  const CellBlock& triangles = *data.find({Shape::triangle, 1});
  EXPECT_THAT(triangles.cell_sets.at("part"), ElementsAre(CellRange{0, 2}));
  EXPECT_THAT(triangles.cell_sets.at("other"), ElementsAre(CellRange{0, 1}));
  EXPECT_THAT(triangles.cell_sets.at("surface8"), ElementsAre(CellRange{2, 2}));
}

TEST(GmshReader, Version4WithParametricNodesAndReversedGroups) {
  const test::TemporaryFolder folder;
  const MeshData data = read_gmsh(folder.write("plate.msh", plate41));
  expect_plate(data);
  const CellBlock& triangles = *data.find({Shape::triangle, 1});
  EXPECT_THAT(triangles.cell_sets.at("part"), ElementsAre(CellRange{0, 2}));
  EXPECT_THAT(triangles.cell_sets.at("other"), ElementsAre(CellRange{0, 2}));
  EXPECT_THAT(triangles.cell_sets.at("surface8"), ElementsAre(CellRange{2, 2}));
}

TEST(GmshReader, OtherSectionsAreSkipped) {
  const test::TemporaryFolder folder;
  const std::string comment = "$Comments\n$Nodes 17\n$EndComments\n";
  expect_plate(read_gmsh(folder.write("a.msh", comment.substr(0, 0) + plate41 + comment)));
  std::string text = plate22;
  text.insert(text.find("$Nodes"), comment);
  expect_plate(read_gmsh(folder.write("b.msh", text)));
}

/// A value's bytes, in this machine's order or in the other one.
template <class T>
std::string bytes(T value, bool swapped) {
  auto array = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (swapped) std::reverse(array.begin(), array.end());
  return {array.begin(), array.end()};
}

/// One tetrahedron in version 4.1, binary.
std::string binary_tetrahedron(bool swapped) {
  const auto i = [&](std::int32_t v) { return bytes(v, swapped); };
  const auto s = [&](std::uint64_t v) { return bytes(v, swapped); };
  const auto d = [&](double v) { return bytes(v, swapped); };
  std::string text = "$MeshFormat\n4.1 1 8\n" + i(1) + "\n$EndMeshFormat\n";
  text += "$Entities\n" + s(0) + s(0) + s(0) + s(1) + i(3);
  for (int k = 0; k < 6; ++k) text += d(k);
  text += s(1) + i(12) + s(2) + i(1) + i(2) + "\n$EndEntities\n";
  text += "$Nodes\n" + s(1) + s(4) + s(1) + s(4) + i(3) + i(3) + i(0) + s(4) + s(1) + s(2) + s(3) + s(4);
  for (const double x : {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.5}) text += d(x);
  text += "\n$EndNodes\n$Elements\n" + s(1) + s(1) + s(1) + s(1) + i(3) + i(3) + i(4) + s(1) + s(7) + s(1) +
          s(2) + s(3) + s(4) + "\n$EndElements\n";
  return text;
}

TEST(GmshReader, BinaryOfEitherByteOrder) {
  const test::TemporaryFolder folder;
  for (const bool swapped : {false, true}) {
    const MeshData data = read_gmsh(folder.write("a.msh", binary_tetrahedron(swapped)));
    EXPECT_THAT(data.points, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5));
    const CellBlock& block = *data.find({Shape::tetrahedron, 1});
    EXPECT_THAT(block.nodes, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(block.material, ElementsAre(12));
    EXPECT_EQ(block.ids.id(0), 7);
  }
}

/// Expects that a file's text, after one replacement, is refused with a message that ends so.
void expect_refused(const std::string& text, const std::string& from, const std::string& to,
                    const std::string& message) {
  const test::TemporaryFolder folder;
  std::string changed = text;
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  changed.replace(at, from.size(), to);
  const std::string path = folder.write("bad.msh", changed);
  EXPECT_THAT([&] { read_gmsh(path); }, ThrowsMessage<FileError>(path + message));
}

TEST(GmshReader, BadFilesAreRefusedWithFileAndLine) {
  expect_refused(plate22, "$MeshFormat", "MeshFormat",
                 ":1: not a Gmsh file: it does not begin with $MeshFormat");
  expect_refused(
      plate22, "2.2 0 8", "5 0 8",
      ":2: Gmsh format '5' is not supported; read are 1 to 2.2, 3, 4.0 and 4.1 (gmsh -format msh41 -save)");
  expect_refused(plate22, "2.2 0 8", "4 1 8",
                 ":2: Gmsh format 4.0 in binary is not supported (gmsh -format msh41 -save)");
  expect_refused(plate22, "$MeshFormat", "$NOD",
                 ":2: expected the number of nodes, an integer, but found '2.2'");
  expect_refused(plate22, "$MeshFormat", "$Nodes\n0\n$EndNodes\n$MeshFormat",
                 ":1: not a Gmsh file: it does not begin with $MeshFormat");
  expect_refused(plate22, "$MeshFormat", "$Comments\n$MeshFormat",
                 ":1: the file ends inside section $Comments");
  expect_refused(plate22, "2.2 0 8", "2.2 7 8", ":2: expected 0 for text or 1 for binary, but found 7");
  expect_refused(plate22, "2.2 0 8", "2.2 0 2", ":2: numbers of 2 bytes are not supported, only of 8");
  expect_refused(plate22, "$EndMeshFormat", "$Nodes", ":3: expected $EndMeshFormat, but found '$Nodes'");
  expect_refused(plate22, "\"part\"", "\"part", ":7: expected a physical group's name, in quotes at best");
  expect_refused(plate22, "7 \"part\"", "", ":7: expected a physical group's name, in quotes at best");
  expect_refused(plate22, "2 7 \"part\"", "part",
                 ":7: expected a physical group's dimension, an integer, but found 'part'");
  expect_refused(plate22, "2 7 \"part\"", "4 7 \"part\"",
                 ":7: expected a physical group's dimension, 0 to 3, but found 4");
  expect_refused(plate22, "20 2 0 0", "20 2 nan 0",
                 ":15: expected a node's y coordinate, a finite number, but found 'nan'");
  expect_refused(plate22, "20 2 0 0", "20 2 0", ":15: the line ends where a node's coordinate was expected");
  expect_refused(plate22, "20 2 0 0", "-20 2 0 0", ":15: expected a node number, at least 0, but found -20");
  expect_refused(plate22, "20 2 0 0", "3 2 0 0", ":18: node 3 is defined twice");
  expect_refused(plate22, "$Nodes\n6", "$Nodes\n9",
                 ":19: expected a node number, an integer, but found '$EndNodes'");
  expect_refused(plate22, "$Nodes\n6", "$Nodes\n-6",
                 ":12: expected the number of nodes, at least 0, but found -6");
  expect_refused(plate22, "$Nodes\n6", "$Nodes\n4000000000",
                 ":12: 4000000000 nodes are more than the 2147483647 that 32-bit numbers can count");
  expect_refused(plate22, "$Nodes\n6", "$Nodes\n2000000000",
                 ":12: the file promises 2000000000 nodes but has only 225 bytes left");
  expect_refused(plate22, "$Elements\n8", "$Elements\n2000000000",
                 ":21: the file promises 2000000000 elements but has only 151 bytes left");
  expect_refused(plate22, "20 2 0 0", "20 2 0 0 7", ":15: the line has more values than expected");
  expect_refused(plate22, "8 2 3 8 2 0 3 21 22", "8 2 3 8 2 0 3 21",
                 ":30: expected a node number, an integer, but found '$EndElements'");
  expect_refused(plate22, "7 2 2 8 2 3 20 21", "7 2 2 8 2 3 20",
                 ":28: the line ends where an element's node was expected");
  expect_refused(plate22, "$Elements\n8", "$Elements\n7", ":29: expected $EndElements, but found '8'");
  expect_refused(plate22, "8 2 3 8 2 0 3 21 22", "8 2 3 8 2 0 3 21 99",
                 ":29: element 8 has node 99, which the file does not define");
  expect_refused(
      plate22, "8 2 3 8", "8 14 3 8",
      ":29: elements of Gmsh's type 14 (14-node pyramid) are not supported; read are points, lines "
      "and triangles to "
      "order 5, tetrahedra to order 3, quadrangles, hexahedra and prisms to order 2, and pyramids of 5 and "
      "13 "
      "nodes");
  expect_refused(plate22, "8 2 3 8 2", "8 2 -3 8 2",
                 ":29: expected an element's number of tags, at least 0, but found -3");
  expect_refused(plate22, "$EndElements", "", ":31: expected $EndElements, but found the end of the file");
  expect_refused(plate22, "$PhysicalNames", "$Names", ":4: the file ends inside section $Names");
  expect_refused(
      plate22, "$PhysicalNames", "$NodesWithPhysicalTags\n",
      ":4: section $NodesWithPhysicalTags is not supported (gmsh -setnumber Mesh.SaveParametric 0)");
  expect_refused(plate22, plate22.substr(plate22.find("$Nodes")), "", ":11: the file has no $Nodes section");
  expect_refused(plate22, plate22.substr(plate22.find("$Elements")), "",
                 ":20: the file has no $Elements section");
  expect_refused(plate22, "$Elements\n8", "$Nodes\n0\n$EndNodes", ":20: a second $Nodes section");

  expect_refused(plate41, "2 1 0 3\n10", "5 1 0 3\n10",
                 ":21: expected an entity's dimension, 0 to 3, but found 5");
  expect_refused(plate41, "2 1 0 3\n10", "2 1 3 3\n10",
                 ":21: expected 0 or 1 for parametric nodes, but found 3");
  expect_refused(plate41, "2 1 0 3\n10", "2 1 0 9\n10", ":21: a block of 9 nodes where 6 are left");
  expect_refused(plate41, "2 6 3 22", "1 6 3 22", ":27: the file promises 6 nodes, but its blocks hold 3");
  expect_refused(plate41, "1 1 0 0.5 0.5", "1 1 0 0.5",
                 ":33: the line ends where a node's coordinate was expected");
  expect_refused(plate41, "4 10 3 22", "4 10 3 22 5", ":45: the line has more values than expected");
  expect_refused(plate41, "2 1 2 2", "1 1 2 2", ":44: tri1 elements on an entity of dimension 1");
  expect_refused(plate41, "2 1 2 2", "2 1 2 5", ":44: a block of 5 elements where 4 are left");
  expect_refused(plate41, "6 10 22 5", "4 10 22 5", ": element 4 is defined twice");
  expect_refused(plate41, "8 3 21 22", "4 10 3 22", ": element 4 is defined twice");
  expect_refused(plate22, "8 2 3 8 2 0 3 21 22", "4 2 3 8 2 0 3 21 22", ": element 4 is defined twice");
  expect_refused(plate41, "5 7 1 8", "4 7 1 8", ":46: the file promises 7 elements, but its blocks hold 5");
  expect_refused(plate41, "1 -5 2 1 -2", "99999999 -5 2 1 -2",
                 ":14: the file promises 99999999 physical groups but has only 336 bytes left");
  expect_refused(plate41, "1 5 1 1", "1 5000000000 1 1",
                 ":42: an entity's number is 5000000000, which does not fit 32 bits");
}

TEST(GmshReader, BadBinaryFilesAreRefusedWithTheByte) {
  const std::string good = binary_tetrahedron(false);
  expect_refused(good, bytes(std::int32_t{1}, false) + "\n$End", bytes(std::int32_t{2}, false) + "\n$End",
                 ":2: the byte order's mark is 2, not 1");
  expect_refused(good, bytes(1.5, false), bytes(std::nan(""), false),
                 ": expected a node's z coordinate, a finite number, but found nan (before byte 363)");
  expect_refused(good, good.substr(300), "",
                 ": the file promises 4 nodes but has only 85 bytes left (before byte 215)");
}

} // namespace io_gmsh_reader

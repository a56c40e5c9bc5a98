// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/read.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/ucd/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>
#include <vector>

namespace io_ucd_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::ThrowsMessage;

const std::string& sample = test::ucd_sample;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

constexpr CellType hex1{Shape::hexahedron, 1}, tet1{Shape::tetrahedron, 1};

TEST(UcdReader, CellsOfEveryTypeWithTheirMaterials) {
  const test::TemporaryFolder folder;
  const MeshData data = read_ucd(folder.write("a.inp", sample));
  EXPECT_EQ(data.contents(), "1 vertex, 1 line1, 1 tri1, 1 quad1, 1 tet1 and 1 hex1 cells");
  ASSERT_EQ(data.nodes(), 9);
  EXPECT_EQ(data.node_ids.id(4), 15);
  EXPECT_THAT(data.find(hex1)->nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(data.find(tet1)->nodes, ElementsAre(8, 4, 6, 5));
  EXPECT_THAT(data.find(hex1)->material, ElementsAre(7));
  EXPECT_THAT(data.find(tet1)->material, ElementsAre(8));
  EXPECT_EQ(data.find(tet1)->ids.id(0), 2);
}

TEST(UcdReader, MarkedSidesAreSets) {
  const test::TemporaryFolder folder;
  const MeshData data = read_ucd(folder.write("a.inp", sample));
  EXPECT_THAT(data.node_sets, ElementsAre(Key("marker3"), Key("marker4")));
  EXPECT_THAT(data.node_sets.at("marker3"), ElementsAre(0, 1, 2, 3, 4, 5, 8));
  EXPECT_THAT(data.node_sets.at("marker4"), ElementsAre(0, 1, 8));
  EXPECT_THAT(data.find(hex1)->side_sets.at("marker3"), ElementsAre(Side{0, 4}));
  EXPECT_THAT(data.find(tet1)->side_sets.at("marker3"), ElementsAre(Side{0, 0}));
}

TEST(UcdReader, FieldsInAnyOrderOfNodes) {
  const test::TemporaryFolder folder;
  const MeshData data = read_ucd(folder.write("a.inp", sample));
  EXPECT_THAT(find_field(data.node_fields, "density").values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  const std::vector<double>& flow = find_field(data.node_fields, "flow rate").values;
  ASSERT_EQ(flow.size(), 18u);
  EXPECT_EQ(flow[14], 0.25);
  EXPECT_EQ(flow[16], 9.5);
  EXPECT_EQ(flow[17], 9.75);
  EXPECT_THAT(find_field(data.find(tet1)->fields, "quality").values, ElementsAre(12));
  EXPECT_THAT(find_field(data.find({Shape::line, 1})->fields, "quality").values, ElementsAre(17));
  // Data of the whole model are left out.
  const std::string model = changed(sample, "9 6 3 1 0", "9 6 3 1 1") + "1 1\ntime, s\n0 3.5\n";
  EXPECT_EQ(read_ucd(folder.write("b.inp", model)).node_fields.size(), 2u);
}

/// The suffix is shared with decks; what a file begins with decides.
TEST(UcdReader, IsToldByContent) {
  const test::TemporaryFolder folder;
  const std::string quad = "4 1 0 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n1 1 quad 1 2 3 4\n";
  for (const char* name : {"a.inp", "a.ucd", "a.node"}) {
    const MeshData data = read_mesh_data(folder.write(name, quad));
    EXPECT_EQ(data.contents(), "1 quad1 cells");
    EXPECT_THAT(data.node_sets, IsEmpty());
  }
  EXPECT_EQ(read_mesh_data(folder.write("b.inp", sample)).nodes(), 9);
}

/// Programs write hexahedra and tetrahedra in VTK's order too.
TEST(UcdReader, CellsOfTheOtherOrderAreTurned) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("a.inp", changed(changed(sample, "15 16 17 18 1 2 3 4", "1 2 3 4 15 16 17 18"),
                                    "tet 30 15 16 17", "tet 30 15 17 16"));
  std::vector<std::string> turned;
  ReadOptions options;
  options.turned = [&](const std::string& text) { turned.push_back(text); };
  const MeshData data = read_ucd(path, options);
  EXPECT_EQ(turned.size(), 1u);
  EXPECT_THAT(data.find(hex1)->side_sets.at("marker3").size(), 1u);
  EXPECT_NO_THROW((void)to_mesh<Hex<1>>(Kokkos::DefaultExecutionSpace(), MeshData(data), true));
  EXPECT_NO_THROW((void)to_mesh<Tet<1>>(Kokkos::DefaultExecutionSpace(), MeshData(data), true));
  const MeshData own = read_ucd(folder.write("b.inp", sample));
  EXPECT_NO_THROW((void)to_mesh<Hex<1>>(Kokkos::DefaultExecutionSpace(), MeshData(own), true));
  EXPECT_NO_THROW((void)to_mesh<Tet<1>>(Kokkos::DefaultExecutionSpace(), MeshData(own), true));
}

/// Programs number the sides from 1 again.
TEST(UcdReader, CellsOfAnotherDimensionMayHaveTheSameNumber) {
  const test::TemporaryFolder folder;
  const std::string nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n";
  const std::string cells = "1 1 tri 1 2 3\n2 1 tri 1 3 4\n1 5 line 1 2\n";
  const MeshData data = read_ucd(folder.write("a.inp", "4 3 0 0 0\n" + nodes + cells));
  EXPECT_THAT(data.find({Shape::triangle, 1})->side_sets.at("marker5"), ElementsAre(Side{0, 0}));
  EXPECT_EQ(data.find({Shape::line, 1})->ids.id(0), 1);
  const std::string path =
      folder.write("b.inp", "4 3 0 1 0\n" + nodes + cells + "1 1\nq, m\n1 1\n2 1\n1 1\n");
  EXPECT_THAT([&] { read_ucd(path); }, ThrowsMessage<FileError>(path + ": cell 1 is defined twice"));
}

TEST(UcdReader, PrismsBeginWithTheirTop) {
  const test::TemporaryFolder folder;
  const MeshData data =
      read_ucd(folder.write("a.inp", "6 1 0 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 0 1 1\n"
                                     "1 1 prism 4 5 6 1 2 3\n"));
  EXPECT_EQ(data.contents(), "1 wedge1 cells");
  EXPECT_THAT(data.blocks.front().nodes, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_NO_THROW((void)to_mesh<Wedge<1>>(Kokkos::DefaultExecutionSpace(), MeshData(data), true));
}

TEST(UcdReader, PyramidsBeginWithTheirApex) {
  const test::TemporaryFolder folder;
  const MeshData data = read_ucd(
      folder.write("a.inp", "5 1 0 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n1 1 pyr 5 1 2 3 4\n"));
  EXPECT_EQ(data.contents(), "1 pyramid1 cells");
  EXPECT_THAT(data.blocks.front().nodes, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_NO_THROW((void)to_mesh<Pyramid<1>>(Kokkos::DefaultExecutionSpace(), MeshData(data), true));
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.inp", changed(sample, from, to));
  EXPECT_THAT([&] { read_ucd(path); }, ThrowsMessage<FileError>(HasSubstr(path + message)));
}

TEST(UcdReader, BadFilesAreRefusedWithFileAndLine) {
  expect_refused("9 6 3 1 0", "9 6 3 1", ":3: the line ends where the number of values of the model");
  expect_refused("9 6 3 1 0", "9 6 3 1 0 0", ":3: expected five numbers, but found 6");
  expect_refused("9 6 3 1 0", "9 0 3 1 0", ":3: the file has no cells");
  expect_refused("9 6 3 1 0", "900 6 3 1 0", ":3: the file promises 900 lines, but has only");
  expect_refused("9 6 3 1 0", "9 6 2 1 0",
                 ":19: the fields do not have 2 components, as the first line says");
  expect_refused("9 6 3 1 0", "9 6 300 1 0", ":19: the fields do not have 300 components");
  expect_refused("2 1 2\n", "2 1 4611686018427387904\n",
                 ":19: expected a number of components, at most 2147483647, but found 4611686018427387904");
  expect_refused("2 1 2\n", "2 1 299\n", ":19: the fields do not have 3 components");
  expect_refused("2 1. 0. 0.\n", "1 1. 0. 0.\n", ": node 1 is defined twice");
  expect_refused("2 1. 0. 0.\n", "2 1. 0.\n", ":5: the line ends where a node's coordinate was expected");
  expect_refused("2 8 tet", "1 8 tet", ": cell 1 is defined twice");
  expect_refused(
      "2 8 tet 30 15 16 17", "2 8 pyramid 30 15 16 17 1",
      ":14: cell type 'pyramid' is not supported; read are pt, line, tri, quad, tet, pyr, prism and hex");
  expect_refused("2 8 tet 30 15 16 17", "2 8 tet 30 15 16", ":14: cell 2 has 3 nodes where tet needs 4");
  expect_refused("2 8 tet 30 15 16 17", "2 8 tet 30 15 16 19",
                 ":14: cell 2 has node 19, which the file does not define");
  expect_refused("2 8 tet", "2 5000000000 tet",
                 ":14: material 5000000000 of cell 2 does not fit into 32 bits");
  expect_refused("18 8. .25 0.\n", "19 8. .25 0.\n", ":30: values on 19, which is not there");
  expect_refused("18 8. .25 0.\n", "17 8. .25 0.\n", ":30: values on 17 stand twice");
  expect_refused("18 8. .25 0.\n", "18 8. .25\n", ":30: the line ends where a value was expected");
  expect_refused("18 8. .25 0.\n", "18 8. .25 0. 1.\n",
                 ":30: the line has more values than there are components");
  expect_refused("8 18.\n", "8 18.\n9 1.\n", ":39: a line beyond those that the file promises");
  expect_refused("6 3 tri 15 16 30", "6 3 tri 1 16 30", ": group 'marker3' has 2 sides, of which 1");
}

} // namespace io_ucd_reader

// SPDX-License-Identifier: BSD-3-Clause
// Nodes and elements that a deck generates: *NGEN and *ELGEN.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>

namespace io_abaqus_generated {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::ThrowsMessage;

const std::string& deck = test::abaqus_generated_sample;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AbaqusGenerated, NodesOfLinesAndRowsOfElements) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write("a.inp", deck));
  EXPECT_EQ(data.contents(), "8 quad1 cells");
  ASSERT_EQ(data.nodes(), 15);
  const auto point = [&](std::int64_t number) {
    const double* const x = data.points.data() + 3 * data.node_ids.find(number);
    return std::vector<double>{x[0], x[1], x[2]};
  };
  EXPECT_THAT(point(3), ElementsAre(2, 0, 0));
  EXPECT_THAT(point(102), ElementsAre(1, 1, 0));
  EXPECT_THAT(point(204), ElementsAre(3, 2, 0));
  EXPECT_THAT(data.node_sets, ElementsAre(Key("EDGES"), Key("LEFT")));
  EXPECT_EQ(data.node_sets.at("EDGES").size(), 10u); // with both ends
  EXPECT_EQ(data.node_sets.at("LEFT").size(), 3u);
  const CellBlock& block = data.blocks.front();
  std::vector<std::int64_t> numbers;
  for (const Ordinal cell : {0, 1, 2, 3, 4, 5, 6, 7}) numbers.push_back(block.ids.id(cell));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 11, 12, 13, 14));
  std::vector<std::int64_t> last;
  for (int n = 0; n < 4; ++n) last.push_back(data.node_ids.id(block.nodes[28 + n]));
  EXPECT_THAT(last, ElementsAre(104, 105, 205, 204));
  EXPECT_THAT(block.formulations, ElementsAre(Key("CPS4")));
  EXPECT_EQ(size(block.formulations.at("CPS4")), 8);
  EXPECT_EQ(size(block.cell_sets.at("ALL")), 8);
  EXPECT_EQ(size(block.cell_sets.at("FIRST")), 1); // the set of *ELEMENT has the element that it names
  EXPECT_THAT(block.material, ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(AbaqusGenerated, InLayersAndInParts) {
  const test::TemporaryFolder folder;
  std::string part = "*PART, NAME=P\n*NODE\n";
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 2; ++y)
      part += std::to_string(1 + 10 * y + 100 * z) + ", 0, " + std::to_string(y) + ", " + std::to_string(z) +
              "\n" + std::to_string(3 + 10 * y + 100 * z) + ", 2, " + std::to_string(y) + ", " +
              std::to_string(z) + "\n";
  part += "*NGEN\n1, 3\n11, 13\n101, 103\n111, 113\n201, 203\n211, 213\n"
          "*ELEMENT, TYPE=C3D8\n1, 1, 2, 12, 11, 101, 102, 112, 111\n*ELGEN, ELSET=E\n1, 2, , , 1, , , 2, "
          "100, 10\n*END PART\n";
  const std::string path =
      folder.write("a.inp", part + "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=P-1, PART=P\n*END INSTANCE\n"
                                   "*INSTANCE, NAME=P-2, PART=P\n0, 0, 5\n*END INSTANCE\n*END ASSEMBLY\n");
  const MeshData data = read_abaqus(path);
  EXPECT_EQ(data.contents(), "8 hex1 cells");
  EXPECT_EQ(data.nodes(), 36);
  const CellBlock& block = data.blocks.front();
  EXPECT_EQ(size(block.cell_sets.at("P-2.E")), 4);
  EXPECT_EQ(block.ids.name(7), "P-2.12");
  const auto corner = static_cast<std::size_t>(block.nodes[7 * 8 + 6]);
  EXPECT_EQ(data.node_ids.name(block.nodes[7 * 8 + 6]), "P-2.213");
  EXPECT_EQ(data.points[3 * corner], 2.0);
  EXPECT_EQ(data.points[3 * corner + 2], 7.0);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.inp", changed(deck, from, to));
  EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(path + message));
}

TEST(AbaqusGenerated, BadGenerationsAreRefused) {
  expect_refused("*NGEN, NSET=EDGES", "*NGEN, LINE=C",
                 ":7: *NGEN with LINE=C is not supported; read are straight lines");
  expect_refused("1, 5\n", "1, 6\n", ":8: there is no node 6 above this line");
  expect_refused("1, 5\n", "5, 1\n", ":8: numbers from 5 do not come to 1 in steps of 1");
  expect_refused("1, 201, 100\n", "1, 201, 99\n", ":11: numbers from 1 do not come to 201 in steps of 99");
  expect_refused("1, 201, 100\n", "1, 201, 0\n",
                 ":11: expected the step between two nodes' numbers from 1 to 999999999, but found 0");
  expect_refused("1, 201, 100\n", "1, 201, 100, 7\n",
                 ":11: *NGEN takes 3 fields a line here, but the line goes on with '7'; is a keyword "
                 "missing?");
  expect_refused("*NGEN, NSET=EDGES\n1, 5\n", "2000000000\n*NGEN\n1, 2000000000\n",
                 ":9: the deck generates more than 10000000 nodes; is a number wrong?");
  expect_refused("201, 205\n", "201, 205\n1, 3\n", ": node 2 is defined twice");
  expect_refused("1, 4, 1, 1, 2, 100, 10\n", "9, 4, 1, 1, 2, 100, 10\n", ":17: there is no element 9");
  expect_refused("1, 4, 1, 1, 2, 100, 10\n", "1, 5, 1, 1, 2, 100, 10\n",
                 ":17: element 5 would need node 6, which the deck does not define");
  expect_refused("1, 4, 1, 1, 2, 100, 10\n", "1, 4, 1, 1, 9, 100, 10\n",
                 ":17: more elements are generated than the deck has nodes, 15");
  expect_refused("1, 4, 1, 1, 2, 100, 10\n", "1, 4, 1, 1, 2, 100, 3\n", ": element 4 is defined twice");
  expect_refused("1, 4, 1, 1, 2, 100, 10\n", "1, 4, -1, 1, 2, 100, 10\n",
                 ":17: expected the step between nodes' numbers from 1 to 999999999, but found -1");
}

} // namespace io_abaqus_generated

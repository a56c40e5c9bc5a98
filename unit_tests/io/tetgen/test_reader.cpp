// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/tetgen/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_tetgen_reader {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// A box with a plate inside, two regions with attributes 3 and 5, and a marker for each facet.
const std::string box = R"(# box with two halves
12 3 0 1
0 0 0 0 1
1 2 0 0 1
2 2 1 0 1
3 0 1 0 1
4 0 0 1 2
5 2 0 1 2
6 2 1 1 2
7 0 1 1 2
8 1 0 0 0
9 1 1 0 0
10 1 1 1 0
11 1 0 1 0
11 1
1 0 10
4 0 8 9 3
1 0 10
4 8 1 2 9
1 0 11
4 4 11 10 7
1 0 11
4 11 5 6 10
1 0 12
4 0 8 11 4
1 0 12
4 8 1 5 11
1 0 13
4 9 3 7 10
1 0 13
4 2 9 10 6
1 0 14
4 0 3 7 4
1 0 15
4 1 2 6 5
1 0 16
4 8 9 10 11
0
2
1 0.5 0.5 0.5 3 -1
2 1.5 0.5 0.5 5 -1
)";

/// The numbers of a file's lines, without comments and empty lines.
std::vector<std::vector<double>> lines_of(const std::string& path) {
  std::vector<std::vector<double>> lines;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<double> numbers;
    for (double number = 0.0; words >> number;) numbers.push_back(number);
    if (!numbers.empty()) lines.push_back(numbers);
  }
  return lines;
}

double volume(const MeshData& data, const Ordinal* nodes) {
  std::array<std::array<double, 3>, 3> edge{};
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t d = 0; d < 3; ++d)
      edge[e][d] = data.points[3 * static_cast<std::size_t>(nodes[e + 1]) + d] -
                   data.points[3 * static_cast<std::size_t>(nodes[0]) + d];
  return (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
          edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
          edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
         6;
}

TEST(TetgenReader, MeshesThatTetGenWrites) {
  if (!test::has_program("tetgen")) GTEST_SKIP() << "tetgen is not installed";
  // From 0 and from 1, with quality, and with the faces in a file or without.
  for (const char* options : {"-pAzq1.4a0.05", "-pAq1.4a0.01", "-pAz"}) {
    SCOPED_TRACE(options);
    const test::TemporaryFolder folder;
    folder.write("box.poly", box);
    ASSERT_EQ(test::run_in(folder, std::string("tetgen ") + options + " box.poly"), 0)
        << test::read_file(folder / "log");
    const MeshData data = read_tetgen(folder / "box.1.ele");
    const auto nodes = lines_of(folder / "box.1.node");
    const auto tetrahedra = lines_of(folder / "box.1.ele");
    const auto faces = lines_of(folder / "box.1.face");

    ASSERT_EQ(static_cast<double>(data.nodes()), nodes[0][0]);
    const CellBlock& block = *data.find({Shape::tetrahedron, 1});
    ASSERT_EQ(static_cast<double>(block.cells()), tetrahedra[0][0]);
    double total = 0.0, left = 0.0;
    for (Ordinal cell = 0; cell < block.cells(); ++cell) {
      const std::vector<double>& line = tetrahedra[static_cast<std::size_t>(cell) + 1];
      const Ordinal* own = &block.nodes[4 * static_cast<std::size_t>(cell)];
      for (std::size_t n = 0; n < 4; ++n)
        ASSERT_EQ(static_cast<double>(data.node_ids.id(own[n])), line[n + 1]);
      ASSERT_EQ(static_cast<double>(block.material[static_cast<std::size_t>(cell)]), line[5]);
      ASSERT_GT(volume(data, own), 0.0);
      total += volume(data, own);
      if (line[5] == 3) left += volume(data, own);
    }
    EXPECT_NEAR(total, 2.0, 1e-12);
    EXPECT_NEAR(left, 1.0, 1e-12);

    std::map<double, std::size_t> faces_with;
    for (std::size_t i = 1; i < faces.size(); ++i) ++faces_with[faces[i].at(4)];
    for (const int marker : {10, 11, 12, 13, 14, 15, 16})
      EXPECT_EQ(block.side_sets.at("marker" + std::to_string(marker)).size(), faces_with.at(marker))
          << marker;
    const std::vector<Ordinal>& end = data.node_sets.at("marker15");
    EXPECT_GE(end.size(), 4u);
    for (const Ordinal node : end) EXPECT_EQ(data.points[3 * static_cast<std::size_t>(node)], 2.0);
    for (const Side& side : block.side_sets.at("marker14"))
      for (const int corner : block.type.side_corners(side.side)) {
        const Ordinal node =
            block.nodes[4 * static_cast<std::size_t>(side.cell) + static_cast<std::size_t>(corner)];
        EXPECT_EQ(data.points[3 * static_cast<std::size_t>(node)], 0.0);
      }
  }
}

const std::string nodes10 = R"(10 3 0 0
1 0 0 0
2 2 0 0
3 0 2 0
4 0 0 2
5 0 1 1  # (2,3)
6 0 0 1  # (0,3)
7 1 0 0  # (0,1)
8 1 1 0  # (1,2)
9 1 0 1  # (1,3)
10 0 1 0 # (0,2)
)";

TEST(TetgenReader, NodesOnEdges) {
  // The order of TetGen's -o2: edges (2,3), (0,3), (0,1), (1,2), (1,3), (0,2).
  const test::TemporaryFolder folder;
  folder.write("a.node", nodes10);
  folder.write("a.ele", "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n");
  folder.write("a.face", "2 1\n1 1 2 4 9 6 7 -7\n2 1 2 3 8 10 7 0\n");
  const MeshData data = read_tetgen(folder / "a.node");
  const CellBlock& block = *data.find({Shape::tetrahedron, 2});
  constexpr int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (std::size_t e = 0; e < 6; ++e)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto x = [&](std::size_t n) {
        return data.points[3 * static_cast<std::size_t>(block.nodes[n]) + d];
      };
      EXPECT_EQ(x(4 + e),
                (x(static_cast<std::size_t>(edges[e][0])) + x(static_cast<std::size_t>(edges[e][1]))) / 2)
          << "edge " << e;
    }
  EXPECT_THAT(block.material, ElementsAre(0));
  EXPECT_THAT(block.side_sets, ElementsAre(Key("marker-7")));
  EXPECT_THAT(block.side_sets.at("marker-7"), ElementsAre(Side{0, 0}));
  EXPECT_THAT(data.node_sets.at("marker-7"), ElementsAre(0, 1, 3, 5, 6, 8));
}

TEST(TetgenReader, NodesOnEdgesFromTetGenItself) {
  if (!test::has_program("tetgen")) GTEST_SKIP() << "tetgen is not installed";
  const test::TemporaryFolder folder;
  folder.write("box.poly", box);
  // Debian's TetGen 1.6 may end abnormally with -o2, or write numbers from uninitialised memory for one
  // tetrahedron.
  if (test::run_in(folder, "tetgen -pAfo2q1.4a0.05 box.poly") != 0)
    GTEST_SKIP() << "this TetGen ends abnormally with -o2";
  auto lines = lines_of(folder / "box.1.ele");
  const double nodes = lines_of(folder / "box.1.node")[0][0];
  std::ostringstream text;
  std::size_t kept = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    bool whole = true;
    for (std::size_t n = 1; n <= 10; ++n) whole = whole && lines[i][n] >= 1 && lines[i][n] <= nodes;
    if (!whole) continue;
    for (const double number : lines[i]) text << static_cast<long>(number) << ' ';
    text << '\n';
    ++kept;
  }
  if (kept + 1 < lines.size()) {
    EXPECT_THAT([&] { read_tetgen(folder / "box.1.ele"); },
                ThrowsMessage<FileError>(StartsWith(folder / "box.1.ele")));
  }
  std::filesystem::remove(folder / "box.1.face");
  folder.write("box.1.ele", std::to_string(kept) + " 10 1\n" + text.str());
  const MeshData data = read_tetgen(folder / "box.1.ele");
  const CellBlock& block = *data.find({Shape::tetrahedron, 2});
  ASSERT_GT(block.cells(), 10);
  constexpr std::size_t edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(block.cells()); ++cell)
    for (std::size_t e = 0; e < 6; ++e)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto x = [&](std::size_t n) {
          return data.points[3 * static_cast<std::size_t>(block.nodes[10 * cell + n]) + d];
        };
        ASSERT_NEAR(x(4 + e), (x(edges[e][0]) + x(edges[e][1])) / 2, 1e-12)
            << "cell " << cell << " edge " << e;
      }
}

struct Pair {
  std::string nodes = "4 3 1 1\n1 0 0 0 0.5 7\n2 1 0 0 0.5 0\n3 0 1 0 0.5 7\n4 0 0 1 0.5 8\n";
  std::string tetrahedra = "1 4 1\n1 1 2 3 4 6\n";
  std::string faces = {};
};

MeshData read(const Pair& pair, const test::TemporaryFolder& folder) {
  folder.write("a.node", pair.nodes);
  folder.write("a.ele", pair.tetrahedra);
  if (!pair.faces.empty()) folder.write("a.face", pair.faces);
  return read_tetgen(folder / "a.ele");
}

TEST(TetgenReader, MarkersAndAttributes) {
  const test::TemporaryFolder folder;
  const MeshData data = read({}, folder);
  EXPECT_THAT(data.node_sets, ElementsAre(Key("marker7"), Key("marker8")));
  EXPECT_THAT(data.node_sets.at("marker7"), ElementsAre(0, 2));
  EXPECT_THAT(data.blocks.at(0).material, ElementsAre(6));
  EXPECT_THAT(data.blocks.at(0).side_sets, IsEmpty());
}

void expect_refused(const Pair& pair, const std::string& file, const std::string& message) {
  const test::TemporaryFolder folder;
  EXPECT_THAT([&] { read(pair, folder); }, ThrowsMessage<FileError>(folder / file + message));
}

TEST(TetgenReader, BadFilesAreRefusedWithFileAndLine) {
  const std::string nodes = Pair().nodes;
  const auto with_nodes = [&](const std::string& from, const std::string& to) {
    Pair pair;
    pair.nodes.replace(nodes.find(from), from.size(), to);
    return pair;
  };
  expect_refused(with_nodes("4 3 1 1", "4 1 1 1"), "a.node",
                 ":1: expected the dimension, 2 or 3, but found 1");
  expect_refused(with_nodes("4 3 1 1", "4 3 1 2"), "a.node",
                 ":1: expected the number of boundary markers, 0 or 1, but found 2");
  expect_refused(with_nodes("4 3 1 1", "4"), "a.node", ":1: the line ends where the dimension was expected");
  expect_refused(with_nodes("4 3 1 1", "5 3 1 1"), "a.node", ":5: the file ends where a node was expected");
  expect_refused(with_nodes("4 3 1 1", "3 3 1 1"), "a.node",
                 ":5: a line beyond those that the file promises");
  expect_refused(
      {.tetrahedra = "1 4 0\n1 1 2 3  4"}, "a.ele",
      ":2: the file ends in the middle of a line: it may be cut short; if it is not, end the line");
  expect_refused(with_nodes("4 3 1 1", "-4 3 1 1"), "a.node",
                 ":1: expected the number of nodes, at least 0, but found -4");
  expect_refused(with_nodes("4 3 1 1", "900000000 3 1 1"), "a.node",
                 ":1: the file promises 900000000 lines, but has only 56 bytes left");
  expect_refused(with_nodes("2 1 0 0 0.5 0", "2 1 0 inf 0.5 0"), "a.node",
                 ":3: expected a node's z coordinate, a finite number, but found 'inf'");
  expect_refused(with_nodes("2 1 0 0 0.5 0", "2 1 0 0 0.5"), "a.node",
                 ":3: the line ends where a node's boundary marker was expected");
  expect_refused(with_nodes("2 1 0 0 0.5 0", "1 1 0 0 0.5 0"), "a.node", ": node 1 is defined twice");
  expect_refused({.tetrahedra = "1 5 0\n1 1 2 3 4\n"}, "a.ele",
                 ":1: expected the number of nodes of a tetrahedron, 4 or 10, but found 5");
  expect_refused({.tetrahedra = "1 4 0\n1 1 2 3 5\n"}, "a.ele",
                 ":2: tetrahedron 1 has node 5, which the .node file does not define");
  expect_refused({.tetrahedra = "1 4 0\n1 1 2 3 -5\n"}, "a.ele",
                 ":2: tetrahedron 1 has node -5, which the .node file does not define");
  expect_refused({.tetrahedra = "1 4 1\n1 1 2 3 4 2.5\n"}, "a.ele",
                 ":2: expected a tetrahedron's attribute, an integer for its material, but found 2.5");
  expect_refused({.tetrahedra = "1 4 1\n1 1 2 3 4\n"}, "a.ele",
                 ":2: the line ends where a tetrahedron's attribute was expected");
  expect_refused({.tetrahedra = "# nothing\n"}, "a.ele",
                 ":1: the file ends where the number of tetrahedra was expected");
  expect_refused({.faces = "1 1\n1 1 2 9 4\n"}, "a.face",
                 ":2: face 1 has node 9, which the .node file does not define");
  expect_refused({.faces = "1 1\n1 1 2 2 4\n"}, "a.face",
                 ": 1 faces with marker 4 are faces of no tetrahedron");
  const test::TemporaryFolder folder;
  folder.write("b.ele", "0 4 0\n");
  EXPECT_THAT([&] { read_tetgen(folder / "b.ele"); },
              ThrowsMessage<FileError>(folder / "b.node" + ": cannot be opened: No such file or directory"));
}

} // namespace io_tetgen_reader

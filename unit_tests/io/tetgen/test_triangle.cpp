// SPDX-License-Identifier: BSD-3-Clause
// Triangle's meshes of two dimensions.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/tetgen/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>

namespace io_tetgen_triangle {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

/// A rectangle of 2 x 1 with a node in the middle of its first triangle's edges, whose node 4 lies opposite
/// to node 0.
const std::string nodes = R"(# from 0, with an attribute and markers
9 2 1 1
0 0 0 0.5 1
1 2 0 0.5 1
2 2 1 0.5 0
3 0 1 0.5 0
4 2 0.5 0.5 0
5 1 0.5 0.5 0
6 1 0 0.5 1
7 1 1 0.5 0
8 0 0.5 0.5 0
)";
const std::string linear = "2 3 1\n0 0 1 2 7\n1 0 2 3 8\n";
const std::string quadratic = "2 6 0\n0 0 1 2 4 5 6\n1 0 2 3 7 8 5\n";
const std::string edges = "3 1\n0 0 1 4\n1 1 2 0\n2 2 3 -5\n";

/// Lengths of a side set: the integral of the outward normal along y.
template <class Element>
double upwards(const Mesh<Element>& mesh, const std::string& set) {
  const auto normal =
      test::on_host(side_points(Kokkos::DefaultExecutionSpace(), mesh, mesh.side_set(set)).normal);
  double sum = 0;
  for (std::size_t s = 0; s < normal.extent(0); ++s)
    for (std::size_t q = 0; q < normal.extent(1); ++q) sum += normal(s, q, 1);
  return sum;
}

TEST(Triangle, NodesTrianglesMarkersAndEdges) {
  const test::TemporaryFolder folder;
  folder.write("a.node", nodes);
  folder.write("a.ele", linear);
  folder.write("a.edge", edges);
  const MeshData data = read_mesh_data(folder / "a.node");
  EXPECT_EQ(data.contents(), "2 tri1 cells");
  EXPECT_THAT(data.blocks.at(0).nodes, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_THAT(data.blocks.at(0).material, ElementsAre(7, 8));
  EXPECT_THAT(data.node_sets.at("marker1"), ElementsAre(0, 1, 6));
  EXPECT_THAT(data.node_sets.at("marker-5"), ElementsAre(2, 3));
  const auto mesh = to_mesh<Tri<1>>(data);
  EXPECT_NEAR(upwards(mesh, "marker4"), -2.0, 1e-15);
  EXPECT_NEAR(upwards(mesh, "marker-5"), 2.0, 1e-15);
  EXPECT_THAT(files_of_mesh(folder / "a.ele"), ::testing::Contains(folder / "a.edge"));
}

TEST(Triangle, NodesOnEdgesLieOppositeToTheCorners) {
  const test::TemporaryFolder folder;
  folder.write("a.node", nodes);
  folder.write("a.ele", quadratic);
  folder.write("a.edge", edges);
  const MeshData data = read_tetgen(folder / "a.ele");
  ASSERT_EQ(data.contents(), "2 tri2 cells");
  const std::vector<Ordinal>& cells = data.blocks.at(0).nodes;
  for (std::size_t cell = 0; cell < 2; ++cell)
    for (std::size_t edge = 0; edge < 3; ++edge)
      for (std::size_t d = 0; d < 2; ++d) {
        const auto x = [&](std::size_t n) {
          return data.points[3 * static_cast<std::size_t>(cells[6 * cell + n]) + d];
        };
        EXPECT_EQ(x(3 + edge), 0.5 * (x(edge) + x((edge + 1) % 3))) << cell << ' ' << edge;
      }
  EXPECT_NEAR(upwards(read_mesh<Tri<2>>(folder / "a.ele"), "marker4"), -2.0, 1e-15);
}

TEST(Triangle, BadFilesAreRefused) {
  const test::TemporaryFolder folder;
  folder.write("a.node", nodes);
  const std::string path = folder.write("a.ele", "1 4 0\n0 0 1 2 3\n");
  EXPECT_THAT(
      [&] { read_tetgen(path); },
      ThrowsMessage<FileError>(path + ":1: expected the number of nodes of a triangle, 3 or 6, but found 4"));
  folder.write("a.ele", linear);
  const std::string side = folder.write("a.edge", "1 1\n0 1 3 4\n");
  EXPECT_THAT([&] { read_tetgen(path); },
              ThrowsMessage<FileError>(side + ": 1 edges with marker 4 are edges of no triangle"));
}

} // namespace io_tetgen_triangle

// SPDX-License-Identifier: BSD-3-Clause
// The project's own geometries, meshed by Gmsh: what examples/geometries/README.md says of them.

#include <tessera/io/gmsh/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_generate_geometries {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;

/// Times each side of the cells occurs, by its sorted corners.
std::map<std::vector<Ordinal>, int> sides_of(const CellBlock& block) {
  std::map<std::vector<Ordinal>, int> count;
  for (Ordinal cell = 0; cell < block.cells(); ++cell)
    for (int side = 0; side < block.type.sides(); ++side) {
      std::vector<Ordinal> corners;
      for (const int corner : block.type.side_corners(side))
        corners.push_back(block.nodes[static_cast<std::size_t>(cell) * block.type.nodes() + corner]);
      std::sort(corners.begin(), corners.end());
      ++count[corners];
    }
  return count;
}

/// Sides that belong to one cell alone.
std::size_t boundary_sides(const CellBlock& block) {
  const auto sides = sides_of(block);
  return static_cast<std::size_t>(
      std::count_if(sides.begin(), sides.end(), [](const auto& side) { return side.second == 1; }));
}

/// Holes of a connected plane mesh, by Euler's formula.
std::int64_t holes(const MeshData& data, const CellBlock& block) {
  return 1 - (data.nodes() - static_cast<std::int64_t>(sides_of(block).size()) + block.cells());
}

template <class Map>
std::vector<std::string> keys(const Map& map) {
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

/// Least and largest coordinate of a node set along an axis.
std::array<double, 2> extent(const MeshData& data, const std::string& set, std::size_t axis) {
  std::array<double, 2> range{INFINITY, -INFINITY};
  for (const Ordinal node : data.node_sets.at(set)) {
    const double x = data.points[3 * static_cast<std::size_t>(node) + axis];
    range = {std::min(range[0], x), std::max(range[1], x)};
  }
  return range;
}

double volume(const MeshData& data, const Ordinal* nodes) {
  double edge[3][3];
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t d = 0; d < 3; ++d)
      edge[e][d] = data.points[3 * static_cast<std::size_t>(nodes[e + 1]) + d] -
                   data.points[3 * static_cast<std::size_t>(nodes[0]) + d];
  return (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
          edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
          edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
         6;
}

class Geometries : public ::testing::Test {
protected:
  void SetUp() override {
    if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  }

  /// Meshes a geometry with its README's command and reads the mesh's only cells of the highest dimension.
  MeshData mesh(const std::string& name, const std::string& size, CellType type) const {
    const std::string geometry = std::string(TESSERA_SOURCE_DIR) + "/examples/geometries/" + name + ".geo";
    const std::string dimension = name == "paper5_plate" ? "-save" : "-" + std::to_string(type.dimension());
    const std::string output = folder_ / (name + ".msh");
    EXPECT_EQ(test::run_in(folder_, "gmsh " + dimension + " -bin -setnumber size " + size + " '" + geometry +
                                        "' -o '" + output + "'"),
              0)
        << test::read_file(folder_ / "log");
    MeshData data = read_gmsh(output);
    EXPECT_EQ(single_type(data).name(), type.name());
    return select(std::move(data), type);
  }

private:
  test::TemporaryFolder folder_;
};

constexpr CellType triangle{Shape::triangle, 1}, quadrilateral{Shape::quadrilateral, 1},
    tetrahedron{Shape::tetrahedron, 1};

TEST_F(Geometries, Paper1PlateHasTheTablesTriangles) {
  constexpr std::pair<const char*, int> sizes[] = {{"0.1007", 292}, {"0.04531", 1168}, {"0.02145", 4672}};
  for (const auto& [size, triangles] : sizes) {
    const MeshData data = mesh("paper1_plate", size, triangle);
    const CellBlock& block = data.blocks.front();
    EXPECT_NEAR(block.cells(), triangles, 0.02 * triangles);
    EXPECT_EQ(holes(data, block), 5);
    EXPECT_THAT(keys(block.side_sets), ElementsAre("Gamma_g1", "Gamma_g2"));
    EXPECT_THAT(extent(data, "Gamma_g1", 0), ElementsAre(0.0, 0.0));
    EXPECT_THAT(extent(data, "Gamma_g2", 0), ElementsAre(1.0, 1.0));
    EXPECT_THAT(extent(data, "Gamma_g1", 1), ElementsAre(0.0, 1.0));
  }
}

TEST_F(Geometries, Paper4IrregularIsACube) {
  const MeshData data = mesh("paper4_irregular", "0.6", tetrahedron);
  const CellBlock& block = data.blocks.front();
  EXPECT_EQ(block.side_sets.at("boundary").size(), boundary_sides(block));
  double sum = 0;
  for (std::size_t cell = 0; cell < block.material.size(); ++cell)
    sum += volume(data, block.nodes.data() + 4 * cell);
  EXPECT_NEAR(sum, 64, 1e-9);
}

TEST_F(Geometries, Paper4BlobsAreAFifthOfTheCube) {
  const MeshData data = mesh("paper4_blobs", "0.25", tetrahedron);
  const CellBlock& block = data.blocks.front();
  EXPECT_EQ(data.material_names, (std::map<std::int32_t, std::string>{{1, "outside"}, {2, "blobs"}}));
  EXPECT_EQ(block.side_sets.at("boundary").size(), boundary_sides(block));
  double sum[2] = {};
  for (std::size_t cell = 0; cell < block.material.size(); ++cell)
    sum[block.material[cell] - 1] += volume(data, block.nodes.data() + 4 * cell);
  EXPECT_NEAR(sum[0] + sum[1], 64, 1e-9);
  EXPECT_NEAR(sum[1] / 64, 0.2, 0.01);
}

TEST_F(Geometries, Paper4OrganIsClosed) {
  const MeshData data = mesh("paper4_organ", "0.6", tetrahedron);
  const CellBlock& block = data.blocks.front();
  const std::vector<Side>& surface = block.side_sets.at("surface");
  EXPECT_EQ(surface.size(), boundary_sides(block));
  std::map<std::set<Ordinal>, int> edges;
  for (const Side& side : surface) {
    const auto corners = block.type.side_corners(side.side);
    const auto node = [&](std::size_t corner) {
      return block
          .nodes[4 * static_cast<std::size_t>(side.cell) + static_cast<std::size_t>(corners[corner % 3])];
    };
    for (std::size_t corner = 0; corner < 3; ++corner) ++edges[{node(corner), node(corner + 1)}];
  }
  for (const auto& edge : edges) ASSERT_EQ(edge.second, 2);
  // Three closed surfaces, the outer one and two around the cavities, each like a ball's: V - E + F = 2.
  EXPECT_EQ(static_cast<std::int64_t>(data.node_sets.at("surface").size()) -
                static_cast<std::int64_t>(edges.size()) + static_cast<std::int64_t>(surface.size()),
            6);
}

TEST_F(Geometries, Paper5LShapeHasTheTablesRatio) {
  const MeshData data = mesh("paper5_lshape", "0.0125", quadrilateral); // a = 80, b = 60
  const CellBlock& block = data.blocks.front();
  EXPECT_EQ(block.cells(), 80 * 80 - 60 * 60);
  EXPECT_EQ(data.nodes(), block.cells() + 2 * 80 + 1);
  EXPECT_EQ(block.side_sets.at("clamped").size(), 20u);
  EXPECT_EQ(block.side_sets.at("loaded").size(), 20u);
  EXPECT_THAT(extent(data, "clamped", 1), ElementsAre(1.0, 1.0));
  EXPECT_THAT(extent(data, "loaded", 0), ElementsAre(1.0, 1.0));
}

TEST_F(Geometries, Paper5PlateIsSplitFromCoarseQuadrilaterals) {
  const MeshData coarse = mesh("paper5_plate", "0.02", quadrilateral);
  EXPECT_EQ(holes(coarse, coarse.blocks.front()), 5);
  EXPECT_THAT(keys(coarse.blocks.front().side_sets), ElementsAre("Gamma_g1", "Gamma_g2"));
  const MeshData data = mesh("paper5_plate", "0.004", quadrilateral);
  const CellBlock& block = data.blocks.front();
  EXPECT_EQ(block.cells() % 4, 0);
  EXPECT_EQ(holes(data, block), 5);
  // Every row of Table 3 has 66.7 for the square of the boundary's sides over the elements.
  EXPECT_NEAR(std::pow(static_cast<double>(boundary_sides(block)), 2) / block.cells(), 66.7, 0.05 * 66.7);
  // The rim of the hole in the middle is round.
  for (const Ordinal node : data.node_sets.at("Gamma_g2")) {
    const double* x = data.points.data() + 3 * static_cast<std::size_t>(node);
    ASSERT_NEAR(std::hypot(x[0] - 0.5, x[1] - 0.5), 0.108, 1e-6);
  }
  EXPECT_THAT(extent(data, "Gamma_g1", 0), ElementsAre(0.0, 1.0));
  EXPECT_THAT(extent(data, "Gamma_g1", 1), ElementsAre(0.0, 1.0));
}

} // namespace io_generate_geometries

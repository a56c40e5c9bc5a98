// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/graphs/reorder.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/boxes.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace core_graphs_reorder {

using tessera::Ordinal;
using tessera::test::expect_throw_with;
using tessera::test::RawMesh;

template <class View>
std::vector<Ordinal> to_host(const View& view) {
  std::vector<Ordinal> data(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(data.data(), data.size()), view);
  return data;
}

template <class ExecutionSpace>
void expect_permutation(const tessera::Permutation<ExecutionSpace>& permutation, std::size_t items) {
  const auto new_to_old = to_host(permutation.new_to_old), old_to_new = to_host(permutation.old_to_new);
  ASSERT_EQ(new_to_old.size(), items);
  ASSERT_EQ(old_to_new.size(), items);
  for (std::size_t number = 0; number < items; ++number) {
    ASSERT_GE(new_to_old[number], 0);
    ASSERT_LT(new_to_old[number], static_cast<Ordinal>(items));
    EXPECT_EQ(old_to_new[new_to_old[number]], static_cast<Ordinal>(number));
  }
}

/// Points of a lattice with 2^bits points on each side, in random order.
RawMesh lattice(int dimension, int bits) {
  RawMesh mesh;
  mesh.element_nodes = 1;
  mesh.dimension = static_cast<std::size_t>(dimension);
  const int side = 1 << bits;
  for (int p = 0; p < (1 << (bits * dimension)); ++p)
    for (int d = 0, rest = p; d < dimension; ++d, rest /= side)
      mesh.coordinates.push_back(3.0 + 0.1 * (rest % side));
  mesh.connectivity.resize(mesh.nodes());
  std::iota(mesh.connectivity.begin(), mesh.connectivity.end(), 0);
  return tessera::test::shuffled(mesh);
}

template <class ExecutionSpace>
class Reorder : public ::testing::Test {
public:
  struct Graph {
    std::vector<std::size_t> row_map{0};
    std::vector<Ordinal> columns;
  };

  static tessera::Permutation<ExecutionSpace> cuthill_mckee(const Graph& graph) {
    Kokkos::View<std::size_t*, ExecutionSpace> row_map("Tessera::Test::row_map", graph.row_map.size());
    Kokkos::View<Ordinal*, ExecutionSpace> columns("Tessera::Test::columns", graph.columns.size());
    Kokkos::deep_copy(row_map, Kokkos::View<const std::size_t*, Kokkos::HostSpace>(graph.row_map.data(),
                                                                                   graph.row_map.size()));
    Kokkos::deep_copy(
        columns, Kokkos::View<const Ordinal*, Kokkos::HostSpace>(graph.columns.data(), graph.columns.size()));
    return tessera::reverse_cuthill_mckee(ExecutionSpace{}, row_map, columns);
  }

  /// Neighbors on an nx × ny grid whose points are numbered by `number`.
  static Graph grid(int nx, int ny, const std::vector<Ordinal>& number) {
    std::vector<std::vector<Ordinal>> rows(static_cast<std::size_t>(nx) * ny);
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        for (const auto& [di, dj] : {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
          if (i + di >= 0 && i + di < nx && j + dj >= 0 && j + dj < ny)
            rows[number[i + nx * j]].push_back(number[i + di + nx * (j + dj)]);
    Graph graph;
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      graph.columns.insert(graph.columns.end(), row.begin(), row.end());
      graph.row_map.push_back(graph.columns.size());
    }
    return graph;
  }

  static int bandwidth(const Graph& graph, const std::vector<Ordinal>& old_to_new) {
    int width = 0;
    for (std::size_t row = 0; row + 1 < graph.row_map.size(); ++row)
      for (std::size_t k = graph.row_map[row]; k < graph.row_map[row + 1]; ++k)
        width = std::max(width, std::abs(old_to_new[row] - old_to_new[graph.columns[k]]));
    return width;
  }
};

TYPED_TEST_SUITE(Reorder, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(Reorder, HilbertCurveStepsToANeighbor) {
  for (const auto& [dimension, bits] : {std::pair{2, 1}, {2, 5}, {3, 1}, {3, 4}}) {
    const RawMesh points = lattice(dimension, bits);
    const auto order = tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>());
    expect_permutation(order, points.nodes());
    const auto new_to_old = to_host(order.new_to_old);
    for (std::size_t p = 1; p < new_to_old.size(); ++p) {
      double distance = 0;
      for (int d = 0; d < dimension; ++d)
        distance += std::abs(points.coordinates[new_to_old[p] * dimension + d] -
                             points.coordinates[new_to_old[p - 1] * dimension + d]);
      ASSERT_NEAR(distance, 0.1, 1e-12) << dimension << "D, step " << p;
    }
  }
}

TYPED_TEST(Reorder, HilbertOrderKeepsCoincidentPointsInOrder) {
  RawMesh points{.element_nodes = 1, .dimension = 3, .coordinates = {}, .connectivity = {}};
  points.coordinates.assign(3 * 1000, 7.5);
  const auto order =
      to_host(tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>()).new_to_old);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  points.coordinates[0] = 1e308; // the widest box
  points.coordinates[3] = -1e308;
  const auto wide = tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>());
  expect_permutation(wide, 1000);
  EXPECT_GT(std::abs(to_host(wide.old_to_new)[0] - to_host(wide.old_to_new)[1]), 990);
}

TYPED_TEST(Reorder, CentroidsAreTheNodesMean) {
  const RawMesh mesh = tessera::test::hexahedra(2, 1, 1);
  const auto centroids = tessera::element_centroids(TypeParam{}, mesh.device_coordinates<TypeParam>(),
                                                    mesh.device_connectivity<TypeParam>());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, centroids);
  EXPECT_NEAR(host(0, 0), 0.25, 1e-15);
  EXPECT_NEAR(host(1, 0), 0.75, 1e-15);
  EXPECT_NEAR(host(1, 2), 0.5, 1e-15);
}

TYPED_TEST(Reorder, HilbertOrderRefusesBadPoints) {
  RawMesh points = lattice(3, 1);
  points.coordinates[3 * 5 + 1] = std::numeric_limits<double>::quiet_NaN();
  expect_throw_with<tessera::MeshError>(
      [&] { tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>()); }, "point 5 has");
  points.coordinates[3 * 5 + 1] = std::numeric_limits<double>::infinity();
  expect_throw_with<tessera::MeshError>(
      [&] { tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>()); }, "not finite");
  points.dimension = 4;
  expect_throw_with<tessera::ArgumentError>(
      [&] { tessera::hilbert_order(TypeParam{}, points.device_coordinates<TypeParam>()); }, "2 or 3, got 4");
}

TYPED_TEST(Reorder, CuthillMcKeeFindsTheBandwidthOfAGrid) {
  std::vector<Ordinal> number(60 * 7);
  std::iota(number.begin(), number.end(), 0);
  std::mt19937 random(5);
  std::shuffle(number.begin(), number.end(), random);
  const auto graph = this->grid(60, 7, number);
  const auto order = this->cuthill_mckee(graph);
  expect_permutation(order, number.size());
  const auto old_to_new = to_host(order.old_to_new);
  EXPECT_LE(this->bandwidth(graph, old_to_new), 8); // 7 is the least
  EXPECT_GE(this->bandwidth(graph, old_to_new), 7);
}

TYPED_TEST(Reorder, CuthillMcKeeOrdersAPathEndToEnd) {
  // 3 - 0 - 4 - 1 - 2 with loops left out, and a vertex 5 alone.
  typename TestFixture::Graph graph;
  graph.row_map = {0, 2, 4, 5, 6, 8, 8};
  graph.columns = {3, 4, 4, 2, 1, 0, 0, 1};
  const auto order = this->cuthill_mckee(graph);
  expect_permutation(order, 6);
  EXPECT_EQ(this->bandwidth(graph, to_host(order.old_to_new)), 1);
}

TYPED_TEST(Reorder, CuthillMcKeeTakesAnyGraph) {
  expect_permutation(this->cuthill_mckee({}), 0);
  typename TestFixture::Graph one_way; // not symmetric: still a permutation
  one_way.row_map = {0, 1, 2, 2, 3};
  one_way.columns = {1, 2, 0};
  expect_permutation(this->cuthill_mckee(one_way), 4);
  one_way.columns = {1, 4, 0};
  expect_throw_with<tessera::ArgumentError>([&] { TestFixture::cuthill_mckee(one_way); },
                                            "row 1 has column 4");
  one_way.columns = {1, 2, 0};
  one_way.row_map = {0, 2, 1, 2, 3};
  expect_throw_with<tessera::ArgumentError>([&] { TestFixture::cuthill_mckee(one_way); },
                                            "increase within the columns at row 1");
}

} // namespace core_graphs_reorder

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/coloring.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/boxes.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace core_graphs_coloring {

using tessera::color_elements;
using tessera::ColoringAlgorithm;
using tessera::ColoringOptions;
using tessera::Ordinal;
using tessera::runs_on_host;
using tessera::test::RawMesh;

template <class ExecutionSpace>
std::vector<Ordinal> to_host(const Kokkos::View<Ordinal*, ExecutionSpace>& view) {
  std::vector<Ordinal> data(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(data.data(), data.size()), view);
  return data;
}

/// Checks a coloring against its definition, looking at one node after the other.
template <class ExecutionSpace>
::testing::AssertionResult is_valid(const tessera::Coloring<ExecutionSpace>& coloring, const RawMesh& mesh) {
  const auto fail = [] { return ::testing::AssertionFailure(); };
  const std::vector<Ordinal> colors = to_host(coloring.color_of_element), sorted = to_host(coloring.elements);
  if (colors.size() != mesh.elements() || sorted.size() != mesh.elements())
    return fail() << "extents " << colors.size() << ", " << sorted.size() << " for " << mesh.elements()
                  << " elements";
  if (coloring.offsets.size() != static_cast<std::size_t>(coloring.colors) + 1 ||
      coloring.offsets.front() != 0 || coloring.offsets.back() != static_cast<Ordinal>(mesh.elements()))
    return fail() << "offsets do not span the elements";
  std::vector<std::vector<Ordinal>> elements_of_node(mesh.nodes());
  for (std::size_t e = 0; e < mesh.elements(); ++e) {
    if (colors[e] < 0 || colors[e] >= coloring.colors)
      return fail() << "element " << e << " has color " << colors[e];
    for (std::size_t i = 0; i < mesh.element_nodes; ++i) elements_of_node[mesh.node(e, i)].push_back(e);
  }
  for (std::size_t n = 0; n < mesh.nodes(); ++n) {
    std::vector<Ordinal> seen;
    for (const Ordinal e : elements_of_node[n]) seen.push_back(colors[e]);
    std::sort(seen.begin(), seen.end());
    if (std::adjacent_find(seen.begin(), seen.end()) != seen.end())
      return fail() << "two elements around node " << n << " have one color";
  }
  for (Ordinal color = 0; color < coloring.colors; ++color) {
    if (coloring.size(color) == 0) return fail() << "color " << color << " is empty";
    for (Ordinal p = coloring.offsets[color]; p < coloring.offsets[color + 1]; ++p) {
      if (colors[sorted[p]] != color)
        return fail() << "position " << p << " of color " << color << " is not its own";
      if (p > coloring.offsets[color] && sorted[p] <= sorted[p - 1])
        return fail() << "elements of color " << color << " are not ascending";
    }
  }
  return ::testing::AssertionSuccess();
}

template <class ExecutionSpace>
class Coloring : public ::testing::Test {
public:
  static std::vector<ColoringAlgorithm> algorithms() {
    std::vector<ColoringAlgorithm> list{ColoringAlgorithm::automatic, ColoringAlgorithm::parallel};
    if constexpr (runs_on_host<ExecutionSpace>) list.push_back(ColoringAlgorithm::sequential);
    return list;
  }

  static tessera::Coloring<ExecutionSpace> color(const RawMesh& mesh, const ColoringOptions& options = {}) {
    return color_elements(ExecutionSpace{}, mesh.device_connectivity<ExecutionSpace>(), mesh.nodes(),
                          options);
  }
};

TYPED_TEST_SUITE(Coloring, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(Coloring, IsValidOnEveryMeshByEveryAlgorithm) {
  using namespace tessera::test;
  for (const RawMesh& mesh : {hexahedra(9, 7, 5), tetrahedra(10, 9, 8), shuffled(tetrahedra(12, 11, 10)),
                              shuffled(hexahedra(20, 1, 1)), hexahedra(1, 1, 1), fan(80), fan(300)})
    for (const ColoringAlgorithm algorithm : this->algorithms())
      for (const double imbalance : {0.0, 1.1})
        EXPECT_TRUE(is_valid(this->color(mesh, {.algorithm = algorithm, .imbalance = imbalance}), mesh))
            << mesh.elements() << " elements, algorithm " << static_cast<int>(algorithm) << ", imbalance "
            << imbalance;
}

TYPED_TEST(Coloring, NeedsFewColors) {
  using namespace tessera::test;
  for (const ColoringAlgorithm algorithm : this->algorithms()) {
    // Lower bounds: 8 hexahedra, 24 tetrahedra around an inner node, 80 triangles around the middle one.
    EXPECT_LE(this->color(hexahedra(12, 12, 12), {.algorithm = algorithm}).colors, 17);
    EXPECT_LE(this->color(tetrahedra(12, 12, 12), {.algorithm = algorithm}).colors, 38);
    EXPECT_LE(this->color(shuffled(tetrahedra(12, 12, 12)), {.algorithm = algorithm}).colors, 42);
    EXPECT_EQ(this->color(fan(80), {.algorithm = algorithm}).colors, 80);
  }
  if constexpr (runs_on_host<TypeParam>) {
    EXPECT_EQ(this->color(hexahedra(12, 12, 12), {.algorithm = ColoringAlgorithm::sequential}).colors, 8);
  }
}

TYPED_TEST(Coloring, IsBalanced) {
  const RawMesh mesh = tessera::test::tetrahedra(24, 24, 24);
  for (const ColoringAlgorithm algorithm : this->algorithms()) {
    const auto coloring = this->color(mesh, {.algorithm = algorithm, .imbalance = 1.2});
    const double average = static_cast<double>(mesh.elements()) / coloring.colors;
    EXPECT_LE(coloring.largest(), 1.2 * (average + 1)) << "algorithm " << static_cast<int>(algorithm);
    EXPECT_GE(coloring.smallest(), (average - 1) / 1.2) << "algorithm " << static_cast<int>(algorithm);
    const auto unbalanced = this->color(mesh, {.algorithm = algorithm, .imbalance = 0});
    EXPECT_GT(unbalanced.largest(), coloring.largest()) << "algorithm " << static_cast<int>(algorithm);
  }
}

TYPED_TEST(Coloring, HasAsManyColorsAsAskedFor) {
  using namespace tessera::test;
  const RawMesh mesh = shuffled(tetrahedra(9, 8, 7));
  for (const ColoringAlgorithm algorithm : this->algorithms())
    for (const Ordinal colors : {50, 64, 65, 200, 1000, 3024}) {
      const auto coloring = this->color(mesh, {.algorithm = algorithm, .minimum_colors = colors});
      EXPECT_EQ(coloring.colors, colors);
      EXPECT_TRUE(is_valid(coloring, mesh)) << colors << " colors, algorithm " << static_cast<int>(algorithm);
    }
  EXPECT_GE(this->color(mesh, {.minimum_colors = 2, .imbalance = 0}).colors, 24);
}

TYPED_TEST(Coloring, IsTheSameInEveryRunAndLayout) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::tetrahedra(13, 12, 11));
  for (const ColoringAlgorithm algorithm : {ColoringAlgorithm::automatic, ColoringAlgorithm::parallel}) {
    const auto first = to_host(this->color(mesh, {.algorithm = algorithm}).color_of_element);
    for (int run = 0; run < 5; ++run)
      EXPECT_EQ(to_host(this->color(mesh, {.algorithm = algorithm}).color_of_element), first)
          << "run " << run;
    const auto left = mesh.device_connectivity<TypeParam, Kokkos::LayoutLeft>();
    const auto right = mesh.device_connectivity<TypeParam, Kokkos::LayoutRight>();
    const ColoringOptions options{.algorithm = algorithm};
    EXPECT_EQ(to_host(color_elements(TypeParam{}, left, mesh.nodes(), options).color_of_element), first);
    EXPECT_EQ(to_host(color_elements(TypeParam{}, right, mesh.nodes(), options).color_of_element), first);
  }
}

TYPED_TEST(Coloring, ParallelColoringDoesNotDependOnTheExecutionSpace) {
  // Hashes of the element numbers decide, so these are the colors on all execution spaces.
  const auto coloring = this->color(tessera::test::hexahedra(3, 2, 2),
                                    {.algorithm = ColoringAlgorithm::parallel, .imbalance = 0});
  EXPECT_EQ(to_host(coloring.color_of_element), (std::vector<Ordinal>{4, 7, 2, 3, 5, 6, 6, 0, 4, 2, 1, 3}));
}

TYPED_TEST(Coloring, OfNothingIsEmpty) {
  RawMesh mesh = tessera::test::hexahedra(2, 2, 2);
  mesh.connectivity.clear();
  for (const ColoringAlgorithm algorithm : this->algorithms()) {
    const auto coloring = this->color(mesh, {.algorithm = algorithm});
    EXPECT_EQ(coloring.colors, 0);
    EXPECT_EQ(coloring.largest(), 0);
    EXPECT_EQ(coloring.smallest(), 0);
    EXPECT_TRUE(is_valid(coloring, mesh));
  }
}

TYPED_TEST(Coloring, RefusesBadInput) {
  using namespace tessera::test;
  RawMesh mesh = hexahedra(2, 2, 2);
  const auto color = [&](const ColoringOptions& options) {
    return [&mesh, options] { TestFixture::color(mesh, options); };
  };
  expect_throw_with<tessera::ArgumentError>(color({.minimum_colors = 9}), "number of elements, 8, got 9");
  expect_throw_with<tessera::ArgumentError>(color({.minimum_colors = -1}), "got -1");
  expect_throw_with<tessera::ArgumentError>(color({.imbalance = 0.5}),
                                            "imbalance must be 0 or at least 1, got 0.5");
  expect_throw_with<tessera::ArgumentError>(color({.imbalance = std::nan("")}), "imbalance");
  const RawMesh crowded = fan(tessera::most_elements_around_a_node + 1);
  expect_throw_with<tessera::UnsupportedError>([&] { TestFixture::color(crowded); },
                                               "node 0 belongs to 8193 elements");
  mesh.connectivity[5 * 8 + 3] = 27;
  expect_throw_with<tessera::MeshError>(color({}), "element 5 has a node number outside 0 to 26");
  mesh.connectivity[2 * 8] = -1;
  expect_throw_with<tessera::MeshError>(color({}), "element 2 ");
}

} // namespace core_graphs_coloring

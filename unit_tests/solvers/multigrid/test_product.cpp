// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace solvers_multigrid_product {

using namespace tessera;
using namespace tessera::test;
namespace mg = tessera::solvers::multigrid::detail;

/// A matrix of blocks of small integers, whose products are exact.
struct Blocks {
  std::vector<std::set<Ordinal>> columns; // of each node
  std::vector<std::vector<float>> dense;  // row × column
  int height, width;

  Blocks(Ordinal nodes, Ordinal column_nodes, int height, int width)
      : columns(nodes), dense(nodes * height, std::vector<float>(column_nodes * width)), height(height),
        width(width) {}

  void fill(std::mt19937& random) {
    for (std::size_t node = 0; node < columns.size(); ++node)
      for (const Ordinal column : columns[node])
        for (int r = 0; r < height; ++r)
          for (int c = 0; c < width; ++c)
            dense[node * height + r][column * width + c] = static_cast<float>(random() % 7) - 3;
  }

  template <class Space>
  mg::Matrix<Space> on(const mg::Workspace<Space>& work) const {
    mg::Graph<Space> graph{mg::Offsets<Space>("row_map", columns.size() + 1), {}};
    const auto row_map = Kokkos::create_mirror_view(graph.row_map);
    for (std::size_t node = 0; node < columns.size(); ++node)
      row_map(node + 1) = row_map(node) + columns[node].size();
    graph.columns = mg::Ordinals<Space>("columns", row_map(columns.size()));
    auto matrix = mg::matrix_on(work, "blocks", graph, height, width);
    const auto numbers = Kokkos::create_mirror_view(graph.columns);
    const auto values = Kokkos::create_mirror_view(matrix.values);
    for (std::size_t node = 0, k = 0, v = 0; node < columns.size(); ++node) {
      for (const Ordinal column : columns[node]) numbers(k++) = column;
      for (int r = 0; r < height; ++r)
        for (const Ordinal column : columns[node])
          for (int c = 0; c < width; ++c) values(v++) = dense[node * height + r][column * width + c];
    }
    Kokkos::deep_copy(graph.row_map, row_map);
    Kokkos::deep_copy(graph.columns, numbers);
    Kokkos::deep_copy(matrix.values, values);
    return matrix;
  }
};

struct Case {
  int components, modes;
  Ordinal nodes, run_length; // length 0: aggregates of every other node
};

template <class Space>
mg::Aggregates<Space> aggregates_of(const Case& c) {
  if (c.run_length > 0) return mg::runs_of_nodes<Space>(c.nodes, c.run_length);
  const Ordinal count = 2, half = (c.nodes + 1) / 2;
  mg::Aggregates<Space> result{count, c.nodes, half, 0, {}, {}, {}, 0, 0};
  result.of_node = mg::Ordinals<Space>("of_node", c.nodes);
  result.first = mg::Ordinals<Space>("first", count + 1);
  result.member = mg::Ordinals<Space>("member", c.nodes);
  const auto of_node = Kokkos::create_mirror_view(result.of_node);
  const auto first = Kokkos::create_mirror_view(result.first);
  const auto member = Kokkos::create_mirror_view(result.member);
  first(1) = half;
  first(2) = c.nodes;
  for (Ordinal node = 0; node < c.nodes; ++node) {
    of_node(node) = node % 2;
    member(node % 2 * half + node / 2) = node;
  }
  Kokkos::deep_copy(result.of_node, of_node);
  Kokkos::deep_copy(result.first, first);
  Kokkos::deep_copy(result.member, member);
  return result;
}

/// Holds pattern and values of the product against a dense one.
template <class Space, bool Tiles>
void check_product(const Case& c) {
  SCOPED_TRACE(std::to_string(c.components) + " components, " + std::to_string(c.modes) + " modes, runs of " +
               std::to_string(c.run_length));
  const mg::Workspace<Space> work(Space(), "Test");
  const auto aggregates = aggregates_of<Space>(c);
  std::mt19937 random(7);
  Blocks a(c.nodes, c.nodes, c.components, c.components), p(c.nodes, aggregates.count, c.components, c.modes);
  for (Ordinal node = 0; node < c.nodes; ++node) {
    a.columns[node].insert(node);
    for (unsigned k = 0; k < random() % 20; ++k) a.columns[node].insert((node + random() % 40) % c.nodes);
    for (unsigned k = 0; k < 1 + random() % 11; ++k) p.columns[node].insert(random() % aggregates.count);
  }
  a.fill(random);
  p.fill(random);

  const auto prolongator = p.on(work);
  mg::GalerkinProduct<Space, Tiles> product{
      a.on(work), prolongator, mg::transposed(work, prolongator.graph, aggregates.count), aggregates, {}};
  mg::Floats<Space> contributions;
  const auto coarse = *product.pattern(work, true, contributions);
  product.values(work, contributions, coarse);

  Blocks expected(aggregates.count, aggregates.count, c.modes, c.modes);
  for (Ordinal n = 0; n < c.nodes; ++n)
    for (const Ordinal left : p.columns[n])
      for (const Ordinal m : a.columns[n])
        for (const Ordinal right : p.columns[m]) expected.columns[left].insert(right);
  for (std::size_t n = 0; n < a.dense.size(); ++n)
    for (std::size_t m = 0; m < a.dense.size(); ++m)
      for (std::size_t i = 0; a.dense[n][m] != 0 && i < expected.dense.size(); ++i)
        for (std::size_t j = 0; p.dense[n][i] != 0 && j < expected.dense.size(); ++j)
          expected.dense[i][j] += p.dense[n][i] * a.dense[n][m] * p.dense[m][j];
  const auto wanted = expected.on(work);
  const auto same = [](const auto& left, const auto& right) {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), left);
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), right);
    ASSERT_EQ(x.extent(0), y.extent(0));
    for (std::size_t k = 0; k < x.extent(0); ++k) ASSERT_EQ(x(k), y(k)) << "at " << k;
  };
  same(coarse.graph.row_map, wanted.graph.row_map);
  same(coarse.graph.columns, wanted.graph.columns);
  same(coarse.values, wanted.values);
}

template <class Space>
class MultigridProduct : public testing::Test {};
TYPED_TEST_SUITE(MultigridProduct, ExecutionSpaceTypes, ExecutionSpaceName);

const std::vector<Case> cases{{1, 1, 400, 27},    {1, 1, 90, 0}, {1, 1, 5, 27},  {1, 1, 3000, 8},
                              {3, 6, 130, 27},    {2, 3, 90, 0}, {40, 2, 12, 3}, {1, 1, 1500, 2},
                              {1, 1, 2400, 1200}, {6, 6, 90, 0}};

TYPED_TEST(MultigridProduct, IsThatOfDenseMatrices) {
  for (const Case& c : cases) check_product<TypeParam, mg::by_tiles<TypeParam>>(c);
}

TYPED_TEST(MultigridProduct, IsTheSameByTiles) {
  for (const Case& c : cases) check_product<TypeParam, true>(c);
}

TYPED_TEST(MultigridProduct, FindsRunsWithoutDivision) {
  for (const Ordinal length : {2, 3, 16, 27, 64, 1000003, 2147483647}) {
    const auto runs = mg::runs_of_nodes<TypeParam>(2147483647, length);
    for (const Ordinal node : {0, 1, 26, 27, 63, 64, 1000002, 1000003, 2000006, 2147483645, 2147483646})
      EXPECT_EQ(runs.of(node), node / length) << node << " by " << length;
  }
}

} // namespace solvers_multigrid_product

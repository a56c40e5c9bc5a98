// SPDX-License-Identifier: BSD-3-Clause
// Aggregates by matching.

#include <tessera/solvers/multigrid/detail/aggregation/matched_pairs.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <map>
#include <set>
#include <vector>

namespace solvers_multigrid_matched_pairs {

using namespace tessera;
using namespace tessera::test;
namespace mg = tessera::solvers::multigrid::detail;

constexpr Ordinal width = 9, height = 40, nodes = width * height, alone = 5;

/// A grid of two unknowns a node: coupled by −1 along y and by −0.01 along x, and by far larger entries
/// between different components, which are no couplings. One node is coupled to nothing.
template <class Space>
mg::Matrix<Space> columns_of_nodes(const mg::Workspace<Space>& work) {
  std::vector<std::map<Ordinal, float>> rows(nodes);
  const auto couple = [&](Ordinal a, Ordinal b, float weight) {
    const float value = a == alone || b == alone ? 0 : weight;
    rows[a][b] = rows[b][a] = value;
  };
  for (Ordinal node = 0; node < nodes; ++node) {
    rows[node][node] = 1;
    if (node % width + 1 < width) couple(node, node + 1, -0.01f);
    if (node + width < nodes) couple(node, node + width, -1);
  }
  mg::Graph<Space> graph{mg::Offsets<Space>("row_map", nodes + 1), {}};
  const auto row_map = Kokkos::create_mirror_view(graph.row_map);
  for (Ordinal node = 0; node < nodes; ++node) row_map(node + 1) = row_map(node) + rows[node].size();
  graph.columns = mg::Ordinals<Space>("columns", row_map(nodes));
  const auto matrix = mg::matrix_on(work, "grid", graph, 2, 2);
  const auto columns = Kokkos::create_mirror_view(graph.columns);
  const auto values = Kokkos::create_mirror_view(matrix.values);
  Ordinal k = 0, v = 0;
  for (Ordinal node = 0; node < nodes; ++node) {
    for (const auto& [column, value] : rows[node]) columns(k++) = column;
    for (int r = 0; r < 2; ++r)
      for (const auto& [column, value] : rows[node])
        for (int c = 0; c < 2; ++c) values(v++) = r == c ? value : 50;
  }
  Kokkos::deep_copy(graph.row_map, row_map);
  Kokkos::deep_copy(graph.columns, columns);
  Kokkos::deep_copy(matrix.values, values);
  return matrix;
}

template <class Space>
class MatchedPairs : public testing::Test {};
TYPED_TEST_SUITE(MatchedPairs, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MatchedPairs, FollowStrongCouplings) {
  const mg::Workspace<TypeParam> work(TypeParam(), "Test");
  const auto matrix = columns_of_nodes(work);
  EXPECT_NEAR(mg::average_strong_neighbors(work.exec, matrix), 2.0 * (height - 1) / height, 0.02);
  const auto aggregates = mg::aggregates_by_matching(work, matrix, 0.25);
  const auto of_node = to_host(aggregates.of_node), first = to_host(aggregates.first),
             member = to_host(aggregates.member);
  std::vector<int> size(aggregates.count);
  std::vector<std::set<Ordinal>> columns(aggregates.count);
  for (Ordinal node = 0; node < nodes; ++node) {
    if (node == alone) {
      EXPECT_EQ(of_node[node], -1);
      continue;
    }
    ASSERT_GE(of_node[node], 0);
    ASSERT_LT(of_node[node], aggregates.count);
    ++size[of_node[node]];
    columns[of_node[node]].insert(node % width);
  }
  EXPECT_LE(aggregates.count, nodes / 8);
  for (Ordinal a = 0; a < aggregates.count; ++a) {
    EXPECT_EQ(columns[a].size(), 1u); // none reaches across weak couplings
    EXPECT_GE(size[a], 1);
    EXPECT_LE(size[a], 16);
    EXPECT_LE(size[a], aggregates.largest);
    ASSERT_EQ(first[a + 1] - first[a], size[a]);
    for (Ordinal k = first[a]; k < first[a + 1]; ++k) {
      EXPECT_EQ(of_node[member[k]], a);
      if (k > first[a]) EXPECT_LT(member[k - 1], member[k]);
    }
  }
  EXPECT_EQ(to_host(mg::aggregates_by_matching(work, matrix, 0.25).of_node), of_node);
}

TYPED_TEST(MatchedPairs, OfNoNodesAndOfUncoupledOnes) {
  const mg::Workspace<TypeParam> work(TypeParam(), "Test");
  const auto none =
      mg::matrix_on(work, "matrix", mg::Graph<TypeParam>{mg::Offsets<TypeParam>("row_map", 1), {}}, 1, 1);
  EXPECT_EQ(mg::aggregates_by_matching(work, none, 0.25).count, 0);
  const auto one =
      mg::matrix_on(work, "matrix", mg::Graph<TypeParam>{mg::Offsets<TypeParam>("row_map", 4), {}}, 1, 1);
  const auto aggregates = mg::aggregates_by_matching(work, one, 0.25);
  EXPECT_EQ(aggregates.count, 0);
  EXPECT_EQ(to_host(aggregates.of_node), std::vector<Ordinal>(3, -1));
}

} // namespace solvers_multigrid_matched_pairs

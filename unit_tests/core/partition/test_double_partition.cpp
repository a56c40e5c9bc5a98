// SPDX-License-Identifier: BSD-3-Clause
// Independent sets, aggregates and patches: their definitions, checked node by node on the host.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/partition/double_partition.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/graphs.hpp"
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace core_partition_double_partition {

using namespace tessera;
using namespace tessera::test;
using Reference = std::tuple_element_t<0, ExecutionSpaces>;

const std::vector<std::pair<std::string, HostGraph>>& graphs() {
  static const std::vector<std::pair<std::string, HostGraph>> all = [] {
    HostGraph star(300);
    for (Ordinal leaf = 1; leaf < 300; ++leaf) star[0].insert(leaf), star[leaf].insert(0);
    return std::vector<std::pair<std::string, HostGraph>>{{"empty", {}},
                                                          {"one node", HostGraph(1)},
                                                          {"star", star},
                                                          {"loose", HostGraph(30)},
                                                          {"random", random_graph(2000)},
                                                          {"tetrahedra", tetrahedra_graph(13)}};
  }();
  return all;
}

template <class ExecutionSpace>
class DoublePartition : public ::testing::Test {
public:
  using Partition = tessera::DoublePartition<ExecutionSpace>;

  static Partition partition(const HostGraph& graph, const DoublePartitionOptions& options = {},
                             const std::vector<Ordinal>& weights = {}) {
    return double_partition(ExecutionSpace(), device_graph<ExecutionSpace>(graph), options,
                            Kokkos::View<const Ordinal*, ExecutionSpace>(to_device<ExecutionSpace>(weights)));
  }

  /// Stretches of nodes are aggregates and stretches of aggregates are patches, each node in one of them.
  static void expect_nested(const Partition& p, Ordinal nodes) {
    const auto order = to_host(p.nodes.new_to_old), number = to_host(p.nodes.old_to_new);
    const auto aggregate = to_host(p.aggregate_of_node), begin = to_host(p.aggregate_offsets);
    const auto patch = to_host(p.patch_of_aggregate), patch_begin = to_host(p.patch_offsets);
    ASSERT_EQ(begin.size(), static_cast<std::size_t>(p.num_aggregates) + 1);
    ASSERT_EQ(patch_begin.size(), static_cast<std::size_t>(p.num_patches) + 1);
    EXPECT_EQ(begin.front() + patch_begin.front(), 0);
    EXPECT_EQ(begin.back(), nodes);
    EXPECT_EQ(patch_begin.back(), nodes);
    for (Ordinal k = 0; k < nodes; ++k) EXPECT_EQ(number[order[k]], k);
    for (Ordinal a = 0; a < p.num_aggregates; ++a) {
      EXPECT_LT(begin[a], begin[a + 1]) << "aggregate " << a << " is empty";
      for (Ordinal k = begin[a]; k < begin[a + 1]; ++k) {
        EXPECT_EQ(aggregate[order[k]], a);
        EXPECT_TRUE(k == begin[a] || order[k - 1] < order[k]);
      }
      EXPECT_LE(patch_begin[patch[a]], begin[a]);
      EXPECT_GE(patch_begin[patch[a] + 1], begin[a + 1]) << "a patch cuts aggregate " << a;
    }
  }

  static void expect_induced(const Partition& p, const HostGraph& graph) {
    const auto aggregate = to_host(p.aggregate_of_node);
    HostGraph expected(p.num_aggregates);
    for (std::size_t n = 0; n < graph.size(); ++n)
      for (const Ordinal m : graph[n])
        if (aggregate[n] != aggregate[m]) expected[aggregate[n]].insert(aggregate[m]);
    const auto row_map = to_host(p.coarse.row_map);
    const auto columns = to_host(p.coarse.columns);
    ASSERT_EQ(row_map.size(), expected.size() + 1);
    for (std::size_t a = 0; a < expected.size(); ++a)
      EXPECT_EQ(std::vector<Ordinal>(columns.begin() + row_map[a], columns.begin() + row_map[a + 1]),
                std::vector<Ordinal>(expected[a].begin(), expected[a].end()));
  }
};
TYPED_TEST_SUITE(DoublePartition, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(DoublePartition, SetsAreIndependentAndMaximal) {
  for (const auto& [name, graph] : graphs())
    for (int radius : {1, 2, 3, 5}) {
      SCOPED_TRACE(name + ", radius " + std::to_string(radius));
      const auto set = to_host(independent_set(TypeParam(), device_graph<TypeParam>(graph), radius));
      EXPECT_EQ(set, to_host(independent_set(Reference(), device_graph<Reference>(graph), radius)));
      ASSERT_EQ(set.size(), graph.size());
      for (std::size_t node = 0; node < graph.size(); ++node) {
        const auto near = within(graph, static_cast<Ordinal>(node), radius);
        const auto members =
            std::count_if(near.begin(), near.end(), [&](Ordinal other) { return set[other] == 1; });
        EXPECT_TRUE(set[node] == 1 ? members == 0 : members > 0) << "node " << node;
      }
    }
}

TYPED_TEST(DoublePartition, NestsOnEveryGraphAndLevel) {
  for (const auto& [name, graph] : graphs()) {
    NodeGraph<TypeParam> level = device_graph<TypeParam>(graph);
    for (int depth = 0; depth < 3; ++depth) {
      SCOPED_TRACE(name + ", level " + std::to_string(depth));
      const auto p = double_partition(TypeParam(), level);
      HostGraph host(level.num_nodes());
      const auto row_map = to_host(level.row_map);
      const auto columns = to_host(level.columns);
      for (std::size_t n = 0; n < host.size(); ++n)
        host[n].insert(columns.begin() + row_map[n], columns.begin() + row_map[n + 1]);
      this->expect_nested(p, level.num_nodes());
      this->expect_induced(p, host);
      level = p.coarse;
    }
  }
}

TYPED_TEST(DoublePartition, KeepsSizesOfTetrahedra) {
  const HostGraph graph = tetrahedra_graph(13);
  const auto p = this->partition(graph);
  const auto begin = to_host(p.aggregate_offsets), patch_begin = to_host(p.patch_offsets);
  for (Ordinal a = 0; a < p.num_aggregates; ++a) EXPECT_GE(begin[a + 1] - begin[a], 9);
  for (Ordinal b = 0; b < p.num_patches; ++b) {
    EXPECT_GE(patch_begin[b + 1] - patch_begin[b], 100);
    EXPECT_LE(patch_begin[b + 1] - patch_begin[b], 400);
  }
}

/// Whether a path within a patch leads from each of its nodes to each other one.
bool is_connected(const HostGraph& graph, const std::vector<Ordinal>& patch) {
  std::set<Ordinal> left(patch.begin(), patch.end());
  std::vector<Ordinal> reached{patch.front()};
  left.erase(patch.front());
  while (!reached.empty()) {
    const Ordinal node = reached.back();
    reached.pop_back();
    for (const Ordinal other : graph[node])
      if (left.erase(other) == 1) reached.push_back(other);
  }
  return left.empty();
}

template <class Partition>
int parted_patches(const HostGraph& graph, const Partition& p) {
  const auto order = to_host(p.nodes.new_to_old), begin = to_host(p.patch_offsets);
  int parted = 0;
  for (Ordinal b = 0; b < p.num_patches; ++b)
    parted += !is_connected(graph, {order.begin() + begin[b], order.begin() + begin[b + 1]});
  return parted;
}

// The paper asks for connected patches.
TYPED_TEST(DoublePartition, PatchesOfTetrahedraAreConnected) {
  const HostGraph graph = tetrahedra_graph(25);
  const auto p = this->partition(graph);
  EXPECT_GT(p.num_patches, 50);
  EXPECT_EQ(parted_patches(graph, p), 0);
}

// What exchange and cut take from a patch may leave it in parts: few in a random graph, more where a bound
// below the weights that patches grow to makes much to take.
TYPED_TEST(DoublePartition, TightBoundsPartPatches) {
  const HostGraph random = random_graph(2000), mesh = tetrahedra_graph(25);
  const auto p = this->partition(random);
  EXPECT_GT(p.num_patches, 100);
  EXPECT_LE(parted_patches(random, p), p.num_patches / 20);
  const auto tight = this->partition(mesh, {.lightest_patch = 50, .heaviest_patch = 200});
  EXPECT_GT(parted_patches(mesh, tight), 0);
  EXPECT_LE(parted_patches(mesh, tight), tight.num_patches / 3);
}

TYPED_TEST(DoublePartition, ExchangeLevelsWeights) {
  const HostGraph graph = tetrahedra_graph(13);
  const auto spread = [&](int exchanges) {
    // A bound that patches miss at first; what exchange does not level is cut, into more patches.
    return this->partition(graph, {.heaviest_patch = 300, .exchanges = exchanges}).num_patches;
  };
  EXPECT_LT(spread(50), spread(0));
}

TYPED_TEST(DoublePartition, BoundsWeightsOfNodes) {
  const HostGraph graph = tetrahedra_graph(9);
  std::vector<Ordinal> weights(graph.size());
  for (std::size_t n = 0; n < weights.size(); ++n) weights[n] = 1 + static_cast<Ordinal>(n * 37 % 100);
  weights[5] = 5000; // alone beyond the bound
  const auto p = this->partition(graph, {.lightest_patch = 500, .heaviest_patch = 2000}, weights);
  this->expect_nested(p, static_cast<Ordinal>(graph.size()));
  const auto order = to_host(p.nodes.new_to_old), begin = to_host(p.patch_offsets);
  for (Ordinal b = 0; b < p.num_patches; ++b) {
    Ordinal weight = 0;
    for (Ordinal k = begin[b]; k < begin[b + 1]; ++k) weight += weights[order[k]];
    EXPECT_TRUE(weight <= 2000 || begin[b + 1] - begin[b] == 1) << "patch " << b << " weighs " << weight;
  }
}

TYPED_TEST(DoublePartition, IsTheSameEverywhereAndAlways) {
  const HostGraph graph = tetrahedra_graph(13);
  const auto all = [](const auto& p) {
    std::vector<Ordinal> numbers;
    const auto append = [&](const auto& view) {
      const auto host = to_host(view);
      numbers.insert(numbers.end(), host.begin(), host.end());
    };
    append(p.nodes.new_to_old);
    append(p.aggregate_of_node);
    append(p.aggregate_offsets);
    append(p.patch_of_aggregate);
    append(p.patch_offsets);
    return numbers;
  };
  const auto expected = all(double_partition(Reference(), device_graph<Reference>(graph)));
  for (int run = 0; run < 5; ++run) EXPECT_EQ(all(this->partition(graph)), expected);
}

/// Kuhn's tetrahedra of a cube, numbered along its axes.
HostGraph lattice(Ordinal side) {
  std::vector<std::pair<Ordinal, Ordinal>> edges;
  const auto node = [&](Ordinal i, Ordinal j, Ordinal k) { return (k * side + j) * side + i; };
  for (Ordinal k = 0; k < side; ++k)
    for (Ordinal j = 0; j < side; ++j)
      for (Ordinal i = 0; i < side; ++i)
        for (Ordinal step = 1; step < 8; ++step) {
          const Ordinal a = i + step % 2, b = j + step / 2 % 2, c = k + step / 4;
          if (a < side && b < side && c < side) edges.emplace_back(node(i, j, k), node(a, b, c));
        }
  return graph_of_edges(side * side * side, edges);
}

/// Builds have one execution space each: that they agree is seen from numbers that all of them must find.
TYPED_TEST(DoublePartition, IsTheSameInEveryBuild) {
  const auto p = this->partition(lattice(14));
  std::uint32_t sum = 2166136261u; // FNV-1a
  const auto add = [&](const auto& view) {
    for (const Ordinal number : to_host(view)) sum = (sum ^ static_cast<std::uint32_t>(number)) * 16777619u;
  };
  add(p.nodes.new_to_old);
  add(p.aggregate_of_node);
  add(p.patch_offsets);
  EXPECT_EQ(p.num_aggregates, 123);
  EXPECT_EQ(p.num_patches, 13);
  EXPECT_EQ(sum, 1875768306u);
}

TYPED_TEST(DoublePartition, RefusesOptionsOutOfRange) {
  const HostGraph graph(3);
  const auto refuse = [&](const DoublePartitionOptions& options, const std::string& message) {
    expect_throw_with<ArgumentError>([&] { this->partition(graph, options); }, message);
  };
  refuse({.aggregate_radius = 0}, "aggregate_radius must be at least 1, got 0");
  refuse({.patch_radius = 0}, "patch_radius must be at least 1, got 0");
  refuse({.smallest_aggregate = 0}, "smallest_aggregate must be at least 1, got 0");
  refuse({.lightest_patch = 0}, "lightest_patch must be at least 1, got 0");
  refuse({.heaviest_patch = 99}, "heaviest_patch must be at least 100, got 99");
  refuse({.exchanges = -1}, "exchanges must be at least 0, got -1");
  expect_throw_with<ArgumentError>([&] { this->partition(graph, {}, {1, 1}); }, "2 weights for 3 nodes");
  expect_throw_with<ArgumentError>([&] { independent_set(TypeParam(), device_graph<TypeParam>(graph), 0); },
                                   "radius must be at least 1");
}

} // namespace core_partition_double_partition

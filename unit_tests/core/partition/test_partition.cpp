// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/partition/partition.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/boxes.hpp"
#include <algorithm>
#include <csignal>
#include <set>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace core_partition_partition {

using tessera::Ordinal;
using tessera::Partition;
using tessera::PartitionOptions;
using tessera::test::expect_throw_with;
using tessera::test::RawMesh;

using ExecutionSpace = Kokkos::DefaultExecutionSpace;

void expect_valid(const Partition& partition, std::size_t items, Ordinal parts) {
  ASSERT_EQ(partition.parts, parts);
  ASSERT_EQ(partition.part_of_item.size(), items);
  ASSERT_EQ(partition.items.size(), items);
  ASSERT_EQ(partition.offsets.size(), static_cast<std::size_t>(parts) + 1);
  EXPECT_EQ(partition.offsets.front(), 0);
  EXPECT_EQ(partition.offsets.back(), static_cast<Ordinal>(items));
  std::vector<char> seen(items, 0);
  for (Ordinal part = 0; part < parts; ++part)
    for (Ordinal p = partition.offsets[part]; p < partition.offsets[part + 1]; ++p) {
      EXPECT_EQ(partition.part_of_item[partition.items[p]], part);
      EXPECT_EQ(seen[partition.items[p]]++, 0);
    }
}

void expect_balanced(const Partition& partition, double imbalance) {
  const double average = static_cast<double>(partition.items.size()) / partition.parts;
  for (Ordinal part = 0; part < partition.parts; ++part) {
    EXPECT_LE(partition.size(part), imbalance * average + 1) << "part " << part;
    EXPECT_GT(partition.size(part), 0) << "part " << part;
  }
}

/// Pairs of elements of different parts that share at least `shared` nodes.
int cut_of_elements(const Partition& partition, const RawMesh& mesh, int shared) {
  int cut = 0;
  for (std::size_t a = 0; a < mesh.elements(); ++a)
    for (std::size_t b = a + 1; b < mesh.elements(); ++b) {
      if (partition.part_of_item[a] == partition.part_of_item[b]) continue;
      int common = 0;
      for (std::size_t i = 0; i < mesh.element_nodes; ++i)
        for (std::size_t j = 0; j < mesh.element_nodes; ++j)
          common += mesh.node(a, i) == mesh.node(b, j) ? 1 : 0;
      cut += common >= shared ? 1 : 0;
    }
  return cut;
}

/// Pairs of nodes of different parts that share an element.
int cut_of_nodes(const Partition& partition, const RawMesh& mesh) {
  std::set<std::pair<Ordinal, Ordinal>> cut;
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (std::size_t i = 0; i < mesh.element_nodes; ++i)
      for (std::size_t j = 0; j < mesh.element_nodes; ++j)
        if (mesh.node(e, i) < mesh.node(e, j) &&
            partition.part_of_item[mesh.node(e, i)] != partition.part_of_item[mesh.node(e, j)])
          cut.emplace(mesh.node(e, i), mesh.node(e, j));
  return static_cast<int>(cut.size());
}

template <class T>
Kokkos::View<T*, ExecutionSpace> to_device(const std::vector<T>& data) {
  Kokkos::View<T*, ExecutionSpace> view("Tessera::Test::data", data.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace>(data.data(), data.size()));
  return view;
}

Partition partition_graph(const std::vector<std::size_t>& row_map, const std::vector<Ordinal>& columns,
                          const PartitionOptions& options) {
  return tessera::partition_graph(to_device(row_map), to_device(columns), options);
}

TEST(Partition, OfElementsIsBalancedWithShortBoundaries) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::hexahedra(12, 6, 6));
  const auto connectivity = mesh.device_connectivity<ExecutionSpace>();
  for (const Ordinal parts : {1, 2, 7, 8, 20}) {
    const Partition partition = tessera::partition_elements(connectivity, mesh.nodes(), 4, {.parts = parts});
    expect_valid(partition, mesh.elements(), parts);
    expect_balanced(partition, 1.1);
    EXPECT_EQ(partition.cut_edges, cut_of_elements(partition, mesh, 4)) << parts << " parts";
  }
  // The middle face of the bar has 36 faces of elements.
  EXPECT_LE(tessera::partition_elements(connectivity, mesh.nodes(), 4, {.parts = 2}).cut_edges, 44);
}

TEST(Partition, OfElementsCountsTheNodesShared) {
  const RawMesh mesh = tessera::test::tetrahedra(4, 3, 3);
  for (const Ordinal shared : {1, 2, 3}) {
    const auto partition = tessera::partition_elements(mesh.device_connectivity<ExecutionSpace>(),
                                                       mesh.nodes(), shared, {.parts = 4});
    expect_valid(partition, mesh.elements(), 4);
    EXPECT_EQ(partition.cut_edges, cut_of_elements(partition, mesh, shared));
  }
}

TEST(Partition, OfNodesIsBalancedWithShortBoundaries) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::tetrahedra(12, 6, 6));
  for (const Ordinal parts : {2, 9}) {
    const auto partition =
        tessera::partition_nodes(mesh.device_connectivity<ExecutionSpace>(), mesh.nodes(), {.parts = parts});
    expect_valid(partition, mesh.nodes(), parts);
    expect_balanced(partition, 1.1);
    EXPECT_EQ(partition.cut_edges, cut_of_nodes(partition, mesh));
  }
}

TEST(Partition, OfAGraphIgnoresTheDiagonal) {
  // Two triangles 0-1-2 and 3-4-5 joined by the edge 2-3, with some diagonal entries.
  const auto partition = partition_graph({0, 3, 6, 9, 13, 15, 17},
                                         {0, 1, 2, 2, 1, 0, 0, 1, 3, 3, 2, 4, 5, 3, 5, 4, 3}, {.parts = 2});
  expect_valid(partition, 6, 2);
  EXPECT_EQ(partition.cut_edges, 1);
  EXPECT_EQ(partition.part_of_item[0], partition.part_of_item[2]);
  EXPECT_EQ(partition.part_of_item[3], partition.part_of_item[5]);
}

TEST(Partition, IsReproducible) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::tetrahedra(9, 8, 7));
  const auto connectivity = mesh.device_connectivity<ExecutionSpace>();
  const auto part = [&](int seed) {
    return tessera::partition_elements(connectivity, mesh.nodes(), 3, {.parts = 12, .seed = seed})
        .part_of_item;
  };
  EXPECT_EQ(part(1), part(1));
  EXPECT_EQ(part(2), part(2));
  EXPECT_NE(part(1), part(2));
}

TEST(Partition, ManyPartsAreCutAlongTheCurveWithinFewOfMetis) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::hexahedra(16, 16, 16)); // 4096 elements
  const auto coordinates = mesh.device_coordinates<ExecutionSpace>();
  const auto connectivity = mesh.device_connectivity<ExecutionSpace>();
  const ExecutionSpace exec;
  // Up to the limit it is METIS's partition.
  const auto few = tessera::partition_elements(exec, coordinates, connectivity, 4, {.parts = 40});
  EXPECT_EQ(few.part_of_item,
            tessera::partition_elements(connectivity, mesh.nodes(), 4, {.parts = 40}).part_of_item);
  for (const Ordinal parts : {513, 600, 1024, 1500}) {
    const auto many = tessera::partition_elements(exec, coordinates, connectivity, 4, {.parts = parts});
    expect_valid(many, mesh.elements(), parts);
    expect_balanced(many, 2.0);
  }
  const auto nodes = tessera::partition_nodes(exec, coordinates, connectivity, {.parts = 1000});
  expect_valid(nodes, mesh.nodes(), 1000);
  expect_balanced(nodes, 2.0);
}

TEST(Partition, PiecesStayWithinTheirPart) {
  const RawMesh mesh = tessera::test::hexahedra(9, 9, 9); // 1000 nodes
  const auto coordinates = mesh.device_coordinates<ExecutionSpace>();
  Partition halves = tessera::partition_by_curve(ExecutionSpace{}, coordinates, 3);
  // One part of three quarters, one empty, one of a quarter.
  halves.offsets = {0, 750, 750, 1000};
  for (Ordinal k = 0; k < 1000; ++k) halves.part_of_item[halves.items[k]] = k < 750 ? 0 : 2;
  const Partition pieces = tessera::refined_by_curve(ExecutionSpace{}, coordinates, halves, 40);
  expect_valid(pieces, 1000, 40);
  expect_balanced(pieces, 1.01);
  for (Ordinal piece = 0; piece < 40; ++piece)
    for (Ordinal k = pieces.offsets[piece]; k < pieces.offsets[piece + 1]; ++k)
      EXPECT_EQ(halves.part_of_item[pieces.items[k]], piece < 30 ? 0 : 2);
  expect_throw_with<tessera::ArgumentError>(
      [&] { tessera::refined_by_curve(ExecutionSpace{}, coordinates, halves, 2); },
      "a partition of 1000 items into 3 parts cannot be cut into 2 pieces of 1000 points");
}

/// METIS's own handler took the signal for an error of its own, and the process went on with an exception.
TEST(Partition, ATerminationThatMetisWouldSwallowEndsTheProcess) {
  if (!tessera::runs_on_host<ExecutionSpace>)
    GTEST_SKIP() << "a process that holds a device cannot be forked";
  const RawMesh mesh = tessera::test::hexahedra(30, 30, 30);
  const auto connectivity = mesh.device_connectivity<Kokkos::DefaultHostExecutionSpace>();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGALRM, [](int) { ::kill(::getpid(), SIGTERM); });
    const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 60000}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
    try {
      for (;;) tessera::partition_elements(connectivity, mesh.nodes(), 4, {.parts = 64});
    } catch (const tessera::Error&) {
      ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << "status " << status;
}

TEST(Partition, ByCurveCutsIntoEqualStretches) {
  const RawMesh mesh = tessera::test::shuffled(tessera::test::hexahedra(15, 15, 15)); // 16^3 nodes
  for (const Ordinal parts : {1, 3, 8, 64}) {
    const auto partition =
        tessera::partition_by_curve(ExecutionSpace{}, mesh.device_coordinates<ExecutionSpace>(), parts);
    expect_valid(partition, mesh.nodes(), parts);
    for (Ordinal part = 0; part < parts; ++part) EXPECT_NEAR(partition.size(part), 4096.0 / parts, 1.0);
  }
  // 64 parts of a cube are cubes of 4 × 4 × 4 nodes: every part then spans 3/15 in each direction.
  const auto cubes =
      tessera::partition_by_curve(ExecutionSpace{}, mesh.device_coordinates<ExecutionSpace>(), 64);
  for (Ordinal part = 0; part < 64; ++part)
    for (std::size_t d = 0; d < 3; ++d) {
      double low = 1, high = 0;
      for (Ordinal p = cubes.offsets[part]; p < cubes.offsets[part + 1]; ++p) {
        const double x = mesh.coordinates[cubes.items[p] * 3 + d];
        low = std::min(low, x);
        high = std::max(high, x);
      }
      EXPECT_NEAR(high - low, 0.2, 1e-12) << "part " << part << " axis " << d;
    }
}

TEST(Partition, OfNothingHasEmptyParts) {
  RawMesh mesh = tessera::test::hexahedra(1, 1, 1);
  mesh.connectivity.clear();
  expect_valid(tessera::partition_elements(mesh.device_connectivity<ExecutionSpace>(), 8, 4, {.parts = 1}), 0,
               1);
  expect_valid(partition_graph({0}, {}, {.parts = 1}), 0, 1);
  expect_valid(partition_graph({}, {}, {.parts = 1}), 0, 1);
  // Nodes without elements are a graph without edges.
  expect_valid(tessera::partition_nodes(mesh.device_connectivity<ExecutionSpace>(), 8, {.parts = 2}), 8, 2);
}

TEST(Partition, RefusesBadInput) {
  using tessera::ArgumentError;
  RawMesh mesh = tessera::test::hexahedra(2, 2, 1);
  const auto elements = [&](Ordinal shared, const PartitionOptions& options) {
    return [&mesh, shared, options] {
      tessera::partition_elements(mesh.device_connectivity<ExecutionSpace>(), 18, shared, options);
    };
  };
  expect_throw_with<ArgumentError>(elements(4, {.parts = 0}), "between 1 and the number of items, 4, got 0");
  expect_throw_with<ArgumentError>(elements(4, {.parts = 5}), "partition_elements: the number of parts");
  expect_throw_with<ArgumentError>(elements(4, {.parts = 2, .imbalance = 1.0}), "imbalance must be above 1");
  expect_throw_with<ArgumentError>(elements(0, {.parts = 2}), "shared_nodes must be at least 1, got 0");
  mesh.connectivity[8 + 2] = 18;
  expect_throw_with<tessera::MeshError>(elements(4, {.parts = 2}), "element 1 has node 18, outside 0 to 17");
  expect_throw_with<ArgumentError>([] { partition_graph({0, 1, 1}, {1}, {.parts = 2}); },
                                   "not symmetric at row 0");
  expect_throw_with<ArgumentError>([] { partition_graph({0, 1, 2, 3}, {1, 2, 0}, {.parts = 2}); },
                                   "not symmetric");
  expect_throw_with<ArgumentError>([] { partition_graph({0, 1, 2}, {1, -1}, {.parts = 2}); },
                                   "row 1 has column -1");
  expect_throw_with<ArgumentError>([] { partition_graph({0, 3, 2}, {1, 0}, {.parts = 2}); }, "at row 0");
  expect_throw_with<ArgumentError>(
      [&] { tessera::partition_by_curve(ExecutionSpace{}, mesh.device_coordinates<ExecutionSpace>(), 19); },
      "partition_by_curve: the number of parts");
}

TEST(Partition, RefusesMoreEntriesThanMetisCounts) {
  if constexpr (sizeof(idx_t) == 4)
    expect_throw_with<tessera::UnsupportedError>(
        [] { tessera::detail::check_edges<idx_t>("partition_graph", std::size_t{1} << 31); },
        "2147483648 entries, but this METIS counts with 32 bits");
  else
    GTEST_SKIP() << "this METIS counts with 64 bits";
}

} // namespace core_partition_partition

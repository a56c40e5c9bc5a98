// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/graphs/node_graph.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tessera::test {

/// The neighbours of each node, on the host.
using HostGraph = std::vector<std::set<Ordinal>>;

template <class ExecutionSpace>
NodeGraph<ExecutionSpace> device_graph(const HostGraph& graph) {
  std::vector<Offset> row_map{0};
  std::vector<Ordinal> columns;
  for (const auto& neighbors : graph) {
    columns.insert(columns.end(), neighbors.begin(), neighbors.end());
    row_map.push_back(columns.size());
  }
  return {to_device<ExecutionSpace>(row_map), to_device<ExecutionSpace>(columns)};
}

inline HostGraph graph_of_edges(Ordinal nodes, const std::vector<std::pair<Ordinal, Ordinal>>& edges) {
  HostGraph graph(nodes);
  for (const auto& [a, b] : edges) {
    graph[a].insert(b);
    graph[b].insert(a);
  }
  return graph;
}

/// A box of tetrahedra with shuffled numbers, loops included as in a matrix.
inline HostGraph tetrahedra_graph(Ordinal cells) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const auto mesh = distorted_box<Tet<1>, Space>({{cells, cells, cells}, {1, 1, 1}});
  HostGraph graph(mesh.num_nodes());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) graph[mesh.connectivity()(e, i)].insert(mesh.connectivity()(e, j));
  return graph;
}

/// Some 3 edges a node at random: hubs, several components, nodes without neighbours.
inline HostGraph random_graph(Ordinal nodes) {
  std::mt19937 random(7);
  std::vector<std::pair<Ordinal, Ordinal>> edges;
  for (Ordinal k = 0; k < 3 * nodes / 2; ++k) {
    const auto a = static_cast<Ordinal>(random() % nodes), b = static_cast<Ordinal>(random() % nodes);
    if (a != b) edges.emplace_back(a, k % 11 == 0 ? a % 5 == 0 ? b : 0 : b);
  }
  std::erase_if(edges, [](const auto& edge) { return edge.first == edge.second; });
  return graph_of_edges(nodes, edges);
}

/// Nodes within `radius` steps of `node`, itself left out.
inline std::vector<Ordinal> within(const HostGraph& graph, Ordinal node, int radius) {
  std::vector<char> seen(graph.size());
  seen[node] = 1;
  std::vector<Ordinal> reached{node};
  std::size_t border = 0;
  for (int step = 0; step < radius; ++step)
    for (const std::size_t end = reached.size(); border < end; ++border)
      for (const Ordinal m : graph[reached[border]])
        if (!std::exchange(seen[m], 1)) reached.push_back(m);
  reached.erase(reached.begin());
  return reached;
}

} // namespace tessera::test

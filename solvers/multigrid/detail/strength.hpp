#pragma once

/// \file
/// A level's nodes and the couplings between them, strong and weak.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// The graph of a level's nodes. Two nodes are coupled as strongly as their strongest entries, |a_ij| in a
/// matrix with a unit diagonal, and the coupling is strong if its square is at least a share of the product
/// of both nodes' strongest: what counts is the size relative to the nodes' other couplings.
template <class ExecutionSpace>
struct NodeGraph {
  Matrix<ExecutionSpace> matrix;
  LevelNodes<ExecutionSpace> nodes;
  Floats<ExecutionSpace> strongest; // node: its largest off-diagonal entry outside its own block
  float share = 0;                  // square of the relative strength

  /// Calls visit(node, |entry|) for the entries of a node's rows outside its own block.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_neighbor(Ordinal node, const Visit& visit) const {
    const Offset end = matrix.row_map(nodes.row_begin(node + 1));
    for (Offset k = matrix.row_map(nodes.row_begin(node)); k < end; ++k) {
      const Ordinal other = nodes.of_row(matrix.columns(k));
      if (other != node) visit(other, Kokkos::abs(matrix.values(k)));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool strong(Ordinal node, Ordinal other, float entry) const {
    return entry > 0 && entry * entry >= share * strongest(node) * strongest(other);
  }
};

/// The graph with each node's strongest coupling.
template <class ExecutionSpace>
NodeGraph<ExecutionSpace> node_graph(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                                     const LevelNodes<ExecutionSpace>& nodes, double strength) {
  const NodeGraph<ExecutionSpace> graph{matrix, nodes,
                                        make<Floats<ExecutionSpace>>(exec, "strongest", nodes.count),
                                        static_cast<float>(strength * strength)};
  Kokkos::parallel_for(
      "Tessera::Multigrid::strongest", Range<ExecutionSpace>(exec, 0, nodes.count),
      KOKKOS_LAMBDA(const Ordinal node) {
        float most = 0;
        graph.each_neighbor(node, [&](Ordinal, float entry) { most = Kokkos::max(most, entry); });
        graph.strongest(node) = most;
      });
  return graph;
}

/// What the couplings of a level look like.
struct CouplingProperties {
  double strong_neighbors = 0; ///< on average, of the nodes that have couplings
  double share_of_jumps = 0;   ///< of those nodes, with a neighbour whose scale differs by more than jumps do
};

/// Counts strong couplings and jumps. `scale` is 1/√a_ii by rows.
template <class ExecutionSpace>
CouplingProperties coupling_properties(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                                       const Floats<ExecutionSpace>& scale) {
  constexpr float jump = 25; // ratio of diagonal entries; neighbours on graded meshes differ by less than ten
  double strong = 0, jumps = 0, coupled = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::couplings", Range<ExecutionSpace>(exec, 0, graph.nodes.count),
      KOKKOS_LAMBDA(const Ordinal node, double& strong_sum, double& jump_sum, double& coupled_sum) {
        if (graph.strongest(node) == 0) return;
        const float own = scale(graph.nodes.row_begin(node));
        bool jumps_here = false;
        Ordinal previous = -1; // entries of a node's block follow each other
        graph.each_neighbor(node, [&](Ordinal other, float entry) {
          if (entry == 0) return;
          const float ratio = own / scale(graph.nodes.row_begin(other));
          jumps_here = jumps_here || ratio * ratio > jump;
          if (graph.strong(node, other, entry) && other != previous) {
            strong_sum += 1;
            previous = other;
          }
        });
        jump_sum += jumps_here ? 1 : 0;
        coupled_sum += 1;
      },
      strong, jumps, coupled);
  return coupled > 0 ? CouplingProperties{strong / coupled, jumps / coupled} : CouplingProperties{};
}

} // namespace tessera::solvers::multigrid

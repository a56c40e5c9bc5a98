#pragma once

/// \file
/// The smoothed prolongator P = (I − ω F) P̂, row by row: P̂ is the near-null space, orthonormal on each
/// aggregate, and needs no matrix of its own.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// The aggregates of a node's neighbours; nodes that are in no aggregate have none.
template <class ExecutionSpace>
struct ReachedAggregates {
  Graph<ExecutionSpace> graph;
  Aggregates<ExecutionSpace> aggregates;

  KOKKOS_FUNCTION Ordinal items(Ordinal node) const {
    return aggregates.of(node) < 0 ? 0 : graph.length(node);
  }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    const Ordinal aggregate = aggregates.of(graph.columns(graph.row_map(node) + item));
    if (aggregate >= 0) insert(aggregate);
  }
};

/// The prolongator for a smoothing matrix and a number of modes, its values left open.
template <class ExecutionSpace>
Matrix<ExecutionSpace> prolongator_pattern(const ExecutionSpace& exec,
                                           const Matrix<ExecutionSpace>& smoothing,
                                           const Aggregates<ExecutionSpace>& aggregates, int modes) {
  const auto graph = unions(exec, "Tessera::Multigrid::prolongator_pattern",
                            ReachedAggregates<ExecutionSpace>{smoothing.graph, aggregates}, smoothing.nodes(),
                            lanes_for(smoothing.graph.columns.extent(0), smoothing.nodes()), 32);
  return matrix_on(exec, graph, smoothing.block_rows, modes);
}

/// Each value by one lane, which goes through the node's neighbours; on the host a row at a time.
template <class ExecutionSpace>
struct ProlongatorValues {
  Matrix<ExecutionSpace> smoothing, prolongator;
  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> modes;
  double omega;

  KOKKOS_FUNCTION double value(Ordinal node, int row, Ordinal aggregate, int mode) const {
    const auto& graph = smoothing.graph;
    const int width = smoothing.block_columns;
    const Offset first = graph.row_map(node), entries = smoothing.row_begin(node, row);
    double sum = 0;
    for (Ordinal k = 0; k < graph.length(node); ++k) {
      const Ordinal neighbor = graph.columns(first + k);
      if (aggregates.of(neighbor) != aggregate) continue;
      for (int c = 0; c < width; ++c)
        sum += static_cast<double>(smoothing.values(entries + static_cast<Offset>(k) * width + c)) *
               modes(neighbor * width + c, mode);
    }
    const bool own = aggregates.of(node) == aggregate;
    return (own ? modes(node * width + row, mode) : 0) - omega * sum;
  }

  /// A row by one thread, neighbour after neighbour.
  KOKKOS_FUNCTION void write_row(Ordinal node, int row, float* to) const {
    const auto& graph = smoothing.graph;
    const int width = smoothing.block_columns, count = prolongator.block_columns;
    const Ordinal length = prolongator.graph.length(node);
    const Ordinal* const columns = prolongator.graph.columns.data() + prolongator.graph.row_map(node);
    const float* factor = smoothing.values.data() + smoothing.row_begin(node, row);
    for (Ordinal k = 0; k < length * count; ++k) to[k] = 0;
    const auto add = [&](Ordinal other, int other_row, double share) {
      Ordinal block = 0;
      while (block < length && columns[block] != aggregates.of(other)) ++block;
      for (int m = 0; block < length && m < count; ++m)
        to[block * count + m] += static_cast<float>(share * modes(other * width + other_row, m));
    };
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k)
      for (int c = 0; c < width; ++c, ++factor)
        add(graph.columns(k), c, -omega * static_cast<double>(*factor));
    add(node, row, 1);
  }

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal node, int) const {
    const auto& graph = prolongator.graph;
    const int count = prolongator.block_columns;
    const Ordinal row_length = graph.length(node) * count;
    if constexpr (runs_on_host<ExecutionSpace>) {
      for (int row = 0; row < prolongator.block_rows; ++row)
        write_row(node, row, prolongator.values.data() + prolongator.row_begin(node, row));
    } else {
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, row_length * prolongator.block_rows), [&](Ordinal entry) {
            const int row = entry / row_length;
            const Ordinal place = entry - row * row_length, block = place / count;
            prolongator.values(prolongator.row_begin(node, row) + place) = static_cast<float>(
                value(node, row, graph.columns(graph.row_map(node) + block), place - block * count));
          });
    }
  }
};

template <class ExecutionSpace>
void prolongator_values(const ExecutionSpace& exec, const ProlongatorValues<ExecutionSpace>& values) {
  const Ordinal nodes = values.prolongator.nodes();
  for_each_row(exec, "Tessera::Multigrid::prolongator_values", nodes,
               lanes_for(values.prolongator.entries(), nodes), 0, values);
}

} // namespace tessera::solvers::multigrid

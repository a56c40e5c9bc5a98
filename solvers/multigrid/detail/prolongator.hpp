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
  constexpr const char* label = "Tessera::Multigrid::prolongator_pattern";
  const ReachedAggregates<ExecutionSpace> reached{smoothing.graph, aggregates};
  const Ordinal nodes = smoothing.nodes();
  const auto entries = static_cast<Offset>(smoothing.graph.columns.extent(0));
  Graph<ExecutionSpace> graph;
  const bool short_rows = !runs_on_host<ExecutionSpace> && entries <= Offset{32} * nodes;
  if (!short_rows || !short_unions(exec, label, reached, nodes, graph))
    graph = unions(exec, label, reached, nodes, lanes_for(entries, nodes), 16);
  return matrix_on(exec, graph, smoothing.block_rows, modes);
}

/// A thread takes the values of a row and a mode, on the host of a row.
template <class ExecutionSpace>
struct ProlongatorValues {
  static constexpr int at_once = 8; // sums in registers

  Matrix<ExecutionSpace> smoothing, prolongator;
  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> modes;
  double omega;

  /// A row, neighbour after neighbour.
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

  /// One mode of a row's entries, some aggregates at a time.
  KOKKOS_FUNCTION void write_mode(Ordinal node, int row, int mode, float* to) const {
    const auto& graph = smoothing.graph;
    const int width = smoothing.block_columns, count = prolongator.block_columns;
    const Ordinal length = prolongator.graph.length(node), neighbors = graph.length(node);
    const Offset columns = prolongator.graph.row_map(node), first = graph.row_map(node);
    const Ordinal own = aggregates.of(node);
    for (Ordinal begin = 0; begin < length; begin += at_once) {
      Ordinal aggregate[at_once];
      double sum[at_once] = {};
      for (int s = 0; s < at_once; ++s)
        aggregate[s] = begin + s < length ? prolongator.graph.columns(columns + begin + s) : -2;
      const float* factor = smoothing.values.data() + smoothing.row_begin(node, row);
      for (Ordinal k = 0; k < neighbors; ++k, factor += width) {
        const Ordinal neighbor = graph.columns(first + k), reached = aggregates.of(neighbor);
        double product = 0;
        for (int c = 0; c < width; ++c)
          product += static_cast<double>(factor[c]) * modes(neighbor * width + c, mode);
        for (int s = 0; s < at_once; ++s) sum[s] += aggregate[s] == reached ? product : 0;
      }
      for (int s = 0; s < at_once; ++s)
        if (begin + s < length)
          to[(begin + s) * count + mode] = static_cast<float>(
              (aggregate[s] == own ? modes(node * width + row, mode) : 0) - omega * sum[s]);
    }
  }

  KOKKOS_FUNCTION void operator()(Offset item) const {
    const int count = runs_on_host<ExecutionSpace> ? 1 : prolongator.block_columns;
    const auto all_rows = static_cast<Ordinal>(count == 1 ? item : item / count);
    const int height = prolongator.block_rows;
    const Ordinal node = height == 1 ? all_rows : all_rows / height;
    const int row = all_rows - node * height;
    float* const to = prolongator.values.data() + prolongator.row_begin(node, row);
    if constexpr (runs_on_host<ExecutionSpace>)
      write_row(node, row, to);
    else
      write_mode(node, row, static_cast<int>(item - static_cast<Offset>(all_rows) * count), to);
  }
};

template <class ExecutionSpace>
void prolongator_values(const ExecutionSpace& exec, const ProlongatorValues<ExecutionSpace>& values) {
  const int modes = runs_on_host<ExecutionSpace> ? 1 : values.prolongator.block_columns;
  Kokkos::parallel_for("Tessera::Multigrid::prolongator_values",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(
                           exec, 0, static_cast<Offset>(values.prolongator.rows()) * modes),
                       values);
}

} // namespace tessera::solvers::multigrid

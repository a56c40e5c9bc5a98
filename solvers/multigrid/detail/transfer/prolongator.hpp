// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The smoothed prolongator P = (I − ω F) P̂, row by row: P̂ is the near-null space, orthonormal on each
/// aggregate, and needs no matrix of its own.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/short_unions.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// The aggregates of a node's neighbours; nodes that are in no aggregate have none.
template <class ExecutionSpace>
struct ReachedAggregates {
  Graph<ExecutionSpace> graph;
  Aggregates<ExecutionSpace> aggregates;

  KOKKOS_FUNCTION Ordinal items(Ordinal node) const { return none(node) ? 0 : graph.length(node); }
  KOKKOS_FUNCTION bool none(Ordinal node) const { return aggregates.of(node) < 0; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal number(Ordinal column) const { return aggregates.of(column); }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    const Ordinal aggregate = aggregates.of(graph.columns(graph.row_map(node) + item));
    if (aggregate >= 0) insert(aggregate);
  }
};

/// The prolongator's pattern for a smoothing matrix.
/// \param expect  expect(count) is called before so many columns are made.
template <class ExecutionSpace, class Expect = ExpectNothing>
Graph<ExecutionSpace>
prolongator_pattern(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace>& smoothing,
                    const Aggregates<ExecutionSpace>& aggregates, const Expect& expect = {}) {
  constexpr const char* what = "prolongator_pattern";
  const ReachedAggregates<ExecutionSpace> reached{smoothing.graph, aggregates};
  const Ordinal nodes = smoothing.nodes();
  const auto entries = static_cast<Offset>(smoothing.graph.columns.extent(0));
  Graph<ExecutionSpace> graph;
  const bool short_rows = entries <= tuning::short_smoothing_rows * nodes;
  const Matrix<ExecutionSpace> pattern{smoothing.graph, {}};
  if (!short_rows || !short_unions(work, what, pattern, reached, expect, graph))
    graph = unions(work, what, reached, nodes, aggregates.count, lanes_for(entries, nodes),
                   tuning::prolongator_capacity, expect);
  return graph;
}

/// y − ω F x, which may come with the prolongator's values.
template <class ExecutionSpace>
struct SmoothedVector {
  Floats<ExecutionSpace> x, y, out; // empty: it is not wanted

  KOKKOS_FUNCTION bool wanted() const { return out.extent(0) > 0; }
  KOKKOS_FUNCTION void set(Ordinal row, double image) const { out(row) = static_cast<float>(y(row) - image); }
};

/// A thread takes the values of a row and a mode, on hosts those of a node's rows.
template <class ExecutionSpace>
struct ProlongatorValues {
  static constexpr int at_once = tuning::prolongator_values_at_once;

  Matrix<ExecutionSpace> smoothing, prolongator;
  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> modes;
  double omega;
  SmoothedVector<ExecutionSpace> vector;

  /// A node's rows, neighbour after neighbour, on hosts.
  KOKKOS_FUNCTION void operator()(Ordinal node, const ThreadMemory& own) const {
    const Ordinal length = prolongator.graph.length(node);
    const Ordinal* const columns = prolongator.graph.columns.data() + prolongator.graph.row_map(node);
    if (length == 0) return; // in no aggregate
    if (prolongator.scalar()) return write_scalars(node, columns, length);
    for (Ordinal k = 0; k < length; ++k) own.place[columns[k]] = k;
    for (int row = 0; row < prolongator.block_rows; ++row) write_row(node, row, own.place);
    for (Ordinal k = 0; k < length; ++k) own.place[columns[k]] = -1;
  }

  KOKKOS_FUNCTION void write_scalars(Ordinal node, const Ordinal* columns, Ordinal length) const {
    const Offset first = smoothing.graph.row_map(node);
    const Ordinal count = smoothing.graph.length(node);
    const Ordinal* const neighbors = smoothing.graph.columns.data() + first;
    const float* const factors = smoothing.values.data() + first;
    const double* const mode = modes.data();
    const auto term = [&](Ordinal k) -> Kokkos::pair<Ordinal, double> {
      if (k == count) return {aggregates.of(node), mode[node]};
      return {aggregates.of(neighbors[k]), -omega * static_cast<double>(factors[k]) * mode[neighbors[k]]};
    };
    sums_of_groups(columns, length, count + 1, term,
                   prolongator.values.data() + prolongator.graph.row_map(node));
  }

  KOKKOS_FUNCTION void write_row(Ordinal node, int row, const Ordinal* place) const {
    const auto& graph = smoothing.graph;
    const int width = smoothing.block_columns, count = prolongator.block_columns;
    const float* factor = smoothing.values.data() + smoothing.row_begin(node, row);
    float* const to = prolongator.values.data() + prolongator.row_begin(node, row);
    for (Ordinal k = 0; k < prolongator.graph.length(node) * count; ++k) to[k] = 0;
    const auto add = [&](Ordinal other_row, Ordinal block, double share) {
      const double* const mode = modes.data() + static_cast<Offset>(other_row) * count;
      for (int m = 0; m < count; ++m) to[block * count + m] += static_cast<float>(share * mode[m]);
    };
    const Offset end = graph.row_map(node + 1);
    for (Offset k = graph.row_map(node); k < end; ++k, factor += width) {
      const Ordinal neighbor = graph.columns(k), reached = aggregates.of(neighbor);
      if (reached < 0) continue;
      for (int c = 0; c < width; ++c)
        add(neighbor * width + c, place[reached], -omega * static_cast<double>(factor[c]));
    }
    add(node * width + row, place[aggregates.of(node)], 1);
  }

  struct ModeAndEntry {
    float mode, entry;
  };

  /// A row of single values on devices, some aggregates at a time, and the vector's with the first of them.
  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal node, Row& entries) const {
    const Ordinal length = entries.is_row() ? prolongator.graph.length(node) : 0, own = aggregates.of(node);
    const Offset first = prolongator.graph.row_map(node);
    const auto step = static_cast<float>(omega), own_mode = static_cast<float>(modes(node, 0));
    double image = 0;
    for (Ordinal begin = 0; begin == 0 || begin < prolongator.graph.longest; begin += at_once) {
      if (begin >= length && begin > 0 && entries.may_stop()) break;
      const bool with_vector = vector.wanted() && begin == 0;
      Ordinal aggregate[at_once];
      float sum[at_once] = {};
      for (int s = 0; s < at_once; ++s)
        aggregate[s] = begin + s < length ? prolongator.graph.columns(first + begin + s) : -2;
      entries.each(
          [&](Ordinal neighbor) {
            return ModeAndEntry{static_cast<float>(modes(neighbor, 0)),
                                with_vector ? vector.x(neighbor) : 0.0f};
          },
          [&](Ordinal neighbor, float factor, const ModeAndEntry& of) {
            const Ordinal reached = aggregates.of(neighbor);
            const float product = factor * of.mode;
            image += static_cast<double>(factor) * static_cast<double>(of.entry);
            for (int s = 0; s < at_once; ++s)
              if (aggregate[s] == reached) sum[s] += product;
          });
      for (int s = 0; s < at_once; ++s)
        if (begin + s < length)
          prolongator.values(first + begin + s) = (aggregate[s] == own ? own_mode : 0) - step * sum[s];
    }
    if (vector.wanted() && entries.is_row()) vector.set(node, omega * image);
  }

  /// A row of single values where rows are few, an aggregate for each of a thread's lanes.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal node, int) const {
    const Offset first = prolongator.graph.row_map(node), begin = smoothing.graph.row_map(node);
    const Ordinal own = aggregates.of(node), neighbors = smoothing.graph.length(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, prolongator.graph.length(node)), [&](Ordinal s) {
      const Ordinal aggregate = prolongator.graph.columns(first + s);
      double sum = 0;
      for (Ordinal k = 0; k < neighbors; ++k) {
        const Ordinal neighbor = smoothing.graph.columns(begin + k);
        const double product = static_cast<double>(smoothing.values(begin + k)) * modes(neighbor, 0);
        sum += aggregates.of(neighbor) == aggregate ? product : 0;
      }
      prolongator.values(first + s) =
          static_cast<float>((aggregate == own ? modes(node, 0) : 0) - omega * sum);
    });
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
    const int count = prolongator.block_columns;
    const auto all_rows = static_cast<Ordinal>(count == 1 ? item : item / count);
    const int height = prolongator.block_rows;
    const Ordinal node = height == 1 ? all_rows : all_rows / height;
    const int row = all_rows - node * height;
    float* const to = prolongator.values.data() + prolongator.row_begin(node, row);
    write_mode(node, row, static_cast<int>(item - static_cast<Offset>(all_rows) * count), to);
  }
};

/// \return whether the vector has been made too
template <class ExecutionSpace>
bool prolongator_values(const Workspace<ExecutionSpace>& work,
                        const ProlongatorValues<ExecutionSpace>& values) {
  constexpr const char* label = "Tessera::Multigrid::prolongator_values";
  const auto& prolongator = values.prolongator;
  if constexpr (runs_on_host<ExecutionSpace>) {
    for_each_row_with_memory(work.exec, label, prolongator.nodes(),
                             ThreadMemories<ExecutionSpace>(work, values.aggregates.count, 0), values);
  } else if (prolongator.scalar() && prolongator.rows() >= sparse::detail::tuning::many_rows) {
    for_each_staged_row<true>(work.exec, label, values.smoothing, values);
    return values.vector.wanted();
  } else if (prolongator.scalar()) {
    for_each_row(work.exec, label, prolongator.nodes(), lanes_for(prolongator.entries(), prolongator.nodes()),
                 0, values);
  } else {
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(
            work.exec, 0, static_cast<Offset>(prolongator.rows()) * prolongator.block_columns),
        values);
  }
  return false;
}

} // namespace tessera::solvers::multigrid::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// PᵀAP on hosts, by aggregates as on devices: a thread takes an aggregate, finds columns in arrays over all
/// of them, and adds up a row of A P after the other.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/host_meeting.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/thread_memory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid::detail {

/// Σ P(n, J)ᵀ (A P)(n, K) over an aggregate's nodes n. A row of A P is spread over the far columns, all
/// columns of a block at once, so that adding it up vectorises.
///
/// \tparam Scalar  whether blocks are single values.
template <class ExecutionSpace, bool Scalar>
struct HostContributions {
  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;

  KOKKOS_FUNCTION int modes() const { return Scalar ? 1 : p.block_columns; }
  static constexpr Ordinal halo_capacity = Scalar ? tuning::halo_rows : 0;

  KOKKOS_FUNCTION static Ordinal whole_vectors(Ordinal count) {
    return (count + host_lanes - 1) / host_lanes * host_lanes;
  }
  KOKKOS_FUNCTION std::size_t row_capacity() const {
    return static_cast<std::size_t>(whole_vectors(plan.far.longest)) * modes();
  }
  std::size_t bytes() const {
    return ThreadMemory::bytes<float>((halo_capacity + 1) * row_capacity()) +
           ThreadMemory::bytes<double>(row_capacity()) + ThreadMemory::bytes<Ordinal>(halo_capacity);
  }

  KOKKOS_FUNCTION void operator()(Ordinal aggregate, ThreadMemory own) const {
    Ordinal *const near_place = own.place, *const far_place = own.place + aggregates.count;
    set_places(plan.near, aggregate, near_place, true);
    set_places(plan.far, aggregate, far_place, true);
    auto* const row = own.take<float>(row_capacity());
    auto* const sums = own.take<double>(row_capacity());
    Halo halo{{far_place + aggregates.count, own.take<Ordinal>(halo_capacity), halo_capacity},
              own.take<float>(halo_capacity * row_capacity()),
              whole_vectors(plan.far.length(aggregate))};
    if constexpr (Scalar) spread(aggregate, far_place, halo);
    const Ordinal length = plan.stride(aggregate) * modes();
    float* const to = out.data() + plan.begin(aggregate) * modes() * modes();
    const std::size_t all = static_cast<std::size_t>(plan.near.length(aggregate)) * modes() * length;
    for (std::size_t k = 0; k < all; ++k) to[k] = 0;
    const Ordinal first = aggregates.begin(aggregate), size = aggregates.size(aggregate);
    for (Ordinal item = 0; item < size; ++item)
      for (int r = 0; r < (Scalar ? 1 : a.block_rows); ++r) {
        const Ordinal node = aggregates.node(first + item);
        if (!Scalar) {
          multiply(node, r, far_place, length, row);
        } else if (!halo.nodes.full) {
          add_dense_rows(row_of(a, node), halo.nodes.place, halo.rows, halo.stride, row);
        } else { // maybe a long row
          multiply(node, r, far_place, length, sums);
          for (Ordinal k = 0; k < length; ++k) row[k] = static_cast<float>(sums[k]);
        }
        add_up(node, r, near_place, row, length, to);
      }
    halo.nodes.clear();
    set_places(plan.near, aggregate, near_place, false);
    set_places(plan.far, aggregate, far_place, false);
  }

  /// Sets the places of a list's numbers, or takes them back.
  KOKKOS_FUNCTION static void set_places(const Graph<ExecutionSpace>& lists, Ordinal item, Ordinal* place,
                                         bool set) {
    const Ordinal* const numbers = lists.columns.data() + lists.row_map(item);
    for (Ordinal k = 0; k < lists.length(item); ++k) place[numbers[k]] = set ? k : -1;
  }

  /// Rows of P around an aggregate, spread over the far columns.
  struct Halo {
    PlacedList nodes;
    float* rows;
    Ordinal stride;
  };

  KOKKOS_FUNCTION void spread(Ordinal aggregate, const Ordinal* place, Halo& halo) const {
    collect_halo(a.graph, aggregates, aggregate, halo.nodes);
    for (Ordinal h = 0; h < halo.nodes.count; ++h) {
      fetch_later_row<ExecutionSpace>(p.graph, p.values.data(), halo.nodes, h);
      spread_row(row_of(p, halo.nodes.numbers[h]), place, halo.stride,
                 halo.rows + static_cast<Offset>(h) * halo.stride);
    }
  }

  /// row = a row of A P.
  template <class Sum>
  KOKKOS_FUNCTION void multiply(Ordinal node, int r, const Ordinal* place, Ordinal count, Sum* row) const {
    for (Ordinal k = 0; k < count; ++k) row[k] = 0;
    const int width = Scalar ? 1 : a.block_columns;
    const float* factors = a.values.data() + a.row_begin(node, r);
    for (Offset k = a.graph.row_map(node); k < a.graph.row_map(node + 1); ++k, factors += width) {
      const Ordinal neighbor = a.graph.columns(k);
      const Offset begin = p.graph.row_map(neighbor);
      const auto length = static_cast<Ordinal>(p.graph.row_map(neighbor + 1) - begin);
      const Ordinal* const columns = p.graph.columns.data() + begin;
      const float* const values = p.values.data() + begin * width * modes();
      for (Ordinal m = 0; m < length; ++m) {
        Sum* const to = row + place[columns[m]] * modes();
        for (int c = 0; c < width; ++c)
          for (int d = 0; d < modes(); ++d)
            to[d] += static_cast<Sum>(factors[c]) *
                     static_cast<Sum>(values[(static_cast<Offset>(c) * length + m) * modes() + d]);
      }
    }
  }

  /// to += factor · from; all are computed before the first is written, so that they make a vector.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void add(float factor, const float* from, float* to) {
    float sums[Count];
    for (int k = 0; k < Count; ++k) sums[k] = to[k] + factor * from[k];
    for (int k = 0; k < Count; ++k) to[k] = sums[k];
  }

  /// A row of A P times the columns of the row of P.
  KOKKOS_FUNCTION void add_up(Ordinal node, int r, const Ordinal* place, const float* row, Ordinal length,
                              float* to) const {
    const Ordinal* const columns = p.graph.columns.data() + p.graph.row_map(node);
    const float* const factors = p.values.data() + p.row_begin(node, r);
    for (Ordinal k = 0; k < p.graph.length(node) * modes(); ++k) {
      const std::size_t column =
          static_cast<std::size_t>(place[columns[k / modes()]]) * modes() + k % modes();
      float* const sums = to + column * length;
      Ordinal j = 0;
      for (; j + 16 <= length; j += 16) add<16>(factors[k], row + j, sums + j);
      for (; j < length; j += 4) add<4>(factors[k], row + j, sums + j);
    }
  }
};

/// A coarse node's rows: the sum of the contributions in the order of their aggregates.
template <class ExecutionSpace, bool Scalar>
struct HostCoarseRows {
  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;

  KOKKOS_FUNCTION int modes() const { return Scalar ? 1 : coarse.block_rows; }
  KOKKOS_FUNCTION std::size_t sums_capacity() const {
    return (static_cast<std::size_t>(coarse.graph.longest) + 1) * modes() * modes();
  }
  std::size_t bytes() const { return ThreadMemory::bytes<double>(sums_capacity()); }

  KOKKOS_FUNCTION void operator()(Ordinal node, ThreadMemory own) const {
    const Ordinal length = coarse.graph.length(node);
    const int block = modes() * modes();
    const Ordinal* const columns = coarse.graph.columns.data() + coarse.graph.row_map(node);
    auto* const all_sums = own.take<double>(sums_capacity());
    double* const sums = all_sums + block; // before the first: zeros, of columns that the row has not
    for (Ordinal k = 0; k < (length + 1) * block; ++k) all_sums[k] = 0;
    for (Ordinal k = 0; k < length; ++k) own.place[columns[k]] = k;
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source);
      const Offset stride = static_cast<Offset>(plan.stride(source)) * modes();
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      const float* const from =
          contributions.data() + plan.begin(source) * block + plan.place(s) * stride * modes();
      for (Ordinal k = 0; k < count; ++k) {
        double* const to = sums + static_cast<Offset>(own.place[far[k]]) * block;
        for (int m = 0; m < modes(); ++m)
          for (int d = 0; d < modes(); ++d)
            to[m * modes() + d] += static_cast<double>(from[m * stride + k * modes() + d]);
      }
    }
    for (Ordinal k = 0; k < length; ++k) {
      own.place[columns[k]] = -1;
      for (int m = 0; m < modes(); ++m)
        for (int d = 0; d < modes(); ++d)
          coarse.values(coarse.row_begin(node, m) + static_cast<Offset>(k) * modes() + d) =
              static_cast<float>(sums[k * block + m * modes() + d]);
    }
  }
};

/// Makes the contributions, and sums them up.
template <class ExecutionSpace, bool Scalar>
void host_product(const Workspace<ExecutionSpace>& work,
                  const HostContributions<ExecutionSpace, Scalar>& aggregates,
                  const HostCoarseRows<ExecutionSpace, Scalar>& rows) {
  const auto count = static_cast<std::size_t>(aggregates.aggregates.count);
  for_each_row_with_memory(
      work.exec, "Tessera::Multigrid::contributions", aggregates.aggregates.count,
      ThreadMemories<ExecutionSpace>(work, 2 * count + (Scalar ? aggregates.a.graph.count() : 0),
                                     aggregates.bytes()),
      aggregates);
  for_each_row_with_memory(work.exec, "Tessera::Multigrid::coarse_rows", rows.coarse.nodes(),
                           ThreadMemories<ExecutionSpace>(work, count, rows.bytes()), rows);
}

} // namespace tessera::solvers::multigrid::detail

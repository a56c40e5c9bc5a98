// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The contributions of aggregates to PᵀAP on devices: rows of A P in fast memory, a tile of them at a time.

#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Σ P(n, J) (A P)(n, K) over an aggregate's nodes n, for single values a block, by a team.
///
/// A thread takes a row of A P, its lanes the entries of a row of P. Where a far column is in the tile is
/// read from a table without collisions, by the plan's multipliers. No sum depends on the order of threads.
///
/// \tparam Short  one lane a row: for short rows of P, where aggregates are many.
template <class ExecutionSpace, bool Short>
struct TiledContributions {
  using Member = TeamMember<ExecutionSpace>;
  using ByteScratch = Scratch<std::uint8_t, ExecutionSpace>;

  /// Neighbouring values, read and written as one.
  struct alignas(16) Four {
    float value[4];
  };
  using Tile = Scratch<Four, ExecutionSpace>;

  static constexpr Ordinal warp = Short ? wave_lanes<ExecutionSpace> : warp_lanes;
  using Bounds = Kokkos::LaunchBounds<Short ? warp : 8 * warp>;
  static constexpr Ordinal prolongator_lanes = runs_on_host<ExecutionSpace> ? 1 : 8;

  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;
  Ordinal tile_rows = warp; // rows of A P at a time
  Ordinal line = tile_rows; // from a column of these to the next

  /// Lines are odd numbers of fours, so that threads that read one row of several of them, or several rows of
  /// one, read from different banks.
  void choose_capacity() {
    const Ordinal most_rows = (Short ? 1 : 3) * warp;
    tile_rows = plan.whole_fours(Kokkos::min(most_rows, aggregates.largest));
    line = tile_rows % 8 == 0 ? tile_rows + 4 : tile_rows;
  }
  int team_size() const { return runs_on_host<ExecutionSpace> ? 1 : warp; }
  int lanes() const { return runs_on_host<ExecutionSpace> || Short ? 1 : 8; }

  KOKKOS_FUNCTION std::size_t near_capacity() const {
    return static_cast<std::size_t>(plan.near.longest) * line / 4;
  }
  KOKKOS_FUNCTION std::size_t far_capacity() const {
    return static_cast<std::size_t>(plan.whole_fours(plan.far.longest)) * line / 4;
  }
  KOKKOS_FUNCTION std::size_t table_capacity() const {
    return plan.table_bits > 0 ? std::size_t{1} << plan.table_bits : 0;
  }
  std::size_t scratch_bytes() const {
    return Tile::shmem_size(near_capacity()) + Tile::shmem_size(far_capacity()) +
           ByteScratch::shmem_size(table_capacity());
  }

  /// What a team works on.
  struct Part {
    Ordinal aggregate;
    Four *left, *right; // near columns, far columns × rows
    std::uint8_t* table;
    std::uint32_t multiplier;
    AscendingSearch near, far;
  };

  KOKKOS_FORCEINLINE_FUNCTION Ordinal at(Ordinal column, Ordinal row) const { return column * line + row; }
  KOKKOS_FORCEINLINE_FUNCTION static float* values_of(Four* tile) { return tile->value; }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot(Ordinal column, std::uint32_t multiplier) const {
    return static_cast<std::uint32_t>(column) * multiplier >> (32 - plan.table_bits);
  }
  template <bool Table>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal far_place(Ordinal column, const Part& part) const {
    return Table ? part.table[slot(column, part.multiplier)] : part.far.place_of(column);
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Level level) const {
    const Ordinal aggregate = team.league_rank(), nodes = aggregates.size(aggregate);
    const auto& scratch = team.team_scratch(level);
    const Tile left(scratch, near_capacity()), right(scratch, far_capacity());
    const ByteScratch table(scratch, table_capacity());
    const Ordinal* const near = plan.near.columns.data() + plan.near.row_map(aggregate);
    const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(aggregate);
    const Ordinal far_count = plan.far.length(aggregate);
    const std::uint32_t multiplier = plan.table_bits > 0 ? plan.multiplier(aggregate) : 0;
    const Part part{aggregate,
                    left.data(),
                    right.data(),
                    table.data(),
                    multiplier,
                    AscendingSearch(near, plan.near.length(aggregate)),
                    AscendingSearch(far, far_count)};
    if (multiplier != 0)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, far_count), [&](Ordinal k) {
        part.table[slot(far[k], multiplier)] = static_cast<std::uint8_t>(k);
      });
    for (Ordinal node = 0; node < nodes; node += tile_rows) {
      const Ordinal count = Kokkos::min(tile_rows, nodes - node);
      if (multiplier != 0)
        multiply<true>(team, node, count, part);
      else
        multiply<false>(team, node, count, part);
      spread_left(team, node, count, part);
      team.team_barrier();
      add_up(team, node > 0, count, part);
      team.team_barrier();
    }
  }

  /// right = A P in the rows of `count` nodes from the aggregate's `from`-th on.
  /// \tparam Table  whether there is one of far places.
  template <bool Table>
  KOKKOS_FUNCTION void multiply(const Member& team, Ordinal from, Ordinal count, const Part& part) const {
    const Ordinal first = aggregates.begin(part.aggregate) + from;
    const Ordinal fours = plan.stride(part.aggregate) * (line / 4);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, fours), [&](Ordinal k) { part.right[k] = Four{}; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](Ordinal item) {
      if constexpr (Short)
        multiply_row<Table>(aggregates.node(first + item), item, part);
      else
        multiply_row<Table>(team, aggregates.node(first + item), item, part);
    });
  }

  /// A row of A P by one thread. Entries are read some at a time, so that they wait for memory together.
  template <bool Table>
  KOKKOS_FUNCTION void multiply_row(Ordinal node, Ordinal row, const Part& part) const {
    constexpr int rows = 3, entries = 4; // of P at a time
    const Offset first = a.graph.row_map(node);
    const Ordinal length = a.graph.length(node);
    for (Ordinal k = 0; k < length; k += rows) {
      float factor[rows];
      Offset begin[rows];
      Ordinal count[rows], longest = 0;
      for (int j = 0; j < rows; ++j) {
        const Offset entry = first + Kokkos::min(k + j, length - 1);
        const Ordinal neighbor = a.graph.columns(entry);
        factor[j] = a.values(entry);
        begin[j] = p.graph.row_map(neighbor);
        count[j] = k + j < length ? static_cast<Ordinal>(p.graph.row_map(neighbor + 1) - begin[j]) : 0;
        longest = Kokkos::max(longest, count[j]);
      }
      for (Ordinal m = 0; m < longest; m += entries) {
        Ordinal column[rows][entries];
        float value[rows][entries];
        for (int j = 0; j < rows; ++j)
          for (int i = 0; i < entries; ++i) {
            const bool inside = m + i < count[j];
            column[j][i] = inside ? p.graph.columns(begin[j] + m + i) : -1;
            value[j][i] = inside ? p.values(begin[j] + m + i) : 0;
          }
        for (int j = 0; j < rows; ++j) add_entries<Table>(column[j], value[j], factor[j], row, part);
      }
    }
  }

  /// Adds some entries of one row of P, of which those with a negative column are none.
  template <bool Table, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Ordinal (&column)[Count], const float (&value)[Count],
                                               float factor, Ordinal row, const Part& part) const {
    float* const sums = values_of(part.right);
    Ordinal place[Count];
    float sum[Count];
    for (int i = 0; i < Count; ++i) {
      place[i] = at(column[i] < 0 ? 0 : far_place<Table>(column[i], part), row);
      sum[i] = sums[place[i]];
    }
    for (int i = 0; i < Count; ++i)
      if (column[i] >= 0) sums[place[i]] = sum[i] + factor * value[i];
  }

  /// The same by the lanes of a thread, each with its entries of the rows of P.
  template <bool Table>
  KOKKOS_FUNCTION void multiply_row(const Member& team, Ordinal node, Ordinal row, const Part& part) const {
    const Offset first = a.graph.row_map(node);
    const Ordinal length = a.graph.length(node);
    float* const sums = values_of(part.right);
    for (Ordinal k = 0; k < length; ++k) {
      const Ordinal neighbor = a.graph.columns(first + k);
      const Offset begin = p.graph.row_map(neighbor);
      const float factor = a.values(first + k);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, p.graph.length(neighbor)), [&](Ordinal m) {
        sums[at(far_place<Table>(p.graph.columns(begin + m), part), row)] += factor * p.values(begin + m);
      });
      vector_fence();
    }
  }

  /// left = P in these rows.
  KOKKOS_FUNCTION void spread_left(const Member& team, Ordinal from, Ordinal count, const Part& part) const {
    const Ordinal near_count = plan.near.length(part.aggregate);
    const Ordinal first = aggregates.begin(part.aggregate) + from;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * (line / 4)),
                         [&](Ordinal k) { part.left[k] = Four{}; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count * prolongator_lanes), [&](Ordinal lane) {
      const Ordinal item = lane / prolongator_lanes, node = aggregates.node(first + item);
      const Offset begin = p.graph.row_map(node);
      const Ordinal length = p.graph.length(node);
      for (Ordinal m = lane % prolongator_lanes; m < length; m += prolongator_lanes)
        values_of(part.left)[at(part.near.place_of(p.graph.columns(begin + m)), item)] = p.values(begin + m);
    });
  }

  /// out = leftᵀ right, four far columns by each lane; added to what is there if `more`.
  KOKKOS_FUNCTION void add_up(const Member& team, bool more, Ordinal rows, const Part& part) const {
    const Ordinal near_count = plan.near.length(part.aggregate), far_fours = plan.stride(part.aggregate) / 4;
    const Ordinal row_fours = (rows + 3) / 4;
    Four* const to = reinterpret_cast<Four*>(out.data() + plan.begin(part.aggregate));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * far_fours), [&](Ordinal item) {
      const Ordinal four = item / near_count, near = item - four * near_count;
      Four& result = to[near * far_fours + four];
      Four sum{};
      if (more) sum = result;
      for (Ordinal r = 0; r < row_fours; ++r) {
        const Four x = part.left[at(near, 4 * r) / 4];
        for (int j = 0; j < 4; ++j) {
          const Four y = part.right[at(4 * four + j, 4 * r) / 4];
          for (int i = 0; i < 4; ++i) sum.value[j] += x.value[i] * y.value[i];
        }
      }
      result = sum;
    });
  }
};

} // namespace tessera::solvers::multigrid::detail

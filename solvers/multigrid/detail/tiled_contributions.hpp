#pragma once

/// \file
/// The contributions of aggregates to PᵀAP on devices: rows of A P in fast memory, a tile of them at a time.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// One column of each block of Σ P(n, J)ᵀ (A P)(n, K) over an aggregate's nodes n, by a team.
///
/// A thread takes a row of A P, or a node's rows, its lanes the entries of a row of P. Where a far column is
/// in the tile is read from a table without collisions, by the plan's multipliers. No sum depends on the
/// order of threads.
///
/// \tparam Scalar  one lane a row: for blocks of single values and short rows of P.
template <class ExecutionSpace, bool Scalar>
struct TiledContributions {
  using Member = TeamMember<ExecutionSpace>;
  using ByteScratch = Scratch<std::uint8_t, ExecutionSpace>;

  /// Neighbouring values, read and written as one.
  struct alignas(16) Four {
    float value[4];
  };
  using Tile = Scratch<Four, ExecutionSpace>;

  static constexpr Ordinal warp = 32;
  using Bounds = Kokkos::LaunchBounds<Scalar ? warp : 8 * warp>;
  static constexpr Ordinal prolongator_lanes = runs_on_host<ExecutionSpace> ? 1 : 8;

  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;
  int mode = 0;             // the column
  Ordinal tile_rows = warp; // rows of A P at a time
  int scratch_level = 0;

  void choose_room() {
    constexpr Ordinal most_rows = 3 * warp; // unless a node has more
    const Ordinal rows =
        Kokkos::max<Ordinal>(a.block_rows, Kokkos::min(most_rows, aggregates.largest * a.block_rows));
    tile_rows = Scalar ? warp : (rows + warp - 1) / warp * warp;
  }
  int team_size() const { return runs_on_host<ExecutionSpace> ? 1 : warp; }
  int lanes() const { return runs_on_host<ExecutionSpace> || Scalar ? 1 : 8; }

  KOKKOS_FUNCTION std::size_t near_room() const {
    return static_cast<std::size_t>(plan.near.longest) * tile_rows / 4;
  }
  KOKKOS_FUNCTION std::size_t far_room() const {
    return static_cast<std::size_t>(plan.whole_fours(plan.far.longest)) * tile_rows / 4;
  }
  KOKKOS_FUNCTION std::size_t table_room() const {
    return plan.table_bits > 0 ? std::size_t{1} << plan.table_bits : 0;
  }
  std::size_t scratch_bytes() const {
    return Tile::shmem_size(near_room()) + Tile::shmem_size(far_room()) +
           ByteScratch::shmem_size(table_room());
  }

  /// What a team works on.
  struct Part {
    Ordinal aggregate;
    Four *left, *right; // near columns, far columns × rows
    std::uint8_t* table;
    std::uint32_t multiplier;
    AscendingSearch near, far;
  };

  KOKKOS_FORCEINLINE_FUNCTION Ordinal rows_of_tile() const { return Scalar ? warp : tile_rows; }
  KOKKOS_FORCEINLINE_FUNCTION int modes() const { return Scalar ? 1 : p.block_columns; }

  /// Where a row of a tile's line is: lines are turned against each other in steps of four, so that threads
  /// that read one row of several lines, or several rows of one, read from different banks.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal at(Ordinal line, Ordinal row) const {
    const Ordinal turned = (row + 4 * line) & (warp - 1);
    return Scalar ? line * warp + turned : line * tile_rows + (row & ~(warp - 1)) + turned;
  }
  KOKKOS_FORCEINLINE_FUNCTION static float* values_of(Four* tile) { return tile->value; }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot(Ordinal column, std::uint32_t multiplier) const {
    return static_cast<std::uint32_t>(column) * multiplier >> (32 - plan.table_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal far_place(Ordinal column, const Part& part) const {
    return part.multiplier != 0 ? part.table[slot(column, part.multiplier)] : part.far.place_of(column);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank(), nodes = aggregates.size(aggregate);
    const auto& scratch = team.team_scratch(scratch_level);
    const Tile left(scratch, near_room()), right(scratch, far_room());
    const ByteScratch table(scratch, table_room());
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
    const Ordinal at_a_time = Scalar ? warp : tile_rows / a.block_rows; // nodes
    for (Ordinal node = 0; node < nodes; node += at_a_time) {
      const Ordinal count = Kokkos::min(at_a_time, nodes - node);
      multiply(team, node, count, part);
      for (int m = 0; m < modes(); ++m) {
        spread_left(team, node, count, m, part);
        team.team_barrier();
        add_up(team, node > 0, count * a.block_rows, m, part);
        team.team_barrier();
      }
    }
  }

  /// right = A P in the rows of `count` nodes from the aggregate's `from`-th on.
  KOKKOS_FUNCTION void multiply(const Member& team, Ordinal from, Ordinal count, const Part& part) const {
    const Ordinal first = aggregates.begin(part.aggregate) + from;
    const Ordinal fours = plan.stride(part.aggregate) * (rows_of_tile() / 4);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, fours), [&](Ordinal k) { part.right[k] = Four{}; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](Ordinal item) {
      if constexpr (Scalar)
        multiply_row(aggregates.node(first + item), item, part);
      else
        multiply_rows(team, aggregates.node(first + item), item * a.block_rows, part);
    });
  }

  /// A row of A P by one thread. Entries are read some at a time, so that they wait for memory together.
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
        for (int j = 0; j < rows; ++j) add_entries(column[j], value[j], factor[j], row, part);
      }
    }
  }

  /// Adds some entries of one row of P, of which those with a negative column are none.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Ordinal (&column)[Count], const float (&value)[Count],
                                               float factor, Ordinal row, const Part& part) const {
    float* const sums = values_of(part.right);
    Ordinal place[Count];
    float sum[Count];
    for (int i = 0; i < Count; ++i) {
      place[i] = at(column[i] < 0 ? 0 : far_place(column[i], part), row);
      sum[i] = sums[place[i]];
    }
    for (int i = 0; i < Count; ++i)
      if (column[i] >= 0) sums[place[i]] = sum[i] + factor * value[i];
  }

  /// A node's rows of A P by the lanes of a thread, each with its entries of the rows of P.
  KOKKOS_FUNCTION void multiply_rows(const Member& team, Ordinal node, Ordinal first_row,
                                     const Part& part) const {
    constexpr int together = 3; // columns of a block
    const Offset first = a.graph.row_map(node);
    const Ordinal length = a.graph.length(node);
    const int columns = a.block_columns, height = a.block_rows;
    const Offset a_stride = static_cast<Offset>(length) * columns; // from a row to the next
    float* const sums = values_of(part.right);
    for (Ordinal k = 0; k < length; ++k) {
      const Ordinal neighbor = a.graph.columns(first + k);
      const Offset begin = p.graph.row_map(neighbor);
      const Ordinal count = p.graph.length(neighbor);
      const Offset p_stride = static_cast<Offset>(count) * p.block_columns;
      const float* const factors = a.values.data() + a.row_begin(node, 0) + static_cast<Offset>(k) * columns;
      const float* const values = p.values.data() + p.row_begin(neighbor, 0) + mode;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal m) {
        const Ordinal line = far_place(p.graph.columns(begin + m), part);
        const float* const from = values + static_cast<Offset>(m) * p.block_columns;
        for (int c = 0; c < columns; c += together) {
          float value[together];
          for (int j = 0; j < together; ++j) value[j] = c + j < columns ? from[(c + j) * p_stride] : 0;
          for (int r = 0; r < height; ++r) {
            const float* const factor = factors + r * a_stride + c;
            float sum = factor[0] * value[0];
            for (int j = 1; j < together; ++j)
              if (c + j < columns) sum += factor[j] * value[j];
            sums[at(line, first_row + r)] += sum;
          }
        }
      });
    }
  }

  /// left = one column of each block of P in these rows.
  KOKKOS_FUNCTION void spread_left(const Member& team, Ordinal from, Ordinal count, int column,
                                   const Part& part) const {
    const Ordinal near_count = plan.near.length(part.aggregate);
    const Ordinal first = aggregates.begin(part.aggregate) + from;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * (rows_of_tile() / 4)),
                         [&](Ordinal k) { part.left[k] = Four{}; });
    team.team_barrier();
    const int height = Scalar ? 1 : p.block_rows;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count * prolongator_lanes), [&](Ordinal lane) {
      const Ordinal item = lane / prolongator_lanes, node = aggregates.node(first + item);
      const Offset begin = p.graph.row_map(node);
      const Ordinal length = p.graph.length(node);
      for (Ordinal m = lane % prolongator_lanes; m < length; m += prolongator_lanes) {
        const Ordinal line = part.near.place_of(p.graph.columns(begin + m));
        for (int r = 0; r < height; ++r)
          values_of(part.left)[at(line, item * height + r)] =
              Scalar ? p.values(begin + m)
                     : p.values(p.row_begin(node, r) + static_cast<Offset>(m) * p.block_columns + column);
      }
    });
  }

  /// out = leftᵀ right, four far columns by each lane; added to what is there if `more`.
  KOKKOS_FUNCTION void add_up(const Member& team, bool more, Ordinal rows, int column,
                              const Part& part) const {
    const Ordinal near_count = plan.near.length(part.aggregate), far_fours = plan.stride(part.aggregate) / 4;
    const Ordinal row_fours = (rows + 3) / 4;
    Four* const to = reinterpret_cast<Four*>(out.data() + plan.begin(part.aggregate) * modes());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * far_fours), [&](Ordinal item) {
      const Ordinal four = item / near_count, near = item - four * near_count;
      Four& result = to[(near * modes() + column) * far_fours + four];
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

} // namespace tessera::solvers::multigrid

#pragma once

/// \file
/// The contributions of aggregates to PᵀAP on devices: rows of A P in fast memory, a tile of them at a time.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/meeting_aggregates.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// One column of each block of Σ P(n, J)ᵀ (A P)(n, K) over an aggregate's nodes n, by a team.
///
/// The aggregate's halo, the nodes that its rows have entries for, is found in a hash table; the halo's rows
/// of P are then copied to fast memory, their columns as places in the far list. A thread takes a row of A P;
/// where values are blocks, its lanes the entries of a row of P. No sum depends on the order of threads.
///
/// \tparam Scalar  whether blocks are single values.
template <class ExecutionSpace, bool Scalar>
struct TiledContributions {
  using Member = TeamMember<ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;
  using FloatScratch = Scratch<float, ExecutionSpace>;

  /// Neighbouring values, read and written as one.
  struct alignas(16) Four {
    float value[4];
  };
  using Tile = Scratch<Four, ExecutionSpace>;

  /// A node's row of P among the copied ones.
  struct Row {
    Ordinal begin, count;
  };
  using RowScratch = Scratch<Row, ExecutionSpace>;

  static constexpr Ordinal warp = 32;
  using Bounds = Kokkos::LaunchBounds<Scalar ? 4 * warp : 8 * warp, Scalar ? 8 : 2>;
  static constexpr Ordinal matrix_lanes = lanes_of_matrix<ExecutionSpace>;
  static constexpr Ordinal prolongator_lanes = lanes_of_prolongator<ExecutionSpace>;

  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;
  int mode = 0;             // the column
  Ordinal room = 0;         // of the hash table, a power of two
  Ordinal tile_rows = warp; // rows of A P at a time
  bool copied = true;       // whether the values of P are in fast memory, too
  int scratch_level = 0;

  /// The hash table's size; and values of P stay where they are if they do not fit.
  void choose_room() {
    for (room = 4; 4 * room < 5 * plan.halo;) room *= 2;
    tile_rows = (a.block_rows + warp - 1) / warp * warp;
    copied = true;
    copied =
        scratch_bytes() <= static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0));
  }
  int team_size() const { return runs_on_host<ExecutionSpace> ? 1 : Scalar ? 4 * warp : warp; }
  int lanes() const { return runs_on_host<ExecutionSpace> || Scalar ? 1 : 8; }

  KOKKOS_FUNCTION std::size_t numbers_room() const {
    return static_cast<std::size_t>(room) + plan.near.longest + plan.far.longest + plan.halo +
           plan.halo_entries + plan.entries + aggregates.largest + 3;
  }
  KOKKOS_FUNCTION Ordinal far_lines() const { return (plan.far.longest + 3) / 4 * 4; }
  KOKKOS_FUNCTION std::size_t values_room() const {
    return copied ? static_cast<std::size_t>(plan.halo_entries) * a.block_columns : 0;
  }

  std::size_t scratch_bytes() const {
    return Tile::shmem_size(static_cast<std::size_t>(plan.near.longest) * tile_rows / 4) +
           Tile::shmem_size(static_cast<std::size_t>(far_lines()) * tile_rows / 4) +
           RowScratch::shmem_size(room) + FloatScratch::shmem_size(values_room()) +
           OrdinalScratch::shmem_size(numbers_room());
  }

  /// A team's fast memory.
  struct Tables {
    HashSet<ExecutionSpace> halo;
    Row* row;              // slot: the node's row of P
    float* values;         // of P; rows of an entry's block follow each other
    Four *left, *right;    // near columns, far columns × rows
    Ordinal *near, *far;   // the aggregate's lists
    Ordinal *used, *place; // slots of the halo's nodes in any order; far place of an entry of P
    Ordinal *slot, *first; // of an entry of A; a node's first such entry
    Ordinal* count;        // nodes of the halo, entries of P there, entries of A
  };

  KOKKOS_FORCEINLINE_FUNCTION Ordinal rows_of_tile() const { return Scalar ? warp : tile_rows; }
  KOKKOS_FORCEINLINE_FUNCTION int modes() const { return Scalar ? 1 : p.block_columns; }
  KOKKOS_FORCEINLINE_FUNCTION int width() const { return Scalar ? 1 : a.block_columns; }

  /// Where a row of a tile's line is: lines are turned against each other in steps of four, so that threads
  /// that read one row of several lines, or several rows of one, read from different banks.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal at(Ordinal line, Ordinal row) const {
    const Ordinal turned = (row + 4 * line) & (warp - 1);
    return Scalar ? line * warp + turned : line * tile_rows + (row & ~(warp - 1)) + turned;
  }
  KOKKOS_FORCEINLINE_FUNCTION static float* values_of(Four* tile) { return tile->value; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank(), nodes = aggregates.size(aggregate);
    const Ordinal near_longest = plan.near.longest, far_longest = plan.far.longest;
    const auto& scratch = team.team_scratch(scratch_level);
    const Tile left(scratch, static_cast<std::size_t>(near_longest) * tile_rows / 4);
    const Tile right(scratch, static_cast<std::size_t>(far_lines()) * tile_rows / 4);
    const RowScratch rows(scratch, room);
    const FloatScratch values(scratch, values_room());
    const OrdinalScratch numbers(scratch, numbers_room());
    Ordinal* next = numbers.data() + room;
    const auto take = [&next](Ordinal count) { return (next += count) - count; };
    const Tables t{{OrdinalScratch(numbers.data(), room)},
                   rows.data(),
                   values.data(),
                   left.data(),
                   right.data(),
                   take(near_longest),
                   take(far_longest),
                   take(plan.halo),
                   take(plan.halo_entries),
                   take(plan.entries),
                   take(aggregates.largest),
                   take(3)};
    gather(team, aggregate, t);
    const Ordinal at_a_time = Scalar ? warp : tile_rows / a.block_rows; // nodes
    for (Ordinal node = 0; node < nodes; node += at_a_time) {
      const Ordinal count = Kokkos::min(at_a_time, nodes - node);
      multiply(team, aggregate, node, count, t);
      for (int m = 0; m < modes(); ++m) {
        spread_left(team, aggregate, node, count, m, t);
        team.team_barrier();
        add_up(team, aggregate, node > 0, count * a.block_rows, m, t);
        team.team_barrier();
      }
    }
  }

  /// Copies lists, finds the halo, and copies its rows of P.
  KOKKOS_FUNCTION void gather(const Member& team, Ordinal aggregate, const Tables& t) const {
    const Ordinal first = aggregates.begin(aggregate), nodes = aggregates.size(aggregate);
    const Ordinal near_count = plan.near.length(aggregate), far_count = plan.far.length(aggregate);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, room), [&](Ordinal k) { t.halo.table(k) = -1; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count),
                         [&](Ordinal k) { t.near[k] = plan.near.columns(plan.near.row_map(aggregate) + k); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, far_count),
                         [&](Ordinal k) { t.far[k] = plan.far.columns(plan.far.row_map(aggregate) + k); });
    Kokkos::single(Kokkos::PerTeam(team), [&]() { t.count[0] = t.count[1] = t.count[2] = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes), [&](Ordinal item) {
      t.first[item] = Kokkos::atomic_fetch_add(&t.count[2], a.graph.length(aggregates.node(first + item)));
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes * matrix_lanes), [&](Ordinal lane) {
      const Ordinal item = lane / matrix_lanes, node = aggregates.node(first + item);
      const Offset begin = a.graph.row_map(node);
      const Ordinal length = a.graph.length(node);
      for (Ordinal k = lane % matrix_lanes; k < length; k += matrix_lanes) {
        const Ordinal neighbor = a.graph.columns(begin + k);
        std::uint32_t slot = 0;
        if (t.halo.insert(neighbor, slot) > 0) {
          const Ordinal count = p.graph.length(neighbor);
          t.used[Kokkos::atomic_fetch_add(&t.count[0], 1)] = static_cast<Ordinal>(slot);
          t.row[slot] = {Kokkos::atomic_fetch_add(&t.count[1], count), count};
        }
        t.slot[t.first[item] + k] = static_cast<Ordinal>(slot);
      }
    });
    team.team_barrier();
    const int columns = width();
    const AscendingSearch far(t.far, far_count);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, t.count[0] * prolongator_lanes), [&](Ordinal lane) {
      const Ordinal slot = t.used[lane / prolongator_lanes], node = t.halo.table(slot);
      const Row row = t.row[slot];
      const Offset begin = p.graph.row_map(node);
      for (Ordinal m = lane % prolongator_lanes; m < row.count; m += prolongator_lanes) {
        const Ordinal entry = row.begin + m;
        t.place[entry] = far.place_of(p.graph.columns(begin + m));
        if (Scalar)
          t.values[entry] = p.values(begin + m);
        else if (copied)
          for (int c = 0; c < columns; ++c)
            t.values[entry * columns + c] =
                p.values((begin * columns + static_cast<Offset>(row.count) * c + m) * p.block_columns + mode);
      }
    });
  }

  /// right = A P in the rows of `count` nodes from the aggregate's `from`-th on.
  KOKKOS_FUNCTION void multiply(const Member& team, Ordinal aggregate, Ordinal from, Ordinal count,
                                const Tables& t) const {
    const Ordinal first = aggregates.begin(aggregate) + from;
    const Ordinal fours = plan.stride(aggregate) * (rows_of_tile() / 4);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, fours), [&](Ordinal k) { t.right[k] = Four{}; });
    team.team_barrier();
    const Ordinal height = Scalar ? 1 : a.block_rows;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count * height), [&](Ordinal row) {
      const Ordinal item = Scalar ? row : row / height, node = aggregates.node(first + item);
      const Ordinal length = a.graph.length(node);
      const Ordinal* const slots = t.slot + t.first[from + item];
      const float* const factors = a.values.data() + a.row_begin(node, row - item * height);
      for (Ordinal k = 0; k < length; ++k) {
        if constexpr (Scalar)
          multiply_value(factors[k], t.row[slots[k]], row, t);
        else
          multiply_block(team, factors + static_cast<std::size_t>(k) * width(), slots[k], row, t);
      }
    });
  }

  /// Adds an entry of A times a row of P.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_value(float factor, Row entries, Ordinal row,
                                                  const Tables& t) const {
    float* const sums = values_of(t.right);
    for (Ordinal entry = entries.begin; entry < entries.begin + entries.count; ++entry)
      sums[at(t.place[entry], row)] += factor * t.values[entry];
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_block(const Member& team, const float* factors, Ordinal slot,
                                                  Ordinal row, const Tables& t) const {
    const Row entries = t.row[slot];
    const int columns = width();
    const float factor = factors[0];
    const Offset stride = static_cast<Offset>(entries.count) * p.block_columns;
    const float* const rows = copied ? nullptr : p.values.data() + p.row_begin(t.halo.table(slot), 0) + mode;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, entries.count), [&](Ordinal m) {
      const Ordinal entry = entries.begin + m;
      float sum = 0;
      if (copied) {
        const float* const values = t.values + entry * columns;
        sum = factor * values[0];
        for (int c = 1; c < columns; ++c) sum += factors[c] * values[c];
      } else {
        const float* const values = rows + static_cast<Offset>(m) * p.block_columns;
        sum = factor * values[0];
        for (int c = 1; c < columns; ++c) sum += factors[c] * values[c * stride];
      }
      values_of(t.right)[at(t.place[entry], row)] += sum;
    });
  }

  /// left = one column of each block of P in these rows.
  KOKKOS_FUNCTION void spread_left(const Member& team, Ordinal aggregate, Ordinal from, Ordinal count,
                                   int column, const Tables& t) const {
    const Ordinal near_count = plan.near.length(aggregate), first = aggregates.begin(aggregate) + from;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * (rows_of_tile() / 4)),
                         [&](Ordinal k) { t.left[k] = Four{}; });
    team.team_barrier();
    const AscendingSearch near(t.near, near_count);
    const int height = Scalar ? 1 : p.block_rows;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count * prolongator_lanes), [&](Ordinal lane) {
      const Ordinal item = lane / prolongator_lanes, node = aggregates.node(first + item);
      const Offset begin = p.graph.row_map(node);
      const Ordinal length = p.graph.length(node);
      for (Ordinal m = lane % prolongator_lanes; m < length; m += prolongator_lanes) {
        const Ordinal line = near.place_of(p.graph.columns(begin + m));
        for (int r = 0; r < height; ++r)
          values_of(t.left)[at(line, item * height + r)] =
              Scalar ? p.values(begin + m)
                     : p.values(p.row_begin(node, r) + static_cast<Offset>(m) * p.block_columns + column);
      }
    });
  }

  /// out = leftᵀ right, four far columns by each lane; added to what is there if `more`.
  KOKKOS_FUNCTION void add_up(const Member& team, Ordinal aggregate, bool more, Ordinal rows, int column,
                              const Tables& t) const {
    const Ordinal near_count = plan.near.length(aggregate), far_fours = plan.stride(aggregate) / 4;
    const Ordinal row_fours = (rows + 3) / 4;
    Four* const to = reinterpret_cast<Four*>(out.data() + plan.begin(aggregate) * modes());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * far_fours), [&](Ordinal item) {
      const Ordinal four = item / near_count, near = item - four * near_count;
      Four& result = to[(near * modes() + column) * far_fours + four];
      Four sum{};
      if (more) sum = result;
      for (Ordinal r = 0; r < row_fours; ++r) {
        const Four x = t.left[at(near, 4 * r) / 4];
        for (int j = 0; j < 4; ++j) {
          const Four y = t.right[at(4 * four + j, 4 * r) / 4];
          for (int i = 0; i < 4; ++i) sum.value[j] += x.value[i] * y.value[i];
        }
      }
      result = sum;
    });
  }
};

} // namespace tessera::solvers::multigrid

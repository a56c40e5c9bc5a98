// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How lanes that share an element divide its matrix.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/strategies/cuda/group_sums.hpp>
#include <tessera/strategies/cuda/shuffle.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Execution spaces whose threads have vector lanes of their own; on the others one lane does an element.
template <class ExecutionSpace>
inline constexpr bool has_lanes_v = !runs_on_host<ExecutionSpace>;

/// Team scratch for element data: on devices the fast memory of the team; host teams have too little of level
/// 0 for packs of elements.
template <class ExecutionSpace>
inline constexpr int element_scratch_level_v = has_lanes_v<ExecutionSpace> ? 0 : 1;

/// The map from blocks of an element matrix (node pairs) to tiles and lanes.
///
/// A tile is two neighbouring blocks, side by side (`wide`: with 8 nodes 4 lanes share a node's rows; paper
/// 2, Figure 2) or one above the other (8 lanes share two nodes' rows; Figure 6). Tiles are numbered by rows,
/// and lane l computes the tiles l, l + lanes, ... of a group of `rows` node rows; with 8 nodes and 32 lanes
/// one group is the matrix, and every lane has one tile.
template <int Nodes, bool OnDevice>
struct BlockTiles {
  static constexpr int half = (Nodes + 1) / 2;
  static constexpr int lanes =
      OnDevice ? std::min(warp_lanes, static_cast<int>(std::bit_ceil(static_cast<unsigned>(Nodes* half))))
               : 1;
  /// Node rows in a group: on a device as many as two tiles a lane cover, even unless it is all of them.
  static constexpr int rows =
      OnDevice ? std::min(Nodes, std::max(2, 2 * lanes / half / 2 * 2)) : std::min(Nodes, 2);
  static constexpr int groups = (Nodes + rows - 1) / rows;
  /// Tiles in a group, at most (the tall ones may be fewer).
  static constexpr int tiles = rows * half;
  /// Tiles of one lane in a group.
  static constexpr int passes = (tiles + lanes - 1) / lanes;
  /// Places for the offsets of an element's blocks.
  static constexpr int slots = 2 * Nodes * half;

  /// One tile: the node that its two blocks share, and the first of the pair in which they differ.
  struct Tile {
    int shared, pair, blocks; ///< `blocks`: 0 (no such tile), 1 or 2

    KOKKOS_FORCEINLINE_FUNCTION int row(bool wide, int k) const { return wide ? shared : pair + k; }
    KOKKOS_FORCEINLINE_FUNCTION int column(bool wide, int k) const { return wide ? pair + k : shared; }
  };

  /// Tile t of the group that starts at node row `begin`.
  KOKKOS_FORCEINLINE_FUNCTION static Tile tile(bool wide, int begin, int t) {
    const int end = begin + rows < Nodes ? begin + rows : Nodes;
    Tile tile;
    bool exists;
    if (wide) {
      tile.shared = begin + t / half;
      tile.pair = t % half * 2;
      exists = tile.shared < end;
    } else {
      tile.shared = t % Nodes;
      tile.pair = begin + t / Nodes * 2;
      exists = tile.pair < end;
    }
    tile.blocks = !exists ? 0 : tile.pair + 1 < (wide ? Nodes : end) ? 2 : 1;
    return tile;
  }

  /// Where the offset of block (i, j) is kept for lanes that add their own blocks: first all even blocks of
  /// the tiles, then all odd ones, each in the order of the lanes (paper 2, Figure 5).
  KOKKOS_FORCEINLINE_FUNCTION static int slot(bool wide, int i, int j) {
    return wide ? j % 2 * (Nodes * half) + i * half + j / 2 : i % 2 * (Nodes * half) + i / 2 * Nodes + j;
  }
};

/// The lanes of one team thread, as the phases of an element kernel see them.
template <class Member, int Lanes>
struct VectorLanes {
  const Member& team;

  /// Calls f(0) ... f(count - 1), item i by lane i modulo the lanes; afterwards all lanes see what was
  /// written.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int count, const F& f) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), f);
    vector_fence();
  }
  /// Calls store(s, sum) for s = 0 ... sums - 1 with sum = term(s, 0) + ... + term(s, Terms - 1), added by
  /// the lanes in a fixed order; afterwards all lanes see what was stored. By shuffles several sums at a
  /// time, elsewhere one after the other.
  template <int Terms, class Real, class Term, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_sum(int sums, const Term& term, const Store& store) const {
    if constexpr (has_shuffles<typename Member::execution_space>) {
      group_sums<Lanes, Terms, Real>(sums, term, store);
    } else {
      for (int s = 0; s < sums; ++s) {
        Real sum = Real(0);
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, Terms), [&](int i, Real& partial) { partial += term(s, i); },
            sum);
        for_each(1, [&](int) { store(s, sum); });
      }
    }
  }
  static constexpr bool alone = Lanes == 1;
};

/// The threads of a team that shares one element.
template <class Member>
struct TeamLanes {
  const Member& team;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int count, const F& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), f);
    team.team_barrier();
  }
  static constexpr bool alone = false;
};

} // namespace TESSERA_KERNELS::assembly::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The layout of the scratch of a team of `CornerRows`, and how a node's lists get there.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/node_cells.hpp>
#include <tessera/strategies/cuda/opaque.hpp>
#include <tessera/strategies/cuda/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// One node as one of its threads sees it, and its scratch.
template <class Scalar>
struct CornerWork {
  Ordinal node;
  bool exists;               ///< there are no more nodes than threads for them
  int lane;                  ///< the first of the thread's lanes
  int seat;                  ///< the node's number in the team
  std::uint64_t* lists;      ///< of slots, by neighbour; the team's nodes take turns
  Scalar* slots;             ///< where the neighbours' coordinates and the lanes' shapes lie before
  Offset begin = 0, end = 0; ///< of the neighbours

  /// Number of neighbours: computed late, for who computes it waits for both.
  KOKKOS_FORCEINLINE_FUNCTION int degree() const { return static_cast<int>(end - begin); }
};

/// The scratch of a team: lists of slots of all its nodes, which take turns so that they lie in different
/// banks; for each node its slots; where there are constraints, for each node rows and load to be finished.
///
/// \tparam plane slots of one entry of the blocks
/// \tparam own_numbers that the sums at a node itself take
template <class Scalar, int components, int plane, int own_numbers>
struct CornerScratch {
  static constexpr int blocks = components * components;
  int nodes;        ///< of a team
  int max_degree;   ///< neighbours of a node, the most
  int capacity;     ///< neighbours whose coordinates there is room for
  bool constrained; ///< whether rows may have to be finished

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* lists(void* memory) const {
    return static_cast<std::uint64_t*>(memory);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* slots(void* memory, int seat) const {
    return reinterpret_cast<Scalar*>(lists(memory) + nodes * max_degree) + seat * slots_per_node();
  }
  /// Rows, then load, of a node that has to be finished.
  KOKKOS_FORCEINLINE_FUNCTION Scalar* rows(Scalar* slots_of_node, int seat) const {
    return slots_of_node + (nodes - seat) * slots_per_node() + seat * rows_per_node();
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes() const {
    return nodes *
           (max_degree * sizeof(std::uint64_t) + (slots_per_node() + rows_per_node()) * sizeof(Scalar));
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION int slots_per_node() const {
    constexpr int most = blocks * plane + own_numbers;
    // Eight more than a multiple of 16: the nodes of a team, with eight lanes each, lie in different banks.
    return (Kokkos::max(components * capacity, most) + 7) / 16 * 16 + 8;
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows_per_node() const {
    return constrained ? max_degree * blocks + components : 0;
  }
};

/// Brings a node's lists, and the coordinates of its neighbours, to scratch.
template <class ExecutionSpace, class Scalar>
struct CornerLists {
  using Cells = NodeCells<ExecutionSpace>;
  static constexpr int batch = Cells::step / Cells::lanes; ///< neighbours that a lane fetches at a time

  const Cells& cells;
  const MeshKernel<Hex<1>, ExecutionSpace>& mesh;

  /// Calls for the lists of a node that will have its turn when those in work are done.
  KOKKOS_FORCEINLINE_FUNCTION void fetch_ahead(Ordinal node, int lane) const {
    prefetch(&cells.neighbor_begin(node));
    prefetch(cells.row_of(cells.neighbors, node) + batch * lane);
    prefetch(cells.row_of(cells.slots, node) + batch * lane);
    prefetch(cells.row_of(cells.positions, node) + lane);
    prefetch(cells.row_of(cells.elements, node) + lane);
  }

  /// The neighbours' coordinates are relative to the node's; a few neighbours at a time, so that their loads
  /// overlap.
  template <int threads_per_node>
  KOKKOS_FORCEINLINE_FUNCTION void bring(const CornerWork<Scalar>& work, Offset row,
                                         int nodes_per_team) const {
    const Ordinal node = opaque(work.node);
    const int lane = opaque(work.lane), capacity = static_cast<int>(cells.neighbors.extent(1));
    const Ordinal* const neighbors = cells.row_of(cells.neighbors, node) + lane;
    const std::uint64_t* const slots = cells.row_of(cells.slots, row) + lane;
    const double* const origin = mesh.position(node);
    for (int first = 0; first < capacity; first += batch * threads_per_node) {
      Ordinal neighbor[batch];
      std::uint64_t list[batch];
      double x[batch][3];
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        neighbor[i] = neighbors[first + i * threads_per_node];
        list[i] = slots[first + i * threads_per_node];
      }
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const double* const position = mesh.position(neighbor[i]);
        for (int d = 0; d < 3; ++d) x[i][d] = position[d] - origin[d];
      }
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const int k = lane + first + i * threads_per_node;
        if (k < cells.max_degree) work.lists[k * nodes_per_team] = list[i];
        for (int d = 0; d < 3; ++d) work.slots[3 * k + d] = static_cast<Scalar>(x[i][d]);
      }
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail

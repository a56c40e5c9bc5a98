// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Blocks of nodes whose entries a team computes.

#include <tessera/core/allocate.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/node_pairs.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// Blocks of nodes, and one list per pair and one per load of each block's nodes. List numbers count from the
/// block's first: node by node its pairs, then its load.
template <class ExecutionSpace>
struct RowBlocks {
  Ordinal count = 0;
  Kokkos::View<const Ordinal*, ExecutionSpace> offsets;       ///< block (+1): first place in `nodes`
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes;         ///< place: node; empty: places are nodes
  Kokkos::View<Offset*, ExecutionSpace> first_list;           ///< place (+1)
  Kokkos::View<std::uint16_t*, ExecutionSpace> place_of_list; ///< counted from the block's first place
  Ordinal most_lists = 0;                                     ///< of a block

  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal place) const {
    return nodes.extent(0) == 0 ? place : nodes(place);
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal block) const { return first_list(offsets(block)); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal lists(Ordinal block) const {
    return static_cast<Ordinal>(first_list(offsets(block + 1)) - begin(block));
  }
  /// Of what `row_blocks` made: `offsets` and `nodes` are the caller's.
  std::size_t bytes() const { return bytes_of(first_list) + bytes_of(place_of_list); }

  /// What a list stands for: pair k of a node, or its load.
  struct Target {
    Ordinal node, k;
    bool load;
  };
  KOKKOS_FORCEINLINE_FUNCTION Target target(Ordinal block, Ordinal list) const {
    const Offset begin = this->begin(block), number = begin + list;
    const Ordinal place = offsets(block) + place_of_list(number);
    return {node(place), static_cast<Ordinal>(number - first_list(place)),
            number + 1 == first_list(place + 1)};
  }
};

template <class ExecutionSpace>
struct NumberLists {
  RowBlocks<ExecutionSpace> rows;
  NodePairs<ExecutionSpace> pairs;
  struct Scan {};
  struct Places {};

  KOKKOS_FUNCTION void operator()(Scan, Ordinal place, Offset& sum, bool final) const {
    const Ordinal lists = pairs.degree(rows.node(place)) + 1;
    if (final) {
      rows.first_list(place) = sum;
      if (place + 2 == static_cast<Ordinal>(rows.first_list.extent(0)))
        rows.first_list(place + 1) = sum + lists;
    }
    sum += lists;
  }
  KOKKOS_FUNCTION void operator()(Places, Ordinal block, Ordinal& most) const {
    for (Ordinal place = rows.offsets(block); place < rows.offsets(block + 1); ++place)
      for (Offset list = rows.first_list(place); list < rows.first_list(place + 1); ++list)
        rows.place_of_list(list) = static_cast<std::uint16_t>(place - rows.offsets(block));
    most = Kokkos::max(most, rows.lists(block));
  }
};

/// Numbers the lists of blocks of at most 65536 nodes.
/// \param offsets block (+1): first place in `nodes`
/// \param nodes every node once, sorted by block; empty for 0, 1, ...
template <class ExecutionSpace>
RowBlocks<ExecutionSpace> row_blocks(const ExecutionSpace& exec, const NodePairs<ExecutionSpace>& pairs,
                                     const Kokkos::View<Ordinal*, ExecutionSpace>& offsets,
                                     const Kokkos::View<Ordinal*, ExecutionSpace>& nodes) {
  using Builder = NumberLists<ExecutionSpace>;
  const auto places = static_cast<Ordinal>(pairs.offsets.extent(0)) - 1;
  RowBlocks<ExecutionSpace> rows{static_cast<Ordinal>(offsets.extent(0)) - 1, offsets, nodes, {}, {}, 0};
  rows.first_list =
      decltype(rows.first_list)(Kokkos::view_alloc(exec, "Tessera::RowBlocks::first_list"), places + 1);
  Offset lists = 0;
  Kokkos::parallel_scan("Tessera::RowBlocks::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, places),
                        Builder{rows, pairs}, lists);
  rows.place_of_list =
      allocate<decltype(rows.place_of_list)>(exec, "Tessera::RowBlocks::place_of_list", lists);
  Ordinal most = 0;
  Kokkos::parallel_reduce("Tessera::RowBlocks::places",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Places>(exec, 0, rows.count),
                          Builder{rows, pairs}, Kokkos::Max<Ordinal>(most));
  rows.most_lists = rows.count == 0 ? 0 : most;
  return rows;
}

/// Writes entries of lists into the system.
template <class ExecutionSpace, class Scalar>
struct ListWriter {
  RowBlocks<ExecutionSpace> rows;
  NodePairs<ExecutionSpace> pairs;
  SystemKernel<ExecutionSpace, Scalar> system;
  bool add; ///< adds to what is there, else overwrites

  /// Entry (a, b) of a pair's block, or entry a of a load (b is 0); nothing where there is no such equation.
  KOKKOS_FORCEINLINE_FUNCTION void put(const typename RowBlocks<ExecutionSpace>::Target& target, int a, int b,
                                       Scalar value) const {
    const auto& equations = system.equations;
    if (equations.is_constrained(target.node, a)) return;
    const Ordinal row = equations.equation(target.node, a);
    if (target.load) {
      if (b == 0) set(system.rhs(row), value);
      return;
    }
    int rank = b;
    if (equations.constrained) {
      const Ordinal neighbor = pairs.neighbor(target.node, target.k);
      if (equations.is_constrained(neighbor, b)) {
        if (equations.removed) return;
        value = 0; // its part of the load has been taken off
      }
      rank = equations.rank(neighbor, b);
    }
    set(system.values(system.row_map(row) + pairs.position(target.node, target.k, equations.components) +
                      rank),
        value);
  }

  KOKKOS_FORCEINLINE_FUNCTION void set(Scalar& entry, Scalar value) const {
    entry = add ? entry + value : value;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail

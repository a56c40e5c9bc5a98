// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Aggregates: the sets of rows that become the nodes of the next level, here runs of consecutive nodes.

#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/avx512.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Disjoint sets of a level's nodes.
template <class ExecutionSpace>
struct Aggregates {
  Ordinal count = 0, nodes = 0;
  Ordinal largest = 0;              // nodes of an aggregate, at most
  Ordinal run_length = 0;           // above 0: runs of so many nodes, and no arrays
  Ordinals<ExecutionSpace> of_node; // -1: in none, the smoother alone takes care of it
  Ordinals<ExecutionSpace> first;   // aggregate (+1): its first member
  Ordinals<ExecutionSpace> member;  // nodes, ascending within an aggregate
  std::uint64_t reciprocal = 0;     // of the run's length, times two to the power of `shift`
  int shift = 0;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal of(Ordinal node) const {
    return run_length > 0 ? static_cast<Ordinal>(static_cast<std::uint64_t>(node) * reciprocal >> shift)
                          : of_node(node);
  }
#ifdef TESSERA_GATHERS
  /// Those of the nodes in a vector's lanes.
  avx512::Ints16 of(avx512::Ints16 nodes) const {
    return run_length > 0 ? avx512::multiply_shift(nodes, reciprocal, shift)
                          : avx512::gather(nodes, of_node.data());
  }
#endif
  KOKKOS_FUNCTION Ordinal begin(Ordinal aggregate) const {
    if (run_length == 0) return first(aggregate);
    return aggregate < count ? aggregate * run_length : nodes;
  }
  KOKKOS_FUNCTION Ordinal size(Ordinal aggregate) const { return begin(aggregate + 1) - begin(aggregate); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(Ordinal k) const { return run_length > 0 ? k : member(k); }
  std::size_t bytes() const { return bytes_of(of_node) + bytes_of(first) + bytes_of(member); }
};

/// Runs of `length` nodes in their order. Their number is found by a product instead of a division (T.
/// Granlund and P. L. Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
template <class ExecutionSpace>
Aggregates<ExecutionSpace> runs_of_nodes(Ordinal nodes, Ordinal length) {
  int shift = 31;
  while ((std::uint64_t{1} << (shift - 31)) < static_cast<std::uint64_t>(length)) ++shift;
  const std::uint64_t reciprocal = (std::uint64_t{1} << shift) / static_cast<std::uint64_t>(length) + 1;
  return {
      nodes / length + (nodes % length > 0 ? 1 : 0), nodes, length, length, {}, {}, {}, reciprocal, shift};
}

} // namespace tessera::solvers::multigrid::detail

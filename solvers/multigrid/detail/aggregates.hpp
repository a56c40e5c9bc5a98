#pragma once

/// \file
/// Aggregates: the sets of rows that become the nodes of the next level, here runs of consecutive nodes.

#include <tessera/core/detail/hilbert_keys.hpp>
#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/host_lanes.hpp>
#include <tessera/solvers/multigrid/detail/sort_items.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::solvers::multigrid {

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
  __m512i of(__m512i nodes) const {
    if (run_length == 0) return _mm512_i32gather_epi32(nodes, of_node.data(), sizeof(Ordinal));
    const __m512i factor = _mm512_set1_epi64(static_cast<std::int64_t>(reciprocal));
    const __m128i by = _mm_cvtsi32_si128(shift);
    const __m512i even = _mm512_srl_epi64(_mm512_mul_epu32(nodes, factor), by);
    const __m512i odd = _mm512_srl_epi64(_mm512_mul_epu32(_mm512_srli_epi64(nodes, 32), factor), by);
    return _mm512_or_si512(even, _mm512_slli_epi64(odd, 32));
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

/// The nodes along the Hilbert curve: by keys of 32 bits, which sort in half the time, unless the mesh is so
/// uneven that many nodes share a key.
/// \throws MeshError naming the first node with a coordinate that is not finite
template <class ExecutionSpace, class Coordinates>
Ordinals<ExecutionSpace> nodes_along_curve(const ExecutionSpace& exec, const Coordinates& coordinates) {
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal bad_node = none;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::check_coordinates",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(coordinates.extent(0))),
      KOKKOS_LAMBDA(const Ordinal node, Ordinal& first_bad) {
        for (int d = 0; d < static_cast<int>(coordinates.extent(1)); ++d)
          if (!Kokkos::isfinite(coordinates(node, d))) first_bad = Kokkos::min(first_bad, node);
      },
      Kokkos::Min<Ordinal>(bad_node));
  if (bad_node != none)
    throw MeshError("Multigrid: node " + std::to_string(bad_node) + " has a coordinate that is not finite");
  const auto nodes = static_cast<Ordinal>(coordinates.extent(0));
  const auto dimension = static_cast<int>(coordinates.extent(1));
  const auto items = make_temporary<Ordinals<ExecutionSpace>>(exec, "order", nodes);
  const ReturnTemporaries<ExecutionSpace> at_end;
  const auto sort_by_cells = [&]<class Key>(Key, int bits) { // along each axis
    const auto keys = make_temporary<Kokkos::View<Key*, ExecutionSpace>>(exec, "keys", nodes);
    if (dimension == 2)
      tessera::detail::fill_hilbert_keys<2>(exec, coordinates, bits, keys);
    else
      tessera::detail::fill_hilbert_keys<3>(exec, coordinates, bits, keys);
    return sort_items(exec, keys, dimension * bits, items);
  };
  const Ordinal ties = sort_by_cells(std::uint32_t{}, dimension == 2 ? 16 : 10);
  if (ties > nodes / 16) sort_by_cells(std::uint64_t{}, dimension == 2 ? 31 : 21);
  return items;
}

} // namespace tessera::solvers::multigrid

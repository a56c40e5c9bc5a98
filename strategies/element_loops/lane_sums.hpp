// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Results of neighbouring elements summed between the lanes of a warp before they are added to memory: a
/// device does about half an atomic addition of double precision per cycle and multiprocessor, wherever it
/// goes (docs/performance/matrix_free.md), and neighbours in a mesh's numbering share nodes.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/cuda/shuffle.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace tessera::detail {

/// Which pairs (n, m) of local nodes are worth comparing: node n of an element, node m of the next one. They
/// lie along an edge, for where quadrilaterals or hexahedra follow each other through a common side, its
/// nodes meet so. Simplices have none: few of their nodes meet in one way only, and comparing costs more than
/// it saves.
template <class Element>
struct LanePairs {
  static constexpr bool supported = Element::order == 1 && is_cube(Element::shape);
  std::uint64_t bits = 0; ///< bit n * nodes + m

  KOKKOS_FORCEINLINE_FUNCTION bool has(int n, int m) const { return bits >> (n * Element::nodes + m) & 1; }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_edge(int n, int m) {
    const int axes = corner(n) ^ corner(m);
    return axes != 0 && (axes & (axes - 1)) == 0;
  }

private:
  /// A corner's coordinates in the unit cube, one bit each, from VTK's circular numbering.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int corner(int n) { return n ^ (n >> 1 & 1); }
};

/// Counts how often node n of an element is node m of the next.
template <class Element, class ExecutionSpace>
struct CountLanePair {
  MeshKernel<Element, ExecutionSpace> mesh;
  int n, m;

  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& count) const {
    if (mesh.connectivity(e, n) == mesh.connectivity(e + 1, m)) ++count;
  }
};

/// The pairs that meet in at least every fourth element; none where lanes cannot exchange values.
template <class Element, class ExecutionSpace>
LanePairs<Element> lane_pairs(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  LanePairs<Element> pairs;
  if constexpr (has_shuffles<ExecutionSpace> && LanePairs<Element>::supported) {
    const Ordinal elements = mesh.num_elements();
    for (int n = 0; n < Element::nodes; ++n)
      for (int m = 0; m < Element::nodes; ++m) {
        if (elements < 2 || !LanePairs<Element>::is_edge(n, m)) continue;
        Ordinal count = 0;
        Kokkos::parallel_reduce("Tessera::LanePairs::count",
                                Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements - 1),
                                CountLanePair<Element, ExecutionSpace>{mesh.kernel(), n, m}, count);
        if (count >= elements / 4) pairs.bits |= std::uint64_t(1) << (n * Element::nodes + m);
      }
  }
  return pairs;
}

/// Stands for a node whose results another lane has.
inline constexpr Ordinal no_target = -1;

#ifdef __CUDA_ARCH__
/// Where node n of a lane is node m of the lane above, that lane's values are added to this one's, and its
/// target becomes `no_target`.
template <int Components, int Nodes, class Scalar>
__device__ __forceinline__ void pass_down(int n, int m, Ordinal (&target)[Nodes],
                                          Scalar (&v)[Nodes * Components]) {
  const int lane = warp_lane();
  const Ordinal above = shuffle_down(target[m], 1), below = shuffle_up(target[n], 1);
  const bool takes = lane < 31 && target[n] != no_target && above == target[n];
  const bool gives = lane > 0 && target[m] != no_target && below == target[m];
  for (int a = 0; a < Components; ++a) {
    const Scalar value = shuffle_down(v[m * Components + a], 1);
    if (takes) v[n * Components + a] += value;
  }
  if (gives) target[m] = no_target;
}

#endif

/// Sums the results of neighbouring lanes' elements. All lanes of a warp come by, those without an element
/// with `no_target`.
///
/// \param target numbers that tell nodes apart; `no_target` afterwards where another lane has this one's
///   results
/// \param v results, node * Components + component
template <int Components, class Element, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void sum_lanes([[maybe_unused]] const LanePairs<Element>& pairs,
                                           [[maybe_unused]] Ordinal (&target)[Element::nodes],
                                           [[maybe_unused]] Scalar (&v)[Element::nodes * Components]) {
#ifdef __CUDA_ARCH__
  constexpr int nodes = Element::nodes;
  TESSERA_UNROLL(nodes)
  for (int n = 0; n < nodes; ++n) {
    TESSERA_UNROLL(nodes)
    for (int m = 0; m < nodes; ++m)
      if (LanePairs<Element>::is_edge(n, m) && pairs.has(n, m)) pass_down<Components>(n, m, target, v);
  }
#endif
}

} // namespace tessera::detail

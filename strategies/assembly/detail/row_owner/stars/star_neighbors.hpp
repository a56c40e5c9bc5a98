// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A node as one of its threads sees it, and how its neighbours come to scratch.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_scratch.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// What a thread keeps of its own node.
template <class Shape>
struct StarNode {
  using Scalar = typename Shape::Scalar;
  Ordinal node; ///< -1: nobody has the seat
  int degree;
  int elements;  ///< around it that are this thread's
  int position;  ///< of the node among its neighbours
  int signs = 0; ///< of the determinants of its elements: negative if one is
  Matrix<Scalar, Shape::components> diagonal = {};
  Vector<Scalar, Shape::components> load = {};
};

/// Brings the coordinates of a thread's neighbours, relative to its node, to scratch, and clears their sums.
template <class Shape, class Mesh>
struct StarNeighbors {
  using Scalar = typename Shape::Scalar;
  using Own = StarNode<Shape>;
  static constexpr int dimension = Shape::dimension, threads = Shape::threads;

  const Mesh& mesh;
  const Ordinal* list; ///< the node's neighbours, `Shape::width` apart
  int capacity;        ///< of the team

  KOKKOS_FORCEINLINE_FUNCTION void load(Own& own, int part, Scalar* coordinates, Scalar* sums) const {
    if (own.degree <= part) return;
    const Ordinal node = own.node;
    double origin[dimension];
    for (int d = 0; d < dimension; ++d) origin[d] = mesh.position(node)[d];
    int k = part;
    if constexpr (Shape::rest < Shape::together) {
      bring<Shape::together>(own, origin, k, coordinates, sums);
      k += threads * Shape::together;
    }
    TESSERA_UNROLL(1)
    for (; k < own.degree; k += threads * Shape::rest) bring<Shape::rest>(own, origin, k, coordinates, sums);
  }

private:
  /// `Count` neighbours, from `first`. Where there are fewer, two threads take their last one again: a
  /// condition for each would have every load wait for the one before.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void bring(Own& own, const double (&origin)[dimension], int first,
                                         Scalar* coordinates, Scalar* sums) const {
    constexpr int stride = Shape::stride;
    const int last = first + (own.degree - 1 - first) / threads * threads;
    int place[Count];
    Ordinal neighbor[Count];
    double position[Count][dimension];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      place[i] = threads == 1 ? first + i : Kokkos::min(first + i * threads, last);
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      neighbor[i] = threads == 1 && place[i] >= own.degree ? own.node : list[place[i] * Shape::width];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      for (int d = 0; d < dimension; ++d) position[i][d] = mesh.position(neighbor[i])[d];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i) {
      if (threads == 1 && place[i] >= own.degree) break;
      if (threads == 1 && neighbor[i] == own.node) own.position = place[i];
      Scalar* const to = coordinates + place[i] * dimension * stride;
      for (int d = 0; d < dimension; ++d) to[d * stride] = static_cast<Scalar>(position[i][d] - origin[d]);
      for (int ab = 0; ab < threads * Shape::blocks; ++ab)
        sums[ab * capacity + place[i] * stride] = Scalar(0);
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail

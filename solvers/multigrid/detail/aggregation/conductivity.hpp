// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How well a matrix conducts in different directions.

#include <tessera/solvers/multigrid/detail/aggregation/row_points.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// Conductivity tensors as rows show them: Σ_j −a_ij d dᵀ with d = x_j − x_i, divided by Σ_j |a_ij| |d|².
/// Over all pairs of nodes Σ −a_ij d dᵀ is the tensor's integral whatever the element, for Σ_i x_i φ_i(x) = x
/// and Σ_j a_ij = 0. Groups of neighbouring rows come near it, single ones do not.
template <class ExecutionSpace>
struct RowConductivities {
  static constexpr Ordinal group = tuning::conductivity_group; // consecutive rows, whose tensors are added
  using Tensors = Kokkos::View<float* [6], ExecutionSpace>;    // xx, yy, zz, yz, xz, xy

  Matrix<ExecutionSpace> matrix; // of single unknowns
  RowPoints<ExecutionSpace> points;
  Ordinal distance; // rows from one group's first to the next group's
  Tensors tensors;  // group · 16 + row

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    const Ordinal row = item / group * distance + item % group, node = points.node(row);
    const int dimension = static_cast<int>(points.coordinates.extent(1));
    double sums[6] = {}, size = 0;
    matrix.each_entry(row, [&](Ordinal column, float value) {
      if (column == row) return;
      const Ordinal other = points.node(column);
      double d[3] = {};
      for (int i = 0; i < dimension; ++i) d[i] = points.coordinates(other, i) - points.coordinates(node, i);
      for (int i = 0; i < 3; ++i) {
        sums[i] -= value * d[i] * d[i];
        sums[3 + i] -= value * d[(i + 1) % 3] * d[(i + 2) % 3];
        size += Kokkos::abs(value) * d[i] * d[i];
      }
    });
    for (int i = 0; i < 6; ++i) tensors(item, i) = size > 0 ? static_cast<float>(sums[i] / size) : 0.0f;
  }
};

/// Counts groups of rows that conduct unevenly: the geometric mean of their tensor's eigenvalues is so far
/// below the arithmetic mean that of their powers of the dimension one is less than half of the other, as if
/// one direction conducted less than a fifth (in the plane a sixth) as well as the others.
template <class ExecutionSpace>
struct CountUneven {
  typename RowConductivities<ExecutionSpace>::Tensors tensors;
  int dimension;

  KOKKOS_FUNCTION void operator()(Ordinal group, Ordinal& uneven) const {
    constexpr Ordinal rows = RowConductivities<ExecutionSpace>::group;
    double t[6] = {};
    for (Ordinal item = group * rows; item < (group + 1) * rows; ++item)
      for (int i = 0; i < 6; ++i) t[i] += tensors(item, i);
    if (dimension == 2) t[2] = (t[0] + t[1]) / 2;
    const double mean = (t[0] + t[1] + t[2]) / 3;
    const double determinant = t[0] * (t[1] * t[2] - t[3] * t[3]) - t[5] * (t[5] * t[2] - t[3] * t[4]) +
                               t[4] * (t[5] * t[3] - t[1] * t[4]);
    uneven += mean > 0 && determinant < tuning::uneven_determinant * mean * mean * mean ? 1 : 0;
  }
};

/// Whether most of a matrix of single unknowns conducts far better in one direction than in another, as seen
/// from the points of its rows. Neither flat cells nor jumps do that by themselves.
template <class ExecutionSpace>
bool conducts_unevenly(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace>& matrix,
                       const RowPoints<ExecutionSpace>& points) {
  using Rows = RowConductivities<ExecutionSpace>;
  const Ordinal groups = Kokkos::min(Ordinal{tuning::sampled_groups}, matrix.nodes() / Rows::group);
  if (groups == 0) return false;
  const Rows rows{matrix, points, matrix.nodes() / groups,
                  make_temporary<typename Rows::Tensors>(work, "tensors", groups * Rows::group)};
  Kokkos::parallel_for("Tessera::Multigrid::conductivities",
                       Range<ExecutionSpace>(work.exec, 0, groups * Rows::group), rows);
  Ordinal uneven = 0;
  Kokkos::parallel_reduce("Tessera::Multigrid::uneven_groups", Range<ExecutionSpace>(work.exec, 0, groups),
                          CountUneven<ExecutionSpace>{rows.tensors, points.dimension()}, uneven);
  return 2 * uneven > groups;
}

} // namespace tessera::solvers::multigrid::detail

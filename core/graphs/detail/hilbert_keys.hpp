// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Keys of points on the Hilbert curve.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/detail/hilbert_indices.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::detail {

/// The box around points.
template <int Dimension>
struct PointBounds {
  Kokkos::Array<double, Dimension> lower, upper;

  KOKKOS_FUNCTION PointBounds() {
    for (int d = 0; d < Dimension; ++d) {
      lower[d] = std::numeric_limits<double>::max();
      upper[d] = std::numeric_limits<double>::lowest();
    }
  }
  KOKKOS_FUNCTION void add(int d, double x) {
    lower[d] = Kokkos::min(lower[d], x);
    upper[d] = Kokkos::max(upper[d], x);
  }
  KOKKOS_FUNCTION PointBounds& operator+=(const PointBounds& other) {
    for (int d = 0; d < Dimension; ++d) {
      lower[d] = Kokkos::min(lower[d], other.lower[d]);
      upper[d] = Kokkos::max(upper[d], other.upper[d]);
    }
    return *this;
  }
};

/// Keys of the points on the Hilbert curve through their bounding cube, of Dimension × bits bits.
template <int Dimension, class ExecutionSpace, class Coordinates, class Keys>
void fill_hilbert_keys(const ExecutionSpace& exec, const Coordinates& coordinates, int bits,
                       const Keys& keys) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  constexpr Ordinal lanes = runs_on_host<ExecutionSpace> ? 16 : 1; // points of an item
  const auto points = static_cast<Ordinal>(coordinates.extent(0));
  PointBounds<Dimension> bounds;
  Kokkos::parallel_reduce(
      "Tessera::Reorder::bounds", Range(exec, 0, points),
      KOKKOS_LAMBDA(const Ordinal point, PointBounds<Dimension>& local) {
        for (int d = 0; d < Dimension; ++d) local.add(d, static_cast<double>(coordinates(point, d)));
      },
      bounds);
  const auto lower = bounds.lower;
  double width = 0; // halved, so that the widest finite box has a finite one
  for (int d = 0; d < Dimension; ++d) width = std::max(width, bounds.upper[d] / 2 - lower[d] / 2);
  // One grid of cubes for all axes: a curve through flat boxes would favour one axis. 0 for points that
  // coincide.
  const double cells = static_cast<double>(std::uint64_t{1} << bits);
  const double scale = std::isfinite(cells / width) ? cells / width : 0.0;
  Kokkos::parallel_for(
      "Tessera::Reorder::keys", Range(exec, 0, points / lanes + (points % lanes > 0 ? 1 : 0)),
      KOKKOS_LAMBDA(const Ordinal item) {
        std::uint32_t cell[Dimension][lanes];
        std::uint64_t index[lanes];
        for (int lane = 0; lane < lanes; ++lane) {
          const Ordinal point = Kokkos::min(item * lanes + lane, points - 1);
          for (int d = 0; d < Dimension; ++d) {
            const double position = (coordinates(point, d) / 2 - lower[d] / 2) * scale;
            cell[d][lane] = static_cast<std::uint32_t>(Kokkos::min(position, cells - 1));
          }
        }
        hilbert_indices(cell, bits, index);
        for (int lane = 0; lane < Kokkos::min(lanes, points - item * lanes); ++lane)
          keys(item * lanes + lane) = static_cast<typename Keys::value_type>(index[lane]);
      });
}

template <int Dimension, class ExecutionSpace, class Coordinates>
Kokkos::View<std::uint64_t*, ExecutionSpace> hilbert_keys(const ExecutionSpace& exec,
                                                          const Coordinates& coordinates, int bits) {
  const auto keys = allocate<Kokkos::View<std::uint64_t*, ExecutionSpace>>(exec, "Tessera::Reorder::keys",
                                                                           coordinates.extent(0));
  fill_hilbert_keys<Dimension>(exec, coordinates, bits, keys);
  return keys;
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cells from node positions that a strategy keeps in a place of its own.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/elements/cell.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Fills the coordinates of a cell, relative to its first node and subtracted in double.
/// \param position `position(lane, n, d)`: coordinate d of node n of the lane's element, double
template <class Element, class Real, class Position>
KOKKOS_FORCEINLINE_FUNCTION void gather_coordinates(Cell<Element, Real>& cell, const Position& position) {
  using Value = value_type_t<Real>;
  for (int d = 0; d < Element::dimension; ++d) {
    cell.origin[d] = from_lanes<Real>([&](int lane) { return Value(position(lane, 0, d)); });
    cell.coordinates[0][d] = Real(Value(0));
    for (int n = 1; n < Element::nodes; ++n)
      cell.coordinates[n][d] =
          from_lanes<Real>([&](int lane) { return Value(position(lane, n, d) - position(lane, 0, d)); });
  }
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How a cycle's result reaches the rows of the given matrix.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// The finest level's solution, in the level's order, scaled and in single precision, for the rows of the
/// given matrix.
template <class ExecutionSpace>
struct Gate {
  Kokkos::View<const Ordinal*, ExecutionSpace> old_to_new;
  Kokkos::View<const float*, ExecutionSpace> scale, x;

  KOKKOS_FUNCTION double give(Ordinal row) const {
    const Ordinal place = old_to_new(row);
    return static_cast<double>(scale(place) * x(place));
  }
};

/// Writes it there.
template <class ExecutionSpace, class Scalar>
struct LeaveLevel {
  Gate<ExecutionSpace> gate;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal row) const { y(row) = static_cast<Scalar>(gate.give(row)); }
};

} // namespace tessera::solvers::multigrid

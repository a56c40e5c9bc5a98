#pragma once

/// \file
/// The way of a cycle's result to the rows of the given matrix.

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

} // namespace tessera::solvers::multigrid

#pragma once

/// \file
/// The way of a vector into the cycle and of its result out of it.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// The finest level's right-hand side and solution, in the level's order, scaled and in single precision, for
/// the rows of the given matrix.
template <class ExecutionSpace>
struct Gate {
  Kokkos::View<const Ordinal*, ExecutionSpace> old_to_new;
  Kokkos::View<const float*, ExecutionSpace> scale;
  Kokkos::View<float*, ExecutionSpace> r;
  Kokkos::View<const float*, ExecutionSpace> x;

  KOKKOS_FUNCTION void take(Ordinal row, double value) const {
    const Ordinal place = old_to_new(row);
    r(place) = scale(place) * static_cast<float>(value);
  }
  KOKKOS_FUNCTION double give(Ordinal row) const {
    const Ordinal place = old_to_new(row);
    return static_cast<double>(scale(place) * x(place));
  }
};

} // namespace tessera::solvers::multigrid

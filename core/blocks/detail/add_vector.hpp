// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sums of what the blocks of a mixed mesh have.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// y += z.
template <class Vector>
struct AddVector {
  Vector y, z;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { y(i) += z(i); }
};

/// Adds a vector, without waiting for it.
template <class ExecutionSpace, class Vector>
void add_vector(const ExecutionSpace& exec, const Vector& y, const Vector& z) {
  Kokkos::parallel_for("Tessera::MixedSpace::add_vector",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(y.extent(0))),
                       AddVector<Vector>{y, z});
}

} // namespace tessera::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The system's arrays as kernels see them.

#include <tessera/core/space/equations.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace tessera {

/// The system's arrays as kernels see them.
template <class ExecutionSpace, class Scalar>
struct SystemKernel {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<Scalar*, ExecutionSpace> values;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;
  bool add = false; ///< to what is there; else it is lost

  /// Where the arrays are: what may differ between two systems of a graph.
  std::array<const void*, 6> addresses() const {
    return {equations.mask.data(),  equations.prescribed.data(),
            equations.first.data(), row_map.data(),
            values.data(),          rhs.data()};
  }
};

} // namespace tessera

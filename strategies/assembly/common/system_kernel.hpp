#pragma once

/// \file
/// The system's arrays as kernels see them.

#include <tessera/core/equations.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// The system's arrays as kernels see them.
template <class ExecutionSpace, class Scalar>
struct SystemKernel {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<Scalar*, ExecutionSpace> values;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;
  bool add = false; ///< to what is there; else it is lost
};

} // namespace tessera

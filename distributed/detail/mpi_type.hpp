// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// MPI's names of the types whose values are exchanged.

#include <cstdint>
#include <mpi.h>
#include <type_traits>

namespace tessera::distributed::detail {

template <class Scalar>
MPI_Datatype mpi_type() {
  if constexpr (std::is_same_v<Scalar, double>) {
    return MPI_DOUBLE;
  } else if constexpr (std::is_same_v<Scalar, float>) {
    return MPI_FLOAT;
  } else if constexpr (std::is_same_v<Scalar, std::int32_t>) {
    return MPI_INT32_T;
  } else {
    static_assert(std::is_same_v<Scalar, std::int64_t>,
                  "values of nodes are exchanged in double, float, int32 and int64");
    return MPI_INT64_T;
  }
}

} // namespace tessera::distributed::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The mean of all ranks' nodes, about which rotations are taken.

#include <tessera/core/types.hpp>
#include <tessera/distributed/node_import.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

namespace tessera::distributed::detail {

/// Sum of one coordinate.
template <class Coordinates>
struct SumCoordinate {
  Coordinates coordinates;
  int axis;
  KOKKOS_FUNCTION void operator()(Ordinal node, double& sum) const { sum += coordinates(node, axis); }
};

/// Collective. Rotations about a far point are translations, but for a few digits.
/// \param coordinates of the local nodes, the owned ones first
template <class ExecutionSpace, class Coordinates>
Kokkos::Array<double, 3> centre_of_nodes(const ExecutionSpace& exec, const NodeImport<ExecutionSpace>& import,
                                         const Coordinates& coordinates) {
  const Ordinal owned = import.owned_nodes();
  double sums[4] = {0, 0, 0, static_cast<double>(owned)};
  for (int d = 0; d < static_cast<int>(coordinates.extent(1)); ++d)
    Kokkos::parallel_reduce("Tessera::distributed::centre",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, owned),
                            SumCoordinate<Coordinates>{coordinates, d}, sums[d]);
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, import.ranks().own());
  const double count = Kokkos::max(1.0, sums[3]);
  return {sums[0] / count, sums[1] / count, sums[2] / count};
}

} // namespace tessera::distributed::detail

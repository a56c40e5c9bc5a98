// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What BoomerAMG is told of equations: their components, and the rotations of their nodes.

#include <tessera/core/mesh/detail/mesh_validation.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/detail/centre_of_nodes.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/types.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>
#include <vector>

namespace tessera::distributed::detail {

/// Whether a node has equations of some of its components alone.
template <class ExecutionSpace>
struct HasSomeComponents {
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION bool operator()(Ordinal node) const {
    const int count = equations.equations_of(node);
    return count != 0 && count != equations.components;
  }
};

/// Collective: whether each owned node of every rank has equations of all components, or none.
template <class ExecutionSpace>
bool all_or_none(const ExecutionSpace& exec, const Communicator& ranks,
                 const Equations<ExecutionSpace>& equations, Ordinal owned_nodes) {
  const Ordinal some = tessera::detail::first_offender(exec, "Tessera::BoomerAmg::components", owned_nodes,
                                                       HasSomeComponents<ExecutionSpace>{equations});
  int whole = some == tessera::detail::no_offender ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_LAND, ranks.own());
  return whole != 0;
}

/// Component of each owned equation.
template <class ExecutionSpace>
struct ListComponents {
  Equations<ExecutionSpace> equations;
  Kokkos::View<HYPRE_Int*, ExecutionSpace> component;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int c = 0; c < equations.components; ++c)
      if (!equations.removed || !equations.is_constrained(node, c))
        component(equations.equation(node, c)) = c;
  }
};

/// A list of components that BoomerAMG will own, in hypre's memory.
template <class ExecutionSpace>
HYPRE_Int* make_components(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations,
                           Ordinal owned_nodes, std::size_t owned) {
  using Types = HypreTypes<ExecutionSpace>;
  const Kokkos::View<HYPRE_Int*, ExecutionSpace> component("Tessera::BoomerAmg::components", owned);
  Kokkos::parallel_for("Tessera::BoomerAmg::list_components",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, owned_nodes),
                       ListComponents<ExecutionSpace>{equations, component});
  auto* const list = static_cast<HYPRE_Int*>(hypre_MAlloc(owned * sizeof(HYPRE_Int), Types::memory));
  Kokkos::deep_copy(exec, typename Types::template Array<HYPRE_Int>(list, owned), component);
  exec.fence("Tessera::BoomerAmg::make_components");
  return list;
}

/// The rotation of each owned equation about one axis through the centre.
template <class Cells, class ExecutionSpace>
struct FillRotation {
  static constexpr int dimension = Cells::dimension;
  Equations<ExecutionSpace> equations;
  typename Mesh<Cells, ExecutionSpace>::Local::ConstCoordinates coordinates;
  Kokkos::Array<double, 3> centre;
  int from, to; ///< the axis that turns to the other
  Kokkos::View<double*, ExecutionSpace> rotation;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int c = 0; c < dimension; ++c) {
      if (equations.removed && equations.is_constrained(node, c)) continue;
      double value = 0;
      if (c == from) value = centre[to] - coordinates(node, to);
      if (c == to) value = coordinates(node, from) - centre[from];
      rotation(equations.equation(node, c)) = value;
    }
  }
};

/// Collective: the rotations of a space with a component per dimension, one in 2D, three in 3D.
template <class Cells, class ExecutionSpace>
std::vector<HypreVector<ExecutionSpace>>
make_rotations(const ExecutionSpace& exec, const Communicator& ranks, const HypreRange& range,
               const Equations<ExecutionSpace>& equations, const Mesh<Cells, ExecutionSpace>& mesh) {
  const auto centre = centre_of_nodes(exec, mesh.import(), mesh.local().coordinates());
  const Kokkos::View<double*, ExecutionSpace> rotation("Tessera::BoomerAmg::rotation",
                                                       to_size(equations.count));
  std::vector<HypreVector<ExecutionSpace>> rotations;
  rotations.reserve(3);
  for (int from = 0; from < Cells::dimension; ++from)
    for (int to = from + 1; to < Cells::dimension; ++to) {
      Kokkos::parallel_for(
          "Tessera::BoomerAmg::fill_rotation",
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, mesh.owned_nodes()),
          FillRotation<Cells, ExecutionSpace>{equations, mesh.local().coordinates(), centre, from, to,
                                              rotation});
      rotations.emplace_back(ranks, range).take(exec, rotation);
    }
  return rotations;
}

} // namespace tessera::distributed::detail

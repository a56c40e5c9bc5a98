// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers of the equations of all ranks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/constraints.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace tessera::distributed {

/// A rank's equations among those of all ranks.
struct GlobalEquations {
  Ordinal owned = 0;       ///< those of owned nodes: the first local equations
  GlobalOrdinal total = 0; ///< of all ranks
  /// Whether the owned ones are numbered one after the other, rank after rank.
  bool contiguous = false;
  GlobalOrdinal first = 0; ///< number of the first owned one, or of the next rank's, if `contiguous`
  Kokkos::View<const GlobalOrdinal*, Kokkos::HostSpace> numbers; ///< of each local equation
};

namespace detail {

/// Numbers the equations of a node from its first on.
template <class ExecutionSpace>
struct NumberEquations {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> first; ///< node: number of its first equation
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> numbers;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    const Ordinal begin = equations.first_equation(node);
    for (int k = 0; k < equations.equations_of(node); ++k) numbers(begin + k) = first(node) + k;
  }
};

template <class ExecutionSpace>
struct FirstByRank {
  Equations<ExecutionSpace> equations;
  GlobalOrdinal before; ///< equations of lower ranks
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> first;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    first(node) = before + equations.first_equation(node);
  }
};

template <class ExecutionSpace>
struct FirstByNode {
  int components;
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> first; ///< global number of each node on entry
  KOKKOS_FUNCTION void operator()(Ordinal node) const { first(node) *= components; }
};

template <class ExecutionSpace>
Ordinal equations_before(const Equations<ExecutionSpace>& equations, Ordinal node) {
  if (!equations.removed) return node * equations.components;
  Ordinal first = 0;
  Kokkos::deep_copy(first, Kokkos::subview(equations.first, node));
  return first;
}

/// Collective: the numbers, in the order of ranks or of global nodes.
template <class Cells, class ExecutionSpace>
GlobalEquations number_equations(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                                 const SpaceOn<Cells, ExecutionSpace>& space, bool by_rank) {
  using Numbers = Kokkos::View<GlobalOrdinal*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  check_constraints(exec, mesh, space);
  const auto equations = space.equations(exec);
  const auto [first, numbers] = agree(mesh.ranks(), [&] {
    return std::make_pair(allocate<Numbers>(exec, "Tessera::equations::first", mesh.local().num_nodes()),
                          allocate<Numbers>(exec, "Tessera::equations::numbers", equations.count));
  });
  GlobalEquations result;
  result.owned = detail::equations_before(equations, mesh.owned_nodes());
  if (!by_rank) {
    result.total = mesh.num_global_nodes() * space.components();
    Kokkos::deep_copy(exec, first, mesh.global_nodes());
    Kokkos::parallel_for("Tessera::equations::first", Range(exec, 0, mesh.local().num_nodes()),
                         detail::FirstByNode<ExecutionSpace>{space.components(), first});
  } else {
    result.contiguous = true;
    const std::int64_t mine = result.owned;
    MPI_Exscan(&mine, &result.first, 1, MPI_INT64_T, MPI_SUM, mesh.ranks().own());
    MPI_Allreduce(&mine, &result.total, 1, MPI_INT64_T, MPI_SUM, mesh.ranks().own());
    if (mesh.ranks().rank() == 0) result.first = 0;
    Kokkos::parallel_for("Tessera::equations::first", Range(exec, 0, mesh.owned_nodes()),
                         detail::FirstByRank<ExecutionSpace>{equations, result.first, first});
    NodeExchange<GlobalOrdinal, ExecutionSpace> exchange(exec, mesh.import(), 1);
    exchange.begin(exec, first);
    exchange.end(exec, first);
  }
  Kokkos::parallel_for("Tessera::equations::number", Range(exec, 0, mesh.local().num_nodes()),
                       detail::NumberEquations<ExecutionSpace>{equations, first, numbers});
  exec.fence("Tessera::equations::number");
  result.numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
  return result;
}

} // namespace detail

/// Collective: numbers the equations of a space on a rank's local mesh. Where constrained rows are kept
/// (`zeroed`), equation = global node * components + component, without a message. Where they are removed,
/// ranks number theirs one after the other, as MueLu and direct solvers ask, and ghosts get their numbers by
/// one exchange. Constraints are checked (`check_constraints`).
/// \throws as `check_constraints`
template <class Cells, class ExecutionSpace>
GlobalEquations global_equations(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                                 const SpaceOn<Cells, ExecutionSpace>& space) {
  return detail::number_equations(exec, mesh, space, space.treatment() == ConstraintTreatment::removed);
}

/// Collective: numbers one after the other, rank after rank, in either treatment of constraints, as hypre
/// asks. Ghosts get theirs by one exchange. Constraints are checked (`check_constraints`).
/// \throws as `check_constraints`
template <class Cells, class ExecutionSpace>
GlobalEquations contiguous_equations(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                                     const SpaceOn<Cells, ExecutionSpace>& space) {
  return detail::number_equations(exec, mesh, space, true);
}

} // namespace tessera::distributed

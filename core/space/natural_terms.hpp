// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What natural conditions of a space and its prescribed values give to a right-hand side.

#include <tessera/core/space/function_space.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

template <class ExecutionSpace, class Scalar>
struct AddNodalLoads {
  Kokkos::View<Scalar*, ExecutionSpace> rhs;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<const double*, ExecutionSpace> values;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal node = dofs(i) / equations.components;
    const int c = dofs(i) % equations.components;
    if (!equations.is_constrained(node, c)) rhs(equations.equation(node, c)) += Scalar(values(i));
  }
};

/// Rows that keep a constrained degree of freedom hold its prescribed value.
template <class ExecutionSpace, class Scalar>
struct SetPrescribedRows {
  Kokkos::View<Scalar*, ExecutionSpace> rhs;
  Equations<ExecutionSpace> equations;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (equations.is_constrained(row / equations.components, row % equations.components))
      rhs(row) = Scalar(equations.prescribed(row));
  }
};

/// Adds natural loads and those of Robin sides to a right-hand side, without waiting for it.
template <class Element, class ExecutionSpace, class Scalar>
void add_natural_loads(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                       const Equations<ExecutionSpace>& equations,
                       const Kokkos::View<Scalar*, ExecutionSpace>& rhs) {
  const auto loads = space.nodal_loads(exec);
  if (loads.dofs.extent(0) > 0)
    Kokkos::parallel_for(
        "Tessera::FunctionSpace::add_loads",
        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(loads.dofs.extent(0))),
        AddNodalLoads<ExecutionSpace, Scalar>{rhs, equations, loads.dofs, loads.values});
  const auto robin = space.robin(exec);
  for_each_robin_node(exec, "Tessera::FunctionSpace::add_robin_loads", robin,
                      AddRobinLoads<ExecutionSpace, Scalar>{robin, equations, rhs});
}

/// Writes prescribed values into the rows that the system keeps for them, without waiting for it.
template <class ExecutionSpace, class Scalar>
void set_prescribed_rows(const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations,
                         const Kokkos::View<Scalar*, ExecutionSpace>& rhs) {
  if (equations.constrained && !equations.removed)
    Kokkos::parallel_for("Tessera::FunctionSpace::set_prescribed_rows",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, equations.count),
                         SetPrescribedRows<ExecutionSpace, Scalar>{rhs, equations});
}

} // namespace tessera::detail

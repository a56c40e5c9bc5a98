#pragma once

/// \file
/// What a space gives to a system beside the form: natural loads, Robin sides, rows of constrained degrees of
/// freedom.

#include <tessera/core/natural_terms.hpp>
#include <tessera/core/sparsity_graph.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// Rows of constrained degrees of freedom that the system keeps: the identity, and the prescribed value.
template <class ExecutionSpace, class Scalar>
struct SetConstrainedRows {
  SystemKernel<ExecutionSpace, Scalar> system;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const int components = system.equations.components;
    if (!system.equations.is_constrained(row / components, row % components)) return;
    for (Offset k = system.row_map(row); k < system.row_map(row + 1); ++k)
      system.values(k) = columns(k) == row ? Scalar(1) : Scalar(0);
    system.rhs(row) = Scalar(system.equations.prescribed(row));
  }
};

/// Completes a system after a form's elements, without waiting for it. Where the form was added to what the
/// system held, the space's own part is there already.
template <class Element, class ExecutionSpace, class Scalar>
void finish_system(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph,
                   const SystemKernel<ExecutionSpace, Scalar>& system) {
  if (!system.add) {
    add_natural_loads(exec, space, system.equations, system.rhs);
    const auto robin = space.robin(exec);
    for_each_robin_node(exec, "Tessera::AssemblyPlan::add_robin_matrix", robin,
                        AddRobinMatrix<ExecutionSpace, Scalar>{robin, system.equations, system.row_map,
                                                               graph.columns, system.values});
  }
  if (system.equations.constrained && !system.equations.removed)
    Kokkos::parallel_for("Tessera::AssemblyPlan::constrained_rows",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, system.equations.count),
                         SetConstrainedRows<ExecutionSpace, Scalar>{system, graph.columns});
}

} // namespace tessera::detail

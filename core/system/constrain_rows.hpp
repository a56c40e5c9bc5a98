// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Constraints imposed on an assembled system by its rows alone: paper 1's first treatment (section 3.3).

#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// One thread per degree of freedom.
template <class ExecutionSpace, class Scalar>
struct ConstrainRow {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Scalar*, ExecutionSpace> values, rhs;

  KOKKOS_FUNCTION void operator()(Ordinal dof) const {
    const int components = equations.components;
    if (!equations.is_constrained(dof / components, dof % components)) return;
    for (Offset k = row_map(dof); k < row_map(dof + 1); ++k)
      values(k) = columns(k) == dof ? Scalar(1) : Scalar(0);
    rhs(dof) = static_cast<Scalar>(equations.prescribed(dof));
  }
};

} // namespace detail

/// Makes the rows of constrained degrees of freedom those of the identity, and their right-hand sides the
/// prescribed values. Columns stay: the matrix is not symmetric afterwards, and needs a solver that does
/// without. What `ConstraintTreatment` offers keeps symmetry, and costs no pass over an assembled system.
///
/// \param exec   instance that runs everything; the call returns after it has ended
/// \param space  has the constraints, with any treatment
/// \param system assembled over a space of the same mesh and components that has no constraints
/// \throws ArgumentError if the system has not the space's components and one row for each degree of freedom,
/// or was assembled with constraints; UnsupportedError for linear components on elements of higher order
template <class Element, class ExecutionSpace, class Scalar>
void constrain_rows(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                    const LinearSystem<Scalar, ExecutionSpace>& system) {
  if (space.linear().any())
    throw UnsupportedError(
        "constrain_rows: the space has linear components, whose degrees of freedom between "
        "corners no row can hold; use a ConstraintTreatment");
  const auto equations = space.equations();
  const Ordinal dofs = space.mesh().num_nodes() * space.components();
  const auto& numbering = system.graph().equations;
  if (system.num_rows() != dofs || numbering.components != space.components() || numbering.constrained)
    throw ArgumentError("constrain_rows: a system of " + std::to_string(system.num_rows()) + " rows" +
                        (numbering.constrained ? " with constraints" : "") + " for a space of " +
                        std::to_string(dofs) +
                        " degrees of freedom; assemble it over a space without constraints");
  Kokkos::parallel_for("Tessera::constrain_rows", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, dofs),
                       detail::ConstrainRow<ExecutionSpace, Scalar>{equations, system.graph().row_map,
                                                                    system.graph().columns, system.values(),
                                                                    system.rhs()});
  exec.fence("Tessera::constrain_rows");
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Stokes' equations: a preconditioner by velocity and pressure.

#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/split_system.hpp>
#include <tessera/solvers/fields/block_triangular.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <utility>

namespace tessera::solvers {

namespace detail {

/// Assembles in a fixed order or, on a mixed mesh, whose blocks have rows in common, as blocks can.
template <class Space, class Form, class ExecutionSpace>
void assemble_fields(const ExecutionSpace& exec, const Space& space, const Form& form,
                     const LinearSystem<double, ExecutionSpace>& system) {
  if constexpr (requires { typename Space::List; })
    assembly::ElementAtomic().plan(exec, space, system.graph()).assemble(form, system);
  else
    assembly::RowOwner().plan(exec, space, system.graph()).assemble(form, system);
}

/// `stokes_preconditioner` of d velocities, from the assembled `PressureMass<d>`.
template <class ExecutionSpace, class Coordinates>
BlockTriangular<Multigrid<ExecutionSpace>, Multigrid<ExecutionSpace>, ExecutionSpace>
flow_preconditioner(const ExecutionSpace& exec, int d, const LinearSystem<double, ExecutionSpace>& mass,
                    const Coordinates& coordinates, const LinearSystem<double, ExecutionSpace>& system) {
  const SplitSystem<double, ExecutionSpace> split(exec, mass, d);
  auto pressure = multigrid_of_field(exec, split, 1, coordinates);
  split.update(exec, system);
  auto velocity = multigrid_of_field(exec, split, 0, coordinates);
  return {exec, split, std::move(velocity), std::move(pressure)};
}

} // namespace detail

/// A preconditioner for `Stokes<d>`, assembled into `system`: multigrid for the velocities, and for Schur's
/// complement multigrid of the pressure's mass matrix over the viscosity, whose spectrum is as that one's on
/// every mesh where the pair of elements is stable (H. Elman, D. Silvester and A. Wathen, "Finite Elements
/// and Fast Iterative Solvers", 2nd ed., chapters 3 and 4). With it `gmres` takes few more iterations on a
/// fine mesh than on a coarse one.
/// \param space a `FunctionSpace` or `MixedSpace`
/// \throws ArgumentError unless the space has d + 1 components, the last of them linear; as `Multigrid`
template <int d, class Space, class ExecutionSpace>
BlockTriangular<Multigrid<ExecutionSpace>, Multigrid<ExecutionSpace>, ExecutionSpace>
stokes_preconditioner(const ExecutionSpace& exec, const Stokes<d>& form, const Space& space,
                      const LinearSystem<double, ExecutionSpace>& system) {
  const LinearSystem<double, ExecutionSpace> mass(exec, system.graph());
  detail::assemble_fields(exec, space, PressureMass<d>{form.viscosity}, mass);
  return detail::flow_preconditioner(exec, d, mass, space.mesh().coordinates(), system);
}

/// The same without a system at hand: for the Jacobians of `NavierStokes<d>` of this viscosity, at every step
/// of Newton's method. Inertia is a compact perturbation of friction, so that `gmres` takes as many
/// iterations on a fine mesh as on a coarse one; they grow in proportion to the Reynolds number, which
/// those of `navier_stokes_preconditioner` do not.
template <int d, class Space, class ExecutionSpace>
auto stokes_preconditioner(const ExecutionSpace& exec, const Stokes<d>& form, const Space& space) {
  const LinearSystem<double, ExecutionSpace> system(exec, space);
  detail::assemble_fields(exec, space, form, system);
  return stokes_preconditioner(exec, form, space, system);
}

} // namespace tessera::solvers

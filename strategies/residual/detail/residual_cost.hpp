// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cost models of residuals from nodal vector to nodal vector.

#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/element_loops/matrix_free_traffic.hpp>

namespace TESSERA_KERNELS::residual {

namespace detail {

/// A weak form's kernel as `flops_of_action` takes it.
template <class WeakKernel>
struct CountedResidual {
  WeakKernel weak;
  static constexpr int components = WeakKernel::components;

  template <class Element, class Real>
  void act_on(const Cell<Element, Real>& cell, const Real (&u)[Element::nodes * components],
              Real (&v)[Element::nodes * components]) const {
    element_residual(weak, cell, u, v);
  }
};

} // namespace detail

/// Flops of all element residuals by `element_residual`.
/// \tparam Form a weak form whose fields are numbers or `CellField`s, or a physics without fields
template <class Form, class Element, class ExecutionSpace>
double residual_flops(const FunctionSpace<Element, ExecutionSpace>& space) {
  const auto kernel = as_weak_form(Form{}).kernel(MeshKernel<Element, ExecutionSpace>());
  using Kernel = std::remove_const_t<decltype(kernel)>;
  return static_cast<double>(flops_of_action<Element>(detail::CountedResidual<Kernel>{kernel})) *
         space.mesh().num_elements();
}

/// Mesh, u and r once; r is zeroed before, or results written and read. Fields are not counted.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost residual_cost(const FunctionSpace<Element, ExecutionSpace>& space, Conflicts conflicts) {
  Cost cost = mesh_and_vectors_cost<Element, Form, Scalar>(space, conflicts);
  cost.bytes += bytes_of(space.mesh().coordinates());
  cost.flops = residual_flops<Form>(space);
  return cost;
}

/// The least that any residual moves and computes: coordinates, connectivity, u and r once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost compulsory_residual_cost(const FunctionSpace<Element, ExecutionSpace>& space) {
  return {input_bytes(space) + 2.0 * space.num_dofs() * sizeof(Scalar), residual_flops<Form>(space)};
}

} // namespace TESSERA_KERNELS::residual

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// An element's part of a product: its matrix by an assembly's element kernel, times its values of x.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/flop_count.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/gather_coordinates.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::matrix_free::detail {

/// K_e x_e of one element (on the host: of one in each lane), K_e computed in registers and forgotten.
template <class Element, class ExecutionSpace, class KernelType, class ScalarType>
struct IntegratedProduct {
  using Kernel = KernelType;
  using Scalar = ScalarType;
  using Real = element_real_t<ExecutionSpace, Scalar>;
  static constexpr int nodes = Element::nodes, components = Kernel::components, dofs = nodes * components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeValues<components, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;

  /// \param element `element(lane)`: place of the lane's element in `mesh.connectivity`; it has been checked
  ///   to be one that can be integrated
  /// \param[out] v node * components + component
  template <class ElementOf>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const ElementOf& element, Real (&v)[dofs]) const {
    Cell<Element, Real> cell;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      cell.element[lane] = mesh.number(element(lane));
      cell.material[lane] = mesh.material(element(lane));
    }
    gather_coordinates(cell, [&](int lane, int n, int d) {
      return mesh.coordinates(mesh.connectivity(element(lane), n), d);
    });
    element_system_t<Element, Kernel, Real> local;
    integrate(kernel, cell, local);
    Real u[dofs];
    read_values(element, u);
    TESSERA_UNROLL(unroll_up_to_8<nodes>)
    for (int i = 0; i < nodes; ++i)
      for (int a = 0; a < components; ++a) {
        Real sum = Real(Scalar(0));
        TESSERA_UNROLL(unroll_up_to_8<nodes>)
        for (int j = 0; j < nodes; ++j)
          for (int b = 0; b < components; ++b) sum += local(i, a, j, b) * u[j * components + b];
        v[i * components + a] = sum;
      }
  }

private:
  template <class ElementOf>
  KOKKOS_FORCEINLINE_FUNCTION void read_values(const ElementOf& element, Real (&u)[dofs]) const {
    TESSERA_UNROLL(unroll_up_to_8<nodes>)
    for (int n = 0; n < nodes; ++n) {
      Scalar value[lanes_v<Real>][components];
      for (int lane = 0; lane < lanes_v<Real>; ++lane)
        node_values.read(x, mesh.connectivity(element(lane), n), value[lane]);
      for (int a = 0; a < components; ++a)
        u[n * components + a] = from_lanes<Real>([&](int lane) { return value[lane][a]; });
    }
  }
};

/// Flops of all elements' products by their matrices.
template <class Element, class Form, class ExecutionSpace>
double flops_of_integrated_products(const FunctionSpace<Element, ExecutionSpace>& space) {
  constexpr double dofs = Element::nodes * Form::components;
  return space.mesh().num_elements() *
         (static_cast<double>(flops_per_element<Element>(form_kernel(Form{}))) + 2 * dofs * dofs);
}

} // namespace TESSERA_KERNELS::matrix_free::detail

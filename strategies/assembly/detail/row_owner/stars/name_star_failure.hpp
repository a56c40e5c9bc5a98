// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Names the elements that `StarRows` could not integrate.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_layout.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Integrates every element once more, seen from each of its nodes as its rows were: rows report that they
/// failed, not why.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct NameStarFailure {
  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Status<ExecutionSpace> status;

  void run(const ExecutionSpace& exec, Ordinal elements) const {
    Kokkos::parallel_for("Tessera::RowOwner::name_failure",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements), *this);
  }

  KOKKOS_FUNCTION void operator()(Ordinal element) const {
    Cell<Element, Scalar> cell;
    cell.element[0] = element;
    cell.material[0] = mesh.material(element);
    for (int own = 0; own < Element::nodes; ++own) {
      Ordinal node[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n)
        node[n] = mesh.connectivity(element, star_corner<Element>(own, n));
      mesh.set_coordinates(cell, node);
      element_system_t<Element, Kernel, Scalar> system;
      if (!integrate(kernel, cell, system)) status.fail(element);
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail

#pragma once

/// \file
/// A thread (on the host: a vector of lanes) computes whole elements and adds them to the system.

#include <tessera/core/element_system.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/common/scatter.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace tessera {

/// The scalar of element kernels whose threads own whole elements: a pack on host execution spaces, so that
/// the lanes of a vector register hold neighbouring elements; `Scalar` itself on devices.
template <class ExecutionSpace, class Scalar>
using element_real_t = std::conditional_t<runs_on_host<ExecutionSpace>, NativePack<Scalar>, Scalar>;

/// Integrates elements and hands each to the system with `Add`.
template <class Element, class ExecutionSpace, class Scalar, class Kernel, class Add>
struct ElementLoop {
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  ElementToValues<Element, ExecutionSpace> map; ///< in the order of `mesh.connectivity`
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal begin, end; ///< elements, in the order of `mesh.connectivity`
  Add add;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = begin + chunk * lanes_v<Real>;
    const Cell<Element, Real> cell = mesh.template cell<Real>(first);
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && first + lane < end; ++lane) {
      const Ordinal e = first + lane;
      Ordinal node[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(e, n);
      scatter<Element>(local, lane, node, system, [&](int i, int j) { return map.position(e, i, j); }, add);
    }
  }

  /// Runs over all elements of the range.
  void run(const ExecutionSpace& exec, const std::string& label) const {
    const Ordinal chunks = (end - begin + lanes_v<Real> - 1) / lanes_v<Real>;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks), *this);
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop of RecomputingResidual on devices over single elements.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/core/weak_form/element_residual.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::residual::detail {

/// A thread per element. A quadratic tetrahedron's ten nodes stay in registers: all loops over nodes are
/// unrolled, that over the quadrature points is not.
template <class Element, class Product>
struct ElementLoop {
  using Scalar = typename Product::Scalar;
  using ExecutionSpace = typename Product::Execution;
  static constexpr int c = Product::c, d = Element::dimension, nodes = Element::nodes,
                       unrolled = unroll_nodes<nodes>;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::LaunchBounds<128, 2>>;

  typename Product::Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in the strategy's order
  ResultSink<Element, c, ExecutionSpace, Scalar> sink;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;
  Ordinal begin;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal at = begin + i;
    Ordinal node[nodes];
    Cell<Element, Scalar> cell;
    Scalar u[nodes * c], v[nodes * c];
    TESSERA_UNROLL(unrolled)
    for (int n = 0; n < nodes; ++n) node[n] = mesh.connectivity(at, n);
    cell.element[0] = mesh.number(at);
    cell.material[0] = mesh.material(at);
    const double* const first = mesh.position(node[0]);
    double origin[d];
    for (int a = 0; a < d; ++a) cell.origin[a] = Scalar(origin[a] = first[a]);
    TESSERA_UNROLL(unrolled)
    for (int n = 0; n < nodes; ++n) {
      const double* const position = mesh.position(node[n]);
      for (int a = 0; a < d; ++a) cell.coordinates[n][a] = Scalar(position[a] - origin[a]);
      for (int a = 0; a < c; ++a) u[n * c + a] = x(node[n] * c + a);
    }
    kernel.act_on(cell, u, v);
    TESSERA_UNROLL(unrolled)
    for (int n = 0; n < nodes; ++n) {
      Scalar value[c];
      for (int a = 0; a < c; ++a) value[a] = v[n * c + a];
      sink.add(at, n, node[n], value);
    }
  }
};

} // namespace TESSERA_KERNELS::residual::detail

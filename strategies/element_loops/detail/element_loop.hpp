// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop over single elements on devices.

#include <tessera/core/unroll.hpp>
#include <tessera/strategies/element_loops/element_work.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace TESSERA_KERNELS::element_loops::detail {

/// A thread per element. A quadratic tetrahedron's ten nodes stay in registers: all loops over nodes are
/// unrolled, that over the quadrature points is not.
template <class Work>
struct ElementLoop {
  using Element = typename Work::Element;
  using Scalar = typename Work::Scalar;
  static constexpr int d = Work::d, nodes = Work::nodes, unrolled = unroll_nodes<nodes>;
  static constexpr bool sums_lanes = tessera::detail::LanePairs<Element>::supported; // whole warps come by
  using Range = Kokkos::RangePolicy<typename Work::Execution>;
  using Policy =
      std::conditional_t<sums_lanes, Range,
                         Kokkos::RangePolicy<typename Work::Execution, Kokkos::LaunchBounds<128, 2>>>;

  Work work;
  typename Work::Sink sink;
  Ordinal begin, end;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal at = begin + i;
    const int active = elements_at(at);
    Scalar v[Work::dofs];
    if (active > 0) act(at, v);
    sink.add_all(work.mesh, at, active, v);
  }

private:
  /// One, or where whole warps come by none beyond the last. Products ask too, though no thread comes there:
  /// nvcc reads the nodes again for their results then, in place of keeping them in registers and spilling
  /// others (quadratic tetrahedra, elasticity: 0.43 ns an element on an H200, else 0.56).
  KOKKOS_FORCEINLINE_FUNCTION int elements_at(Ordinal at) const {
    if constexpr (!sums_lanes && Work::Action::all_free)
      return 1;
    else
      return end - at < 1 ? end - at : 1;
  }

  KOKKOS_FORCEINLINE_FUNCTION void act(Ordinal at, Scalar (&v)[Work::dofs]) const {
    const auto& mesh = work.mesh;
    Cell<Element, Scalar> cell;
    Ordinal node[nodes], target[nodes];
    Scalar u[Work::dofs];
    TESSERA_UNROLL(unrolled)
    for (int n = 0; n < nodes; ++n) node[n] = mesh.connectivity(at, n);
    cell.element[0] = mesh.number(at);
    cell.material[0] = mesh.material(at);
    double origin[d];
    for (int a = 0; a < d; ++a) {
      origin[a] = mesh.position(node[0])[a];
      cell.origin[a] = Scalar(origin[a]);
      cell.coordinates[0][a] = Scalar(0);
    }
    TESSERA_UNROLL(unrolled)
    for (int n = 1; n < nodes; ++n) {
      const double* const position = mesh.position(node[n]);
      for (int a = 0; a < d; ++a) cell.coordinates[n][a] = Scalar(position[a] - origin[a]);
    }
    work.values.targets(node, target);
    work.values.read_all(work.x, target, u);
    work.action.act(cell, u, v);
    if constexpr (Work::Action::reports) work.action.report(cell, v);
  }
};

} // namespace TESSERA_KERNELS::element_loops::detail

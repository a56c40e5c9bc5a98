// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop of RecomputingResidual on devices, for linear simplices.

#include <tessera/core/unroll.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/element_loops/element_fans.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>
#include <tessera/strategies/residual/detail/residual_threads.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::residual::detail {

/// A thread per fan. What its elements share is read once and added once: six tetrahedra around an edge have
/// nine nodes to read and to add to, where one by one they have 24. Nothing branches before the end, so that
/// all numbers are under way together: elements that a fan does not have are computed and count as zero, and
/// whether residuals are finite is asked of their sums.
template <class Element, class WeakKernel, class ExecutionSpace, class ScalarType>
struct FanLoop {
  using Scalar = ScalarType;
  using Fan = ElementFan<Element>;
  static constexpr int c = WeakKernel::components, d = Element::dimension;
  /// Registers for a fan's numbers, and warps to wait for them.
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::LaunchBounds<128, (c == 1 ? 4 : 2)>>;

  WeakKernel weak;
  Status<ExecutionSpace> status;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in its own order
  ElementFans<Element, ExecutionSpace> fans;
  ResultSink<Element, c, ExecutionSpace, Scalar> sink; ///< of fans
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;

  KOKKOS_FUNCTION void operator()(Ordinal fan) const {
    Ordinal node[Fan::nodes];
    double position[Fan::nodes][d];
    Scalar u[Fan::nodes][c], v[Fan::nodes][c];
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n) node[n] = fans.nodes(fan, n);
    const typename Fan::Members number = fans.elements(fan);
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n) {
      for (int a = 0; a < d; ++a) position[n][a] = mesh.position(node[n])[a];
      for (int a = 0; a < c; ++a) {
        u[n][a] = x(node[n] * c + a);
        v[n][a] = Scalar(0);
      }
    }
    TESSERA_UNROLL(Fan::most)
    for (int i = 0; i < Fan::most; ++i) add_element(i, number(i), node, position, u, v);
    Scalar size = Scalar(0);
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n)
      for (int a = 0; a < c; ++a) size += v[n][a] * v[n][a];
    if (!Kokkos::isfinite(size)) report(number);
    add(fan, node, v);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int i, Ordinal number, const Ordinal (&node)[Fan::nodes],
                                               const double (&position)[Fan::nodes][d],
                                               const Scalar (&u)[Fan::nodes][c],
                                               Scalar (&v)[Fan::nodes][c]) const {
    Cell<Element, Scalar> cell;
    Ordinal element_node[Element::nodes];
    Scalar element_u[Element::nodes * c], element_v[Element::nodes * c];
    cell.element[0] = number;
    cell.material[0] = mesh.material(number);
    cell.nodes = element_node; // in the fan's order
    for (int a = 0; a < d; ++a) cell.origin[a] = Scalar(position[0][a]);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) {
      const int m = Fan::node(i, n);
      element_node[n] = node[m];
      for (int a = 0; a < d; ++a) cell.coordinates[n][a] = Scalar(position[m][a] - position[0][a]);
      for (int a = 0; a < c; ++a) element_u[n * c + a] = u[m][a];
    }
    element_residual(weak, cell, element_u, element_v);
    const bool counts = Fan::has(node, i);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) v[Fan::node(i, n)][a] += counts ? element_v[n * c + a] : Scalar(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal fan, const Ordinal (&node)[Fan::nodes],
                                       Scalar (&v)[Fan::nodes][c]) const {
    bool counts[Fan::nodes];
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n) {
      const bool ring = n > Fan::hub && node[n] == node[Fan::hub]; // its first node comes again
      counts[n] =
          sink.conflicts == Conflicts::gather || n <= Fan::hub || (!ring && Fan::has(node, n - Fan::hub - 1));
      for (int a = 0; a < c; ++a) {
        v[Fan::hub][a] += ring ? v[n][a] : Scalar(0);
        v[n][a] = ring ? Scalar(0) : v[n][a];
      }
    }
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n)
      if (counts[n]) sink.add(fan, n, node[n], v[n]);
  }

  /// Looks for the elements whose residual is not finite, one by one.
  KOKKOS_FUNCTION void report(const typename Fan::Members& number) const {
    TESSERA_UNROLL(1)
    for (int i = 0; i < Fan::most; ++i) {
      const auto cell = mesh.template cell<Scalar>(number(i));
      Scalar u[Element::nodes * c], v[Element::nodes * c];
      for (int n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < c; ++a) u[n * c + a] = x(mesh.connectivity(number(i), n) * c + a);
      ResidualKernel<WeakKernel, ExecutionSpace>{weak, status}.act_on(cell, u, v);
    }
  }
};

} // namespace TESSERA_KERNELS::residual::detail

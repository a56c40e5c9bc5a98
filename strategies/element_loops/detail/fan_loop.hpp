// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The loop over fans of linear tetrahedra on devices.

#include <tessera/core/unroll.hpp>
#include <tessera/strategies/element_loops/element_fans.hpp>
#include <tessera/strategies/element_loops/element_work.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::element_loops::detail {

/// A thread per fan. What its elements share is read once and added once: six tetrahedra around an edge have
/// nine nodes to read and to add to, where one by one they have 24. Nothing branches before the end, so that
/// all numbers are under way together: elements that a fan does not have are computed and count as zero, and
/// whether results are finite is asked of their sums.
template <class Work>
struct FanLoop {
  using Element = typename Work::Element;
  using Scalar = typename Work::Scalar;
  using Fan = ElementFan<Element>;
  static constexpr int c = Work::c, d = Work::d;
  /// Registers for a fan's numbers, and warps to wait for them.
  using Policy = Kokkos::RangePolicy<typename Work::Execution, Kokkos::LaunchBounds<128, (c == 1 ? 4 : 2)>>;

  Work work; ///< its mesh in its own order
  ElementFans<Element, typename Work::Execution> fans;
  typename Work::Sink sink; ///< of fans

  KOKKOS_FUNCTION void operator()(Ordinal fan) const {
    Ordinal node[Fan::nodes], target[Fan::nodes];
    double position[Fan::nodes][d];
    Scalar u[Fan::nodes * c], v[Fan::nodes][c];
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n) node[n] = fans.nodes(fan, n);
    const typename Fan::Members number = fans.elements(fan);
    work.values.targets(node, target);
    TESSERA_UNROLL(Fan::nodes)
    for (int n = 0; n < Fan::nodes; ++n) {
      for (int a = 0; a < d; ++a) position[n][a] = work.mesh.position(node[n])[a];
      for (int a = 0; a < c; ++a) v[n][a] = Scalar(0);
    }
    work.values.read_all(work.x, target, u);
    TESSERA_UNROLL(Fan::most)
    for (int i = 0; i < Fan::most; ++i) add_element(i, number(i), node, position, u, v);
    if constexpr (Work::Action::reports) {
      Scalar size = Scalar(0);
      TESSERA_UNROLL(Fan::nodes)
      for (int n = 0; n < Fan::nodes; ++n)
        for (int a = 0; a < c; ++a) size += v[n][a] * v[n][a];
      if (!Kokkos::isfinite(size)) report(number);
    }
    add(fan, node, v);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int i, Ordinal number, const Ordinal (&node)[Fan::nodes],
                                               const double (&position)[Fan::nodes][d],
                                               const Scalar (&u)[Fan::nodes * c],
                                               Scalar (&v)[Fan::nodes][c]) const {
    Cell<Element, Scalar> cell;
    Ordinal element_node[Element::nodes];
    Scalar element_u[Work::dofs], element_v[Work::dofs];
    cell.element[0] = number;
    cell.material[0] = work.mesh.material(number);
    cell.nodes = element_node; // in the fan's order
    for (int a = 0; a < d; ++a) cell.origin[a] = Scalar(position[0][a]);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) {
      const int m = Fan::node(i, n);
      element_node[n] = node[m];
      for (int a = 0; a < d; ++a)
        cell.coordinates[n][a] = m == 0 ? Scalar(0) : Scalar(position[m][a] - position[0][a]);
      for (int a = 0; a < c; ++a) element_u[n * c + a] = u[m * c + a];
    }
    work.action.act(cell, element_u, element_v);
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

  /// Looks for the elements whose results are not finite, one by one.
  KOKKOS_FUNCTION void report(const typename Fan::Members& number) const {
    TESSERA_UNROLL(1)
    for (int i = 0; i < Fan::most; ++i) {
      const auto cell = work.mesh.template cell<Scalar>(number(i));
      Scalar u[Work::dofs], v[Work::dofs];
      Ordinal node[Element::nodes], target[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n) node[n] = work.mesh.connectivity(number(i), n);
      work.values.targets(node, target);
      work.values.read_all(work.x, target, u);
      work.action.act(cell, u, v);
      work.action.report(cell, v);
    }
  }
};

} // namespace TESSERA_KERNELS::element_loops::detail

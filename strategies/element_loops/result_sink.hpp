// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where the element kernels of matrix-free operators leave their results, by one of the ways of `Conflicts`.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/element_loops/lane_sums.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Where element kernels leave their results, by one of the ways of `Conflicts`.
template <class Element, int Components, class ExecutionSpace, class Scalar>
struct ResultSink {
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<Scalar*, ExecutionSpace> y;
  Conflicts conflicts;
  Kokkos::View<Scalar*, ExecutionSpace> buffer; ///< `gather`: (node * components + component, element)
  Offset elements;
  detail::LanePairs<Element> pairs; ///< `atomics`: nodes whose results neighbouring lanes sum

  /// Work items for `count` chunks of elements: whole warps where lanes sum.
  Ordinal work_items(Ordinal count) const { return pairs.bits == 0 ? count : (count + 31) / 32 * 32; }

  /// Results of the elements in the lanes of `Real`, node * components + component.
  /// \param active how many elements there are from `first` on; not positive for work items beyond the last
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const MeshKernel<Element, ExecutionSpace>& mesh, Ordinal first,
                                           int active, Real (&v)[Element::nodes * Components]) const {
    if constexpr (detail::LanePairs<Element>::supported && has_shuffles<ExecutionSpace>)
      if (pairs.bits != 0) {
        add_sums_of_lanes(mesh, first, active, v);
        return;
      }
    for (int lane = 0; lane < active; ++lane) {
      Ordinal node[Element::nodes], target[Element::nodes] = {};
      TESSERA_UNROLL(unroll_nodes<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(first + lane, n);
      if (conflicts != Conflicts::gather) node_values.targets(node, target);
      TESSERA_UNROLL(unroll_nodes<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) {
        Scalar value[Components];
        for (int a = 0; a < Components; ++a) value[a] = lane_of(v[n * Components + a], lane);
        add_at(first + lane, n, target[n], value);
      }
    }
  }

  /// Result of local node n of an element.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal element, int n, Ordinal node,
                                       const Scalar (&v)[Components]) const {
    add_at(element, n, conflicts == Conflicts::gather ? node : node_values.target(node), v);
  }
  /// Result of one component.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal element, int n, Ordinal node, int c, Scalar v) const {
    if (conflicts == Conflicts::gather) {
      buffer((n * Components + c) * elements + element) = v;
      return;
    }
    const auto& equations = node_values.equations;
    if (equations.is_constrained(node, c)) return;
    if (conflicts == Conflicts::atomics)
      AtomicAdd<ExecutionSpace>()(y(equations.equation(node, c)), v);
    else
      PlainAdd()(y(equations.equation(node, c)), v);
  }

private:
  /// \param target where results are not gathered: of `NodeValues`
  KOKKOS_FORCEINLINE_FUNCTION void add_at(Ordinal element, int n, Ordinal target,
                                          const Scalar (&v)[Components]) const {
    if (conflicts == Conflicts::atomics)
      node_values.write_at(y, target, v, AtomicAdd<ExecutionSpace>());
    else if (conflicts == Conflicts::colors)
      node_values.write_at(y, target, v, PlainAdd());
    else
      for (int c = 0; c < Components; ++c) buffer((n * Components + c) * elements + element) = v[c];
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_sums_of_lanes(const MeshKernel<Element, ExecutionSpace>& mesh,
                                                     Ordinal element, int active,
                                                     Scalar (&v)[Element::nodes * Components]) const {
    Ordinal node[Element::nodes], target[Element::nodes];
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(active > 0 ? element : 0, n);
    node_values.targets(node, target);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) target[n] = active > 0 ? target[n] : detail::no_target;
    detail::sum_lanes<Components>(pairs, target, v);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) {
      if (target[n] == detail::no_target) continue;
      Scalar value[Components];
      for (int a = 0; a < Components; ++a) value[a] = v[n * Components + a];
      node_values.write_at(y, target[n], value, AtomicAdd<ExecutionSpace>());
    }
  }
};

/// Sums the stored results of the elements around each node, in the elements' order.
template <int Components, class ExecutionSpace, class Scalar>
struct GatherResults {
  NodeValues<Components, ExecutionSpace> node_values;
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<const Scalar*, ExecutionSpace> buffer;
  Offset elements;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    Scalar sum[Components] = {};
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      for (int c = 0; c < Components; ++c)
        sum[c] += buffer((incidence.local_nodes(k) * Components + c) * elements + incidence.elements(k));
    finish_node(node_values, x, y, node, node_values.target(node), sum);
  }
};

} // namespace tessera

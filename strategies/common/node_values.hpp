#pragma once

/// \file
/// The values of a node's components in vectors over the equations, constraints included.

#include <tessera/core/allocate.hpp>
#include <tessera/core/equations.hpp>
#include <tessera/core/incidence.hpp>
#include <tessera/strategies/common/lane_sums.hpp>
#include <tessera/strategies/common/scatter.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

/// How the results of elements that share a node are added.
enum class Races {
  atomics, ///< atomic additions into the result; not deterministic
  colors,  ///< a launch per color: elements of one share no node
  gather,  ///< element results are stored, and a second kernel sums them by nodes
  patches, ///< neighbouring elements are summed in scratch memory, what they share by a second kernel
};

/// Reads and adds the values of one node. Constrained components read as zero and are not added to: their
/// rows and columns are those of a matrix assembled under the same constraints.
template <int Components, class ExecutionSpace>
struct NodeValues {
  Equations<ExecutionSpace> equations;

  template <class Vector, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read(const Vector& x, Ordinal node, Scalar (&u)[Components]) const {
    if (!equations.constrained) {
      for (int c = 0; c < Components; ++c) u[c] = x(node * Components + c);
      return;
    }
    const unsigned mask = equations.mask(node);
    Ordinal equation = equations.first_equation(node);
    for (int c = 0; c < Components; ++c) {
      const bool constrained = mask >> c & 1;
      u[c] = constrained ? Scalar(0) : Scalar(x(equation));
      equation += constrained && equations.removed ? 0 : 1;
    }
  }

  /// `write(entry of y, value)` for every free component.
  template <class Vector, class Scalar, class Write>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Vector& y, Ordinal node, const Scalar (&v)[Components],
                                         const Write& write) const {
    if (!equations.constrained) {
      for (int c = 0; c < Components; ++c) write(y(node * Components + c), v[c]);
      return;
    }
    const unsigned mask = equations.mask(node);
    Ordinal equation = equations.first_equation(node);
    for (int c = 0; c < Components; ++c) {
      const bool constrained = mask >> c & 1;
      if (!constrained) write(y(equation), v[c]);
      equation += constrained && equations.removed ? 0 : 1;
    }
  }
};

struct Assign {
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Scalar& target, Scalar value) const {
    target = value;
  }
};

/// Writes a node's rows: the sums, and the identity where a constrained component keeps its row.
template <int Components, class ExecutionSpace, class X, class Y, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void finish_node(const NodeValues<Components, ExecutionSpace>& values, const X& x,
                                             const Y& y, Ordinal node, const Scalar (&sum)[Components]) {
  values.write(y, node, sum, Assign());
  const auto& equations = values.equations;
  if (equations.constrained && !equations.removed)
    for (int c = 0; c < Components; ++c)
      if (equations.is_constrained(node, c)) y(node * Components + c) = x(node * Components + c);
}

/// Where element kernels leave their results, by one of the ways of `Races`.
template <class Element, int Components, class ExecutionSpace, class Scalar>
struct ResultSink {
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<Scalar*, ExecutionSpace> y;
  Races races;
  Kokkos::View<Scalar*, ExecutionSpace> buffer; ///< `gather`: (node * components + component, element)
  Offset elements;
  LanePairs<Element> pairs; ///< `atomics`: nodes whose results neighbouring lanes sum

  /// Work items for `count` chunks of elements: whole warps where lanes sum.
  Ordinal work_items(Ordinal count) const { return pairs.bits == 0 ? count : (count + 31) / 32 * 32; }

  /// Results of the elements in the lanes of `Real`, node * components + component.
  /// \param active how many elements there are from `first` on; not positive for work items beyond the last
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const MeshKernel<Element, ExecutionSpace>& mesh, Ordinal first,
                                           int active, Real (&v)[Element::nodes * Components]) const {
    if constexpr (LanePairs<Element>::supported && has_shuffles<ExecutionSpace>)
      if (pairs.bits != 0) {
        add_sums_of_lanes(mesh, first, active, v);
        return;
      }
    for (int lane = 0; lane < active; ++lane) TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n) {
      Scalar value[Components];
      for (int a = 0; a < Components; ++a) value[a] = lane_of(v[n * Components + a], lane);
      add(first + lane, n, mesh.connectivity(first + lane, n), value);
    }
  }

  /// Result of local node n of an element.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal element, int n, Ordinal node,
                                       const Scalar (&v)[Components]) const {
    if (races == Races::atomics)
      node_values.write(y, node, v, AtomicAdd<ExecutionSpace>());
    else if (races == Races::colors)
      node_values.write(y, node, v, PlainAdd());
    else
      for (int c = 0; c < Components; ++c) buffer((n * Components + c) * elements + element) = v[c];
  }
  /// Result of one component.
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal element, int n, Ordinal node, int c, Scalar v) const {
    if (races == Races::gather) {
      buffer((n * Components + c) * elements + element) = v;
      return;
    }
    const auto& equations = node_values.equations;
    if (equations.is_constrained(node, c)) return;
    if (races == Races::atomics)
      AtomicAdd<ExecutionSpace>()(y(equations.equation(node, c)), v);
    else
      PlainAdd()(y(equations.equation(node, c)), v);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void add_sums_of_lanes(const MeshKernel<Element, ExecutionSpace>& mesh,
                                                     Ordinal element, int active,
                                                     Scalar (&v)[Element::nodes * Components]) const {
    Ordinal node[Element::nodes];
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) node[n] = active > 0 ? mesh.connectivity(element, n) : -1;
    sum_lanes<Components>(pairs, node, v);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) {
      if (node[n] < 0) continue;
      Scalar value[Components];
      for (int a = 0; a < Components; ++a) value[a] = v[n * Components + a];
      node_values.write(y, node[n], value, AtomicAdd<ExecutionSpace>());
    }
  }
};

/// Sets rows that keep a constrained degree of freedom to the identity, and all others to zero.
template <class ExecutionSpace, class Scalar>
struct ClearResult {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const bool identity = equations.constrained && !equations.removed &&
                          equations.is_constrained(row / equations.components, row % equations.components);
    y(row) = identity ? x(row) : Scalar(0);
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
    finish_node(node_values, x, y, node, sum);
  }
};

} // namespace tessera

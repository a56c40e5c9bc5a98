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

  /// Where a node's values are: its first equation if all of its components are free, else a number below -1
  /// that stands for the node. Looked up once, before anything waits for it.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal target(Ordinal node) const {
    if (!equations.constrained) return node * Components;
    const Ordinal first = equations.first_equation(node);
    return equations.mask(node) == 0 ? first : -2 - node;
  }

  /// The same of all nodes of an element: without branches between the loads, they wait for each other once.
  template <int Nodes>
  KOKKOS_FORCEINLINE_FUNCTION void targets(const Ordinal (&node)[Nodes], Ordinal (&target)[Nodes]) const {
    TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) target[n] = node[n] * Components;
    if (!equations.constrained) return;
    unsigned mask[Nodes];
    TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) mask[n] = equations.mask(node[n]);
    if (equations.removed) TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) target[n] = equations.first(node[n]);
    TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) target[n] = mask[n] == 0 ? target[n] : -2 - node[n];
  }

  template <class Vector, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read(const Vector& x, Ordinal node, Scalar (&u)[Components]) const {
    read_at(x, target(node), u);
  }
  template <class Vector, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read_at(const Vector& x, Ordinal target, Scalar (&u)[Components]) const {
    if (target >= 0) {
      for (int c = 0; c < Components; ++c) u[c] = x(target + c);
      return;
    }
    for (int c = 0; c < Components; ++c) u[c] = Scalar(0);
    for_free_components(-2 - target, [&](int c, Ordinal equation) { u[c] = x(equation); });
  }

  /// The values of all nodes of an element, node * Components + component.
  template <class Vector, class Scalar, int Nodes>
  KOKKOS_FORCEINLINE_FUNCTION void read_all(const Vector& x, const Ordinal (&target)[Nodes],
                                            Scalar (&u)[Nodes * Components]) const {
    bool all_free = true;
    TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) all_free = all_free && target[n] >= 0;
    if (all_free) {
      TESSERA_UNROLL(unroll_up_to_8<Nodes>)
      for (int n = 0; n < Nodes; ++n)
        for (int c = 0; c < Components; ++c) u[n * Components + c] = x(target[n] + c);
      return;
    }
    TESSERA_UNROLL(unroll_up_to_8<Nodes>)
    for (int n = 0; n < Nodes; ++n) {
      Scalar value[Components];
      read_at(x, target[n], value);
      for (int c = 0; c < Components; ++c) u[n * Components + c] = value[c];
    }
  }

  /// `write(entry of y, value)` for every free component.
  template <class Vector, class Scalar, class Write>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Vector& y, Ordinal node, const Scalar (&v)[Components],
                                         const Write& write) const {
    write_at(y, target(node), v, write);
  }
  template <class Vector, class Scalar, class Write>
  KOKKOS_FORCEINLINE_FUNCTION void write_at(const Vector& y, Ordinal target, const Scalar (&v)[Components],
                                            const Write& write) const {
    if (target >= 0) {
      for (int c = 0; c < Components; ++c) write(y(target + c), v[c]);
      return;
    }
    for_free_components(-2 - target, [&](int c, Ordinal equation) { write(y(equation), v[c]); });
  }

private:
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_free_components(Ordinal node, const Visit& visit) const {
    const unsigned mask = equations.mask(node);
    Ordinal equation = equations.first_equation(node);
    for (int c = 0; c < Components; ++c) {
      const bool constrained = mask >> c & 1;
      if (!constrained) visit(c, equation);
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
/// \param target of `NodeValues`
template <int Components, class ExecutionSpace, class X, class Y, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void finish_node(const NodeValues<Components, ExecutionSpace>& values, const X& x,
                                             const Y& y, Ordinal node, Ordinal target,
                                             const Scalar (&sum)[Components]) {
  values.write_at(y, target, sum, Assign());
  const auto& equations = values.equations;
  if (target < 0 && !equations.removed)
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
    for (int lane = 0; lane < active; ++lane) {
      Ordinal node[Element::nodes], target[Element::nodes] = {};
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n) node[n] = mesh.connectivity(first + lane, n);
      if (races != Races::gather) node_values.targets(node, target);
      TESSERA_UNROLL(unroll_up_to_8<Element::nodes>)
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
    add_at(element, n, races == Races::gather ? node : node_values.target(node), v);
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
  /// \param target where results are not gathered: of `NodeValues`
  KOKKOS_FORCEINLINE_FUNCTION void add_at(Ordinal element, int n, Ordinal target,
                                          const Scalar (&v)[Components]) const {
    if (races == Races::atomics)
      node_values.write_at(y, target, v, AtomicAdd<ExecutionSpace>());
    else if (races == Races::colors)
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
    for (int n = 0; n < Element::nodes; ++n) target[n] = active > 0 ? target[n] : no_target;
    sum_lanes<Components>(pairs, target, v);
    TESSERA_UNROLL(Element::nodes)
    for (int n = 0; n < Element::nodes; ++n) {
      if (target[n] == no_target) continue;
      Scalar value[Components];
      for (int a = 0; a < Components; ++a) value[a] = v[n * Components + a];
      node_values.write_at(y, target[n], value, AtomicAdd<ExecutionSpace>());
    }
  }
};

/// Sets rows that keep a constrained degree of freedom to the identity, and all others to zero; where the
/// equations keep them.
template <class ExecutionSpace, class Scalar>
struct ClearResult {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const bool identity = equations.is_constrained(row / equations.components, row % equations.components);
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
    finish_node(node_values, x, y, node, node_values.target(node), sum);
  }
};

} // namespace tessera

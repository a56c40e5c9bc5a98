// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The values of a node's components in vectors over the equations, constraints included.

#include <tessera/core/allocate.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <cstring>
#include <string>

namespace tessera {

/// Reads and adds the values of one node. Constrained components read as zero and are not added to: their
/// rows and columns are those of a matrix assembled under the same constraints.
/// \tparam AllFree the equations are all degrees of freedom, as residuals have them: nothing is looked up
template <int Components, class ExecutionSpace, bool AllFree = false>
struct NodeValues {
  Equations<ExecutionSpace> equations;

  KOKKOS_FORCEINLINE_FUNCTION bool constrained() const { return !AllFree && equations.constrained; }
  /// Whether all components of a node are free.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_free(Ordinal target) { return AllFree || target >= 0; }

  /// Where a node's values are: its first equation if all of its components are free, else a number below -1
  /// that stands for the node. Looked up once, before anything waits for it.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal target(Ordinal node) const {
    if (!constrained()) return node * Components;
    const Ordinal first = equations.first_equation(node);
    return equations.mask(node) == 0 ? first : -2 - node;
  }

  /// The same of all nodes of an element: without branches between the loads, they wait for each other once.
  template <int Nodes>
  KOKKOS_FORCEINLINE_FUNCTION void targets(const Ordinal (&node)[Nodes], Ordinal (&target)[Nodes]) const {
    TESSERA_UNROLL(unroll_nodes<Nodes>)
    for (int n = 0; n < Nodes; ++n) target[n] = node[n] * Components;
    if (!constrained()) return;
    unsigned mask[Nodes];
    TESSERA_UNROLL(unroll_nodes<Nodes>)
    for (int n = 0; n < Nodes; ++n) mask[n] = equations.mask(node[n]);
    if (equations.removed) {
      TESSERA_UNROLL(unroll_nodes<Nodes>)
      for (int n = 0; n < Nodes; ++n) target[n] = equations.first(node[n]);
    }
    TESSERA_UNROLL(unroll_nodes<Nodes>)
    for (int n = 0; n < Nodes; ++n) target[n] = mask[n] == 0 ? target[n] : -2 - node[n];
  }

  template <class Vector, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read(const Vector& x, Ordinal node, Scalar (&u)[Components]) const {
    read_at(x, target(node), u);
  }
  template <class Vector, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void read_at(const Vector& x, Ordinal target, Scalar (&u)[Components]) const {
    if (is_free(target)) {
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
    TESSERA_UNROLL(unroll_nodes<Nodes>)
    for (int n = 0; n < Nodes; ++n) all_free = all_free && is_free(target[n]);
    if (all_free) {
      TESSERA_UNROLL(unroll_nodes<Nodes>)
      for (int n = 0; n < Nodes; ++n)
        for (int c = 0; c < Components; ++c) u[n * Components + c] = x(target[n] + c);
      return;
    }
    TESSERA_UNROLL(unroll_nodes<Nodes>)
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
    if (is_free(target)) {
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
template <int Components, class ExecutionSpace, bool AllFree, class X, class Y, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void finish_node(const NodeValues<Components, ExecutionSpace, AllFree>& values,
                                             const X& x, const Y& y, Ordinal node, Ordinal target,
                                             const Scalar (&sum)[Components]) {
  values.write_at(y, target, sum, Assign());
  const auto& equations = values.equations;
  if (!values.is_free(target) && !equations.removed)
    for (int c = 0; c < Components; ++c)
      if (equations.is_constrained(node, c)) y(node * Components + c) = x(node * Components + c);
}

/// Sets rows that keep a constrained degree of freedom to the identity, and all others to zero.
template <class ExecutionSpace, class Scalar>
struct ClearResult {
  using Execution = ExecutionSpace;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  /// Whether rows keep constrained degrees of freedom; else all become zero.
  bool keeps_rows() const { return equations.constrained && !equations.removed; }

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const bool identity = !equations.removed &&
                          equations.is_constrained(row / equations.components, row % equations.components);
    y(row) = identity ? x(row) : Scalar(0);
  }

  /// On hosts, the rows of nodes `first` to `last`.
  void rows_of(Ordinal first, Ordinal last) const {
    const Ordinal begin = equations.first_equation(first),
                  end = equations.first_equation(last) + equations.equations_of(last);
    if (!keeps_rows())
      std::memset(y.data() + begin, 0, to_size(end - begin) * sizeof(Scalar));
    else
      for (Ordinal row = begin; row < end; ++row) (*this)(row);
  }

  /// All rows. Where none is kept, the device's own way of filling memory is nearly twice as fast as a kernel
  /// with a thread per row.
  void all_rows(const ExecutionSpace& exec, const char* label) const {
    if (!keeps_rows())
      Kokkos::deep_copy(exec, y, Scalar(0));
    else
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, equations.count), *this);
  }
};

} // namespace tessera

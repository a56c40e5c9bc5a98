// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The functions of the linear element of the same shape, at the points of a higher one.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/element.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace tessera {

/// psi_v = sum_n psi_v(node n) phi_n: on the reference element the linear functions are among the higher
/// ones, so that this is exact on curved elements too. Every node has a function; those of nodes that are no
/// corners are zero.
template <ReferenceElement Element>
struct LinearBasis {
  using Linear = typename Element::template of_order<1>;
  using Weights = std::array<std::array<double, Element::nodes>, Element::nodes>;

  /// psi_v at each node, [v][node].
  static constexpr Weights weights() {
    Weights all{};
    const auto x = Element::node_coordinates();
    for (int n = 0; n < Element::nodes; ++n) {
      const auto at_node = Linear::values(x[n]);
      for (int v = 0; v < Linear::nodes; ++v) all[v][n] = at_node[v];
    }
    return all;
  }
  /// psi_v at node n.
  KOKKOS_FORCEINLINE_FUNCTION static double weight(int v, int n) {
    static constexpr Weights table = weights();
    return table[v][n];
  }

  /// Value of node v's function at a point that has those of the element's own.
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION static auto value(const Point& point, int v) {
    using Value = value_type_t<typename Point::real_type>;
    Value sum = 0;
    for (int n = 0; n < Element::nodes; ++n) sum += Value(weight(v, n)) * point.value(n);
    return sum;
  }
  /// Its derivative along axis d.
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION static auto gradient(const Point& point, int v, int d) {
    using Real = typename Point::real_type;
    using Value = value_type_t<Real>;
    Real sum = Real(Value(weight(v, 0))) * point.gradient(0, d);
    for (int n = 1; n < Element::nodes; ++n) sum += Real(Value(weight(v, n))) * point.gradient(n, d);
    return sum;
  }
};

/// The functions of a form's components: its last `linear_components` ones have linear functions, if it
/// states any.
template <class Form>
constexpr int linear_components_of() {
  if constexpr (requires { Form::linear_components; })
    return Form::linear_components;
  else
    return 0;
}

/// The function of a node for a component of a form: the element's own or, of linear components, the linear
/// one.
template <class Form, class Element>
struct ComponentBasis {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_linear(int component) {
    return component >= Form::components - linear_components_of<Form>();
  }
  /// How many components, the first ones, have a function of node n of an element: linear ones are at corners
  /// alone.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int components_at(int n) {
    if constexpr (linear_components_of<Form>() == 0)
      return Form::components;
    else
      return n < LinearBasis<Element>::Linear::nodes ? Form::components
                                                     : Form::components - linear_components_of<Form>();
  }
  /// Whether a node of an element has constrained components beside those that have no function there: what
  /// has to be looked at one by one.
  template <class Equations>
  KOKKOS_FORCEINLINE_FUNCTION static bool is_constrained(const Equations& equations, Ordinal node, int n) {
    constexpr unsigned all = (1u << Form::components) - 1u;
    return equations.constrained && equations.mask(node) != (all & ~((1u << components_at(n)) - 1u));
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION static auto value(const Point& point, int component, int n) {
    return is_linear(component) ? LinearBasis<Element>::value(point, n) : point.value(n);
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION static auto gradient(const Point& point, int component, int n, int d) {
    using Real = typename Point::real_type;
    return is_linear(component) ? LinearBasis<Element>::gradient(point, n, d) : Real(point.gradient(n, d));
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The product of one element's matrix with a vector, by one thread, without the matrix.

#include <tessera/core/elements/basis_rows.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/forms/detail/multilinear_action.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/instruction_sets.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

/// Forms that state what they make of gradients and values, with coefficients constant in an element.
template <class Element, class Kernel, class Real>
concept HasAction = requires(Kernel k, Cell<Element, Real> c) {
  k.action(c);
  k.reacts();
};

/// Quadrilaterals and hexahedra of order one, integrated with two Gauss points along each axis.
template <class Element, class Kernel>
inline constexpr bool is_multilinear =
    Element::order == 1 && is_cube(Element::shape) && Kernel::template degree<Element> >= 2 &&
    Kernel::template degree<Element> <= 3;

/// Straight-sided linear simplices: one gradient, and the mass matrix V (1 + delta_ij) / ((d+1)(d+2)).
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act_on_simplex(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                const Real (&u)[Element::nodes * Kernel::components],
                                                Real (&v)[Element::nodes * Kernel::components]) {
  using Value = value_type_t<Real>;
  constexpr int d = Element::dimension, c = Kernel::components;
  constexpr double reference_volume = d == 2 ? 1.0 / 2.0 : 1.0 / 6.0;
  Matrix<Real, d> jacobian;
  for (int e = 0; e < d; ++e)
    for (int a = 0; a < d; ++a) jacobian(a, e) = cell.coordinates[e + 1][a];
  const Matrix<Real, d> adj = adjugate(jacobian);
  Real det = jacobian(0, 0) * adj(0, 0);
  for (int a = 1; a < d; ++a) det += jacobian(0, a) * adj(a, 0);
  const auto action = kernel.action(cell);
  Matrix<Real, c, d> gradient;
  for (int a = 0; a < c; ++a)
    for (int b = 0; b < d; ++b) {
      gradient(a, b) = (u[c + a] - u[a]) * adj(0, b);
      for (int e = 1; e < d; ++e) gradient(a, b) += (u[(e + 1) * c + a] - u[a]) * adj(e, b);
    }
  const auto flux = action.flux(gradient);
  const Real scale = Real(Value(reference_volume)) / det;
  for (int a = 0; a < c; ++a) {
    Real sum = Real(Value(0));
    for (int e = 0; e < d; ++e) {
      Real product = flux(a, 0) * adj(e, 0);
      for (int b = 1; b < d; ++b) product += flux(a, b) * adj(e, b);
      v[(e + 1) * c + a] = product * scale;
      sum += v[(e + 1) * c + a];
    }
    v[a] = -sum;
  }
  if (kernel.reacts()) {
    Vector<Real, c> total;
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) total(a) += u[n * c + a];
    const Real mass = det * Value(reference_volume / ((d + 1) * (d + 2)));
    for (int n = 0; n < Element::nodes; ++n) {
      Vector<Real, c> value;
      for (int a = 0; a < c; ++a) value(a) = (total(a) + u[n * c + a]) * mass;
      const auto reaction = action.reaction(value);
      for (int a = 0; a < c; ++a) v[n * c + a] += reaction(a);
    }
  }
}

/// Any isoparametric element: at each point gradients on the reference element, turned to physical ones and
/// back. (Kronbichler & Kormann 2012 write the operator so; the sums over nodes are not factorised.)
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act_by_quadrature(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                   const Real (&u)[Element::nodes * Kernel::components],
                                                   Real (&v)[Element::nodes * Kernel::components]) {
  using Value = value_type_t<Real>;
  using Table = Tabulation<Element, Kernel::template degree<Element>>;
  constexpr int d = Element::dimension, c = Kernel::components;
  const auto action = kernel.action(cell);
  for (auto& entry : v) entry = Real(Value(0));
  TESSERA_UNROLL(1)
  for (int q = 0; q < Table::points; ++q) {
    Matrix<Real, d> jacobian;
    Matrix<Real, c, d> reference;
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int e = 0; e < d; ++e) {
        const Value derivative = Table::template gradient<Value>(q, n, e);
        for (int a = 0; a < d; ++a) jacobian(a, e) += cell.coordinates[n][a] * derivative;
        for (int a = 0; a < c; ++a) reference(a, e) += u[n * c + a] * derivative;
      }
    const Matrix<Real, d> adj = adjugate(jacobian);
    const Real det = determinant(jacobian);
    const Matrix<Real, c, d> flux =
        flux_on_reference(action, reference, adj, Real(Table::template weight<Value>(q)) / det);
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int e = 0; e < d; ++e) {
        const Value derivative = Table::template gradient<Value>(q, n, e);
        for (int a = 0; a < c; ++a) v[n * c + a] += flux(a, e) * derivative;
      }
    if (kernel.reacts()) {
      Vector<Real, c> value;
      TESSERA_UNROLL(unroll_nodes<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < c; ++a) value(a) += u[n * c + a] * Table::template value<Value>(q, n);
      const Real weight = det * Table::template weight<Value>(q);
      for (int a = 0; a < c; ++a) value(a) *= weight;
      const auto reaction = action.reaction(value);
      TESSERA_UNROLL(unroll_nodes<Element::nodes>)
      for (int n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < c; ++a) v[n * c + a] += reaction(a) * Table::template value<Value>(q, n);
    }
  }
}

/// Whether it pays to ask a form for its coefficients rather than for all pairs of functions: but for linear
/// simplices. On hosts, where whole blocks are asked for, with more than three times as many functions. (An
/// own form of three components, the time so over that of all pairs: one core, 8 nodes 1.6, 10 nodes 1.1,
/// 20 nodes a third; an H200, 8 nodes a third, 10 nodes a quarter.)
template <bool OnHost, class Element, class Kernel, class Real>
inline constexpr bool acts_by_coefficients =
    Element::nodes >
    (OnHost && Kernel::components > 1 && IsProbed<Kernel, Element, Real> ? 3 : 1) * (Element::dimension + 1);

/// Forms whose coefficients at a point are known: the vector's derivatives on the reference element and its
/// value meet them there, pulled back, whatever the physics.
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act_by_coefficients(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                     const Real (&u)[Element::nodes * Kernel::components],
                                                     Real (&v)[Element::nodes * Kernel::components]) {
  using Value = value_type_t<Real>;
  using Coefficients = reference_coefficients_t<Kernel, Element, Real>;
  using Point = probing_point_t<Kernel, Element, Real>;
  using Rows = BasisRows<Element, Kernel::template degree<Element>>;
  constexpr int d = Element::dimension, c = Kernel::components, functions = Coefficients::functions;
  TESSERA_UNROLL(unroll_nodes<Element::nodes>)
  for (int n = 0; n < Element::nodes; ++n)
    for (int a = 0; a < c; ++a) v[n * c + a] = Real(Value(0));
  TESSERA_UNROLL(1)
  for (int q = 0; q < Rows::table::points; ++q) {
    Matrix<Real, d> jacobian;
    Real trial[functions * c], test[functions * c];
    for (auto& entry : trial) entry = Real(Value(0));
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n) {
      const auto& row = Rows::template at<Value>(q, n);
      for (int e = 0; e < d; ++e)
        for (int a = 0; a < d; ++a) jacobian(a, e) += cell.coordinates[n][a] * row.entry[e];
      for (int f = 0; f < functions; ++f)
        for (int b = 0; b < c; ++b) trial[f * c + b] += u[n * c + b] * row.entry[f];
    }
    const Point point(cell, {cell}, q, jacobian);
    const auto at = pull_back<Kernel::symmetric>(point, point_coefficients(kernel, point));
    for_constants<functions * c>([&](auto r) TESSERA_INLINED {
      test[r] = at.entry[Coefficients::place(r, 0)] * trial[0];
      for_constants<functions * c - 1>(
          [&](auto s) TESSERA_INLINED { test[r] += at.entry[Coefficients::place(r, s + 1)] * trial[s + 1]; });
    });
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n) {
      const auto& row = Rows::template at<Value>(q, n);
      for (int f = 0; f < functions; ++f)
        for (int a = 0; a < c; ++a) v[n * c + a] += test[f * c + a] * row.entry[f];
    }
  }
}

/// Other forms that are known by their stiffness alone: all pairs of functions.
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act_by_stiffness(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                  const Real (&u)[Element::nodes * Kernel::components],
                                                  Real (&v)[Element::nodes * Kernel::components]) {
  constexpr int degree = Kernel::template degree<Element>, c = Kernel::components;
  for (auto& entry : v) entry = Real(value_type_t<Real>(0));
  TESSERA_UNROLL(1)
  for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
    const QuadraturePoint<Element, degree, Real> point(cell, q);
    const auto integrand = kernel.at(point);
    for (int i = 0; i < Element::nodes; ++i)
      for (int j = 0; j < Element::nodes; ++j) {
        const auto k = integrand.stiffness(i, j);
        for (int a = 0; a < c; ++a)
          for (int b = 0; b < c; ++b) v[i * c + a] += point.weight() * k(a, b) * u[j * c + b];
      }
  }
}

/// Forms without a flux: the cheaper way of those that they have.
template <bool OnHost, class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act_without_flux(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                  const Real (&u)[Element::nodes * Kernel::components],
                                                  Real (&v)[Element::nodes * Kernel::components]) {
  if constexpr (HasPointCoefficients<Kernel, Element, Real> &&
                acts_by_coefficients<OnHost, Element, Kernel, Real>)
    act_by_coefficients(kernel, cell, u, v);
  else
    act_by_stiffness(kernel, cell, u, v);
}

} // namespace detail

/// v = K_e u for one element (one per lane of `Real`) without forming K_e; agrees with `integrate` to
/// rounding. A kernel with a member `act_on(cell, u, v)` computes v itself, as those of Jacobians and
/// residuals do.
///
/// \tparam Affine promises that the element is the image of the reference element under an affine map; only
///   quadrilaterals and hexahedra of order one make use of it
/// \param u,v values of the element's degrees of freedom, node * components + component
template <bool Affine, class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void act(const Kernel& kernel, const Cell<Element, Real>& cell,
                                     const Real (&u)[Element::nodes * Kernel::components],
                                     Real (&v)[Element::nodes * Kernel::components]) {
  if constexpr (requires { kernel.act_on(cell, u, v); })
    kernel.act_on(cell, u, v);
  else
    by_best_instructions<Real>([&]() TESSERA_INLINED {
      if constexpr (!detail::HasAction<Element, Kernel, Real>) {
        KOKKOS_IF_ON_HOST((detail::act_without_flux<true>(kernel, cell, u, v);))
        KOKKOS_IF_ON_DEVICE((detail::act_without_flux<false>(kernel, cell, u, v);))
      } else if constexpr (Element::affine_simplex)
        detail::act_on_simplex(kernel, cell, u, v);
      else if constexpr (detail::is_multilinear<Element, Kernel> && Affine)
        detail::MultilinearAction<Element, Kernel, Real>::affine(kernel, cell, u, v);
      else if constexpr (detail::is_multilinear<Element, Kernel>)
        detail::MultilinearAction<Element, Kernel, Real>::general(kernel, cell, u, v);
      else
        detail::act_by_quadrature(kernel, cell, u, v);
    });
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The residual of one element, by one thread: v_i = integral of phi_i f0 + grad phi_i : f1 (paper 3,
/// eq. 2.1).

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/instruction_sets.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/core/weak_form/kernel.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

/// Straight-sided linear simplices: one inverse Jacobian and one gradient, and f1 is summed over the points
/// before it meets the test functions.
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void residual_on_simplex(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                     const Real (&u)[Element::nodes * Kernel::components],
                                                     Real (&v)[Element::nodes * Kernel::components]) {
  using Value = value_type_t<Real>;
  constexpr int d = Element::dimension, c = Kernel::components, degree = Kernel::template degree<Element>;
  using Table = Tabulation<Element, degree>;
  using Point = MappedPoint<Element, degree, Real>;
  Matrix<Real, d> jacobian;
  TESSERA_UNROLL_ON_HOST_TOO(9)
  for (int e = 0; e < d; ++e) {
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int a = 0; a < d; ++a) jacobian(a, e) = cell.coordinates[e + 1][a];
  }
  const Matrix<Real, d> adj = adjugate(jacobian);
  Real det = jacobian(0, 0) * adj(0, 0);
  TESSERA_UNROLL_ON_HOST_TOO(9)
  for (int a = 1; a < d; ++a) det += jacobian(0, a) * adj(a, 0);
  const Real inverse_det = reciprocal(det);
  Matrix<Real, d> inverse;
  TESSERA_UNROLL_ON_HOST_TOO(9)
  for (int k = 0; k < d * d; ++k) inverse.entry[k] = adj.entry[k] * inverse_det;
  Matrix<Real, c, d> gradient, flux;
  TESSERA_UNROLL_ON_HOST_TOO(9)
  for (int a = 0; a < c; ++a) {
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int b = 0; b < d; ++b) {
      gradient(a, b) = (u[c + a] - u[a]) * inverse(0, b);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int e = 1; e < d; ++e) gradient(a, b) += (u[(e + 1) * c + a] - u[a]) * inverse(e, b);
    }
  }
  TESSERA_UNROLL_ON_HOST_TOO(9)
  for (int n = 0; n < Element::nodes; ++n)
    for (int a = 0; a < c; ++a) v[n * c + a] = Real(Value(0));
  TESSERA_UNROLL(
      (Table::points <= 8 ? Table::points + 1 : 1)) // more than there are: even a single one is no loop
  for (int q = 0; q < Table::points; ++q) {
    Vector<Real, c> value;
    if constexpr (Kernel::uses_value)
      for (int n = 0; n < Element::nodes; ++n)
        for (int a = 0; a < c; ++a) value(a) += u[n * c + a] * Table::template value<Value>(q, n);
    const auto f = kernel(value, gradient, Point{cell, inverse, q});
    const Value weight = Table::template weight<Value>(q);
    if constexpr (Kernel::template tests_gradient<Element>) {
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int k = 0; k < c * d; ++k) flux.entry[k] += f.f1.entry[k] * weight;
    }
    if constexpr (Kernel::template tests_value<Element>) {
      const Real scale = det * weight;
      for (int a = 0; a < c; ++a) {
        const Real scaled = f.f0(a) * scale;
        for (int n = 0; n < Element::nodes; ++n) v[n * c + a] += scaled * Table::template value<Value>(q, n);
      }
    }
  }
  if constexpr (Kernel::template tests_gradient<Element>) {
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int a = 0; a < c; ++a) {
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int e = 0; e < d; ++e) {
        Real product = flux(a, 0) * adj(e, 0);
        TESSERA_UNROLL_ON_HOST_TOO(9)
        for (int b = 1; b < d; ++b) product += flux(a, b) * adj(e, b);
        v[(e + 1) * c + a] += product;
        v[a] -= product;
      }
    }
  }
}

/// Any isoparametric element: gradients on the reference element, turned to physical ones and back.
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void residual_by_quadrature(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                        const Real (&u)[Element::nodes * Kernel::components],
                                                        Real (&v)[Element::nodes * Kernel::components]) {
  using Value = value_type_t<Real>;
  constexpr int d = Element::dimension, c = Kernel::components, degree = Kernel::template degree<Element>;
  using Table = Tabulation<Element, degree>;
  using Point = MappedPoint<Element, degree, Real>;
  TESSERA_UNROLL(unroll_nodes<Element::nodes>)
  for (int n = 0; n < Element::nodes; ++n)
    for (int a = 0; a < c; ++a) v[n * c + a] = Real(Value(0));
  TESSERA_UNROLL(1)
  for (int q = 0; q < Table::points; ++q) {
    Matrix<Real, d> jacobian;
    Matrix<Real, c, d> reference;
    Vector<Real, c> value;
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n) {
      for (int e = 0; e < d; ++e) {
        const Value derivative = Table::template gradient<Value>(q, n, e);
        for (int a = 0; a < d; ++a) jacobian(a, e) += cell.coordinates[n][a] * derivative;
        for (int a = 0; a < c; ++a) reference(a, e) += u[n * c + a] * derivative;
      }
      if constexpr (Kernel::uses_value)
        for (int a = 0; a < c; ++a) value(a) += u[n * c + a] * Table::template value<Value>(q, n);
    }
    const Matrix<Real, d> adj = adjugate(jacobian);
    const Real det = determinant(jacobian), inverse_det = reciprocal(det);
    Matrix<Real, d> inverse;
    for (int k = 0; k < d * d; ++k) inverse.entry[k] = adj.entry[k] * inverse_det;
    Matrix<Real, c, d> gradient;
    for (int a = 0; a < c; ++a)
      for (int b = 0; b < d; ++b)
        for (int e = 0; e < d; ++e) gradient(a, b) += reference(a, e) * inverse(e, b);
    const auto f = kernel(value, gradient, Point{cell, inverse, q});
    const Value weight = Table::template weight<Value>(q);
    Matrix<Real, c, d> flux; // on the reference element, weighted
    if constexpr (Kernel::template tests_gradient<Element>)
      for (int a = 0; a < c; ++a)
        for (int e = 0; e < d; ++e) {
          for (int b = 0; b < d; ++b) flux(a, e) += f.f1(a, b) * adj(e, b);
          flux(a, e) *= Real(weight);
        }
    Vector<Real, c> source;
    if constexpr (Kernel::template tests_value<Element>)
      for (int a = 0; a < c; ++a) source(a) = f.f0(a) * (det * weight);
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        if constexpr (Kernel::template tests_gradient<Element>)
          for (int e = 0; e < d; ++e) v[n * c + a] += flux(a, e) * Table::template gradient<Value>(q, n, e);
        if constexpr (Kernel::template tests_value<Element>)
          v[n * c + a] += source(a) * Table::template value<Value>(q, n);
      }
  }
}

} // namespace detail

/// Residual of one element (one per lane of `Real`).
///
/// \param kernel a weak form's, see `WeakForm::kernel`
/// \param u,v values of the element's degrees of freedom and their residuals, node * components + component
template <class Element, class Kernel, class Real>
KOKKOS_FORCEINLINE_FUNCTION void element_residual(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                  const Real (&u)[Element::nodes * Kernel::components],
                                                  Real (&v)[Element::nodes * Kernel::components]) {
  by_best_instructions<Real>([&]() TESSERA_INLINED {
    if constexpr (Element::affine_simplex)
      detail::residual_on_simplex(kernel, cell, u, v);
    else
      detail::residual_by_quadrature(kernel, cell, u, v);
  });
}

} // namespace tessera

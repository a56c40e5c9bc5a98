// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms of scalar conduction: Poisson's equation with variable and with nonlinear coefficients, the
/// p-Laplacian.

#include <tessera/core/error.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <algorithm>
#include <cmath>

namespace tessera {

/// -div(grad u) = 0: paper 3's benchmark (section 6).
struct Laplace {
  static constexpr int components = 1;
  static constexpr bool symmetric = true, uses_value = false;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    return p.grad_u;
  }
};

/// -div(a grad u) = f with a = field 0 and f = field 1, each a number, by cell, nodal, or a callable of the
/// position (paper 3, section 4).
struct Poisson {
  static constexpr int components = 1;
  static constexpr bool symmetric = true, uses_value = false;
  /// Fields may be of the element's own order.
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point& p) const {
    return -p.template a<1>();
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
};

/// -div(a grad u) = 0 with a = field 0: `Poisson` without a source, which needs fewer points.
struct VariableLaplace {
  static constexpr int components = 1;
  static constexpr bool symmetric = true, uses_value = false;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
};

/// -div((1 + u^2) grad u) = f with f = field 0. The Jacobian is not symmetric.
struct NonlinearPoisson {
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  template <class Element>
  static constexpr int degree = std::min(4 * Element::order, 2 * Element::order + 2);

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point& p) const {
    return -p.template a<0>();
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u * p.u) * p.grad_u;
  }
};

/// -div(c (e^2 + |grad u|^2)^((p-2)/2) grad u) = f with f = field 0. The regularisation e > 0 keeps the
/// Jacobian regular where the gradient vanishes. PETSc's SNES example 12 has p = 4, c = 1/2, e = 0.
struct PLaplacian {
  double power = 4;
  double scale = 1;
  double regularisation = 0;

  static constexpr int components = 1;
  static constexpr bool symmetric = true, uses_value = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point& p) const {
    return -p.template a<0>();
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    const auto squared = dot(p.grad_u, p.grad_u) + regularisation * regularisation;
    return (scale * pow(squared, (power - 2) / 2)) * p.grad_u;
  }

  /// \throws FormError
  void check() const {
    if (!(power >= 1) || !std::isfinite(power)) throw FormError("PLaplacian::power must be at least 1");
    if (!(scale > 0)) throw FormError("PLaplacian::scale must be positive");
    if (!(regularisation >= 0)) throw FormError("PLaplacian::regularisation must be at least 0");
  }
};

} // namespace tessera

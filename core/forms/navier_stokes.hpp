// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Stationary viscous flow with inertia, as a weak form.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/arithmetic/vector_algebra.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/detail/check_viscosity.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>

namespace tessera {

/// Navier and Stokes' equations of a stationary incompressible flow: -viscosity lap u + density (u . grad) u
/// + grad p = f, div u = 0, in the weak form of `Stokes`, with the same components and the same pressure;
/// without density they are `Stokes`. On a boundary without a condition nothing but the pressure acts:
/// viscosity du/dn - p n = 0.
template <int d>
struct NavierStokes {
  static constexpr int components = d + 1, linear_components = 1;
  template <class Element>
  static constexpr int degree = 3 * Element::order - 1; ///< exact on straight elements

  double viscosity = 1; ///< dynamic, positive
  double density = 1;
  std::array<double, d> body_force{}; ///< per volume

  /// \throws FormError for a viscosity that is not positive or a number that is not finite
  void check() const {
    detail::check_viscosity("NavierStokes", viscosity);
    if (!std::isfinite(density)) throw FormError("NavierStokes: the density is not finite");
    for (const double force : body_force)
      if (!std::isfinite(force)) throw FormError("NavierStokes: the body force is not finite");
  }

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    Vector<Number, components> f;
    for (int a = 0; a < d; ++a) {
      f(a) = Number(-body_force[a]);
      for (int b = 0; b < d; ++b) f(a) += density * p.grad_u(a, b) * p.u(b);
      f(d) -= p.grad_u(a, a);
    }
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    Matrix<typename Point::number_type, components, d> f;
    for (int a = 0; a < d; ++a) {
      for (int b = 0; b < d; ++b) f(a, b) = viscosity * p.grad_u(a, b);
      f(a, a) -= p.u(d);
    }
    return f;
  }
};

} // namespace tessera

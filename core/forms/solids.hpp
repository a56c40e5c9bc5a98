// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Solids as weak forms: Hooke's law for small strains, a compressible neo-Hookean material for large ones.
/// The unknown is the displacement; natural boundary data is the traction (for the neo-Hookean body per area
/// of the reference configuration).

#include <tessera/core/error.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <cmath>

namespace tessera {

/// Linear elasticity, f1 = lambda tr(e) I + 2 mu e with e the symmetric part of grad u; in two dimensions
/// plane strain.
template <int Dimension>
struct HookeanSolid {
  double lame = 1;  ///< lambda
  double shear = 1; ///< mu

  static constexpr int components = Dimension;
  static constexpr bool symmetric = true, uses_value = false;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    static_assert(Point::dimension == Dimension, "HookeanSolid: an element of another dimension");
    auto stress = shear * (p.grad_u + transpose(p.grad_u));
    const auto pressure = number<typename Point::real_type>(lame) * trace(p.grad_u);
    for (int a = 0; a < Dimension; ++a) stress(a, a) += pressure;
    return stress;
  }

  /// \throws FormError
  void check() const {
    if (!(shear > 0)) throw FormError("HookeanSolid::shear must be positive");
    if (!(lame + 2 * shear / Dimension > 0))
      throw FormError("HookeanSolid::lame: the bulk modulus must be positive");
  }
};

/// Compressible neo-Hookean material with energy mu/2 (tr(F^T F) - d) - mu ln J + lambda/2 (ln J)^2, F = I +
/// grad u, J = det F (e.g. J. Bonet & R. D. Wood, "Nonlinear Continuum Mechanics", section 6.4.3): f1 = mu (F
/// - F^-T) + lambda ln J F^-T, the first Piola-Kirchhoff stress. Where J is not positive it is not a number,
/// and the residual names the element.
template <int Dimension>
struct NeoHookean {
  double shear = 1; ///< mu
  double lame = 1;  ///< lambda

  static constexpr int components = Dimension;
  static constexpr bool symmetric = true, uses_value = false;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    static_assert(Point::dimension == Dimension, "NeoHookean: an element of another dimension");
    const auto F = identity(p.grad_u) + p.grad_u;
    using Real = typename Point::real_type;
    return shear * F +
           (number<Real>(lame) * log(determinant(F)) - number<Real>(shear)) * inverse_transposed(F);
  }

  /// dF^-T = -F^-T dF^T F^-T and d ln J = F^-T : dF.
  template <class Point, class Direction>
  KOKKOS_FORCEINLINE_FUNCTION auto df1(const Point& p, const Direction& w) const {
    const auto F = identity(p.grad_u) + p.grad_u;
    const auto inverse = inverse_transposed(F);
    const auto turned = inverse * (transpose(w.grad_u) * inverse);
    using Real = typename Point::real_type;
    return shear * w.grad_u + (number<Real>(shear) - number<Real>(lame) * log(determinant(F))) * turned +
           (number<Real>(lame) * dot(inverse, w.grad_u)) * inverse;
  }

  /// The same between two functions' gradients, which F^-T turns to the deformed configuration.
  template <class Real>
  struct Tangent {
    Matrix<Real, Dimension> inverse; ///< F^-T
    Real shear, turned, lame;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension>
    operator()(const Vector<Real, Dimension>& test, const Vector<Real, Dimension>& trial) const {
      const Vector<Real, Dimension> v = inverse * test, w = inverse * trial;
      const Real straight = shear * dot(test, trial);
      Matrix<Real, Dimension> k;
      for (int a = 0; a < Dimension; ++a) {
        for (int b = 0; b < Dimension; ++b) k(a, b) = turned * (w(a) * v(b)) + lame * (v(a) * w(b));
        k(a, a) += straight;
      }
      return k;
    }
  };
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto tangent(const Point& p) const {
    const auto F = identity(p.grad_u) + p.grad_u;
    using Real = typename Point::real_type;
    return Tangent<Real>{inverse_transposed(F), number<Real>(shear),
                         Real(number<Real>(shear) - number<Real>(lame) * log(determinant(F))),
                         number<Real>(lame)};
  }

  /// \throws FormError
  void check() const {
    if (!(shear > 0)) throw FormError("NeoHookean::shear must be positive");
    if (!(lame >= 0)) throw FormError("NeoHookean::lame must be at least 0");
  }
};

} // namespace tessera

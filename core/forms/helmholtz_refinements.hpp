// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What `Helmholtz` knows beyond its integrand; each is tested equal to the quadrature.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/cell.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// What `Helmholtz` makes of a function's gradient and value in an element with constant coefficients.
template <class Real>
struct HelmholtzAction {
  Real sigma, lambda;
  template <int Dimension>
  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1, Dimension>
  flux(const Matrix<Real, 1, Dimension>& gradient) const {
    Matrix<Real, 1, Dimension> flux;
    for (int d = 0; d < Dimension; ++d) flux(0, d) = sigma * gradient(0, d);
    return flux;
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> reaction(const Vector<Real, 1>& value) const {
    Vector<Real, 1> reaction;
    reaction(0) = lambda * value(0);
    return reaction;
  }
};

/// Integrals of `Helmholtz` over a straight-sided linear simplex in closed form (e.g. Zienkiewicz & Taylor,
/// "The Finite Element Method", vol. 1: the mass matrix is V (1 + delta_ij) / ((d+1)(d+2))).
template <class Element, class Real>
struct HelmholtzOnSimplex {
  const Simplex<Element, Real>& simplex;
  Real scale; ///< sigma times the volume over the determinant's square
  Real mass, nodal_load;

  KOKKOS_FORCEINLINE_FUNCTION HelmholtzOnSimplex(const Simplex<Element, Real>& simplex, const Real& sigma,
                                                 const Real& lambda, const Real& source)
      : simplex(simplex), scale(sigma * part<1>() * simplex.inverse_determinant()),
        mass(lambda * part<Element::nodes*(Element::nodes + 1)>() * simplex.determinant()),
        nodal_load(source * part<Element::nodes>() * simplex.determinant()) {}

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
    Matrix<Real, 1> k;
    k(0, 0) = scale * simplex.normal_product(i, j) + (i == j ? mass + mass : mass);
    return k;
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int) const {
    Vector<Real, 1> f;
    f(0) = nodal_load;
    return f;
  }
  /// The sum of `stiffness(i, j)` over j, of every i: gradients add up to zero.
  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> row_sum() const {
    Matrix<Real, 1> sum;
    sum(0, 0) = mass * value_type_t<Real>(Element::nodes + 1);
    return sum;
  }

private:
  /// One of `parts` equal parts of the reference simplex' volume.
  template <int parts>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr value_type_t<Real> part() {
    constexpr double volume = Simplex<Element, Real>::reference_volume / parts;
    return value_type_t<Real>(volume);
  }
};

/// Integrals of `Helmholtz` over an affine cell from the reference tensors.
template <class Element, class Real>
struct HelmholtzOnAffineCell {
  using Value = value_type_t<Real>;
  using Tensors = ReferenceTensors<Element>;
  Real conductivity[Tensors::direction_pairs]; ///< sigma times the metric, at a + b (b + 1) / 2
  Real mass, source;                           ///< lambda and f times det J

  KOKKOS_FORCEINLINE_FUNCTION HelmholtzOnAffineCell(const AffineGeometry<Element, Real>& cell,
                                                    const Real& sigma, const Real& lambda, const Real& f)
      : mass(lambda * cell.determinant()), source(f * cell.determinant()) {
    for (int b = 0; b < Element::dimension; ++b)
      for (int a = 0; a <= b; ++a) conductivity[a + b * (b + 1) / 2] = sigma * cell.metric(a, b);
  }

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
    Matrix<Real, 1> k;
    k(0, 0) = mass * Tensors::template values<Value>(i, j);
    for (int pair = 0; pair < Tensors::direction_pairs; ++pair) {
      const Value factor = Tensors::template symmetric_derivatives<Value>(i, j, pair);
      if (unroll_tensors<Element, Real> == 1 || factor != 0) k(0, 0) += conductivity[pair] * factor;
    }
    return k;
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int i) const {
    Vector<Real, 1> f;
    f(0) = source * Tensors::template value<Value>(i);
    return f;
  }
};

} // namespace tessera

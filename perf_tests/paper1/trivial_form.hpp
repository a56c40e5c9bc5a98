// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The dummy element kernel of paper 1, Figures 13b, 13c and 14b: same input and output, hardly any
/// arithmetic.

#include <tessera/core/elements/cell.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::tools {

/// Every entry is the sum of all coordinates of the element plus a constant; it has no meaning but to use all
/// input, so that the compiler drops nothing.
struct TrivialKernel {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  static constexpr bool cell_constant = true;
  static constexpr bool pairwise = true; ///< entries are of coordinates, not of the basis
  /// One quadrature point.
  template <class Element>
  static constexpr int degree = 1;

  template <class Real>
  struct Integrand {
    Real sum;
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      Matrix<Real, 1> k;
      k(0, 0) = sum + Real(value_type_t<Real>(i + j));
      return k;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = sum + Real(value_type_t<Real>(i));
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    using Real = typename Point::real_type;
    Real sum(value_type_t<Real>(0));
    for (int n = 0; n < Point::element_type::nodes; ++n)
      for (int d = 0; d < Point::dimension; ++d) sum += point.cell().coordinates[n][d];
    return Integrand<Real>{sum};
  }

  /// Linear triangles take the same way as with a real form, whose integrals are known in closed form.
  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Real> over(const Simplex<Element, Real>& simplex) const {
    return at(simplex);
  }
  /// Nothing varies from element to element.
  static constexpr int cell_fields() { return 0; }
};

/// The form of that kernel.
struct TrivialForm {
  static constexpr int components = 1;
  TrivialKernel kernel() const { return {}; }
};

} // namespace tessera::tools

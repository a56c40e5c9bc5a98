// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two forms that the library does not ship, so that no table has times of them.

#include <tessera/core/arithmetic/real_functions.hpp>
#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/forms/form.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::tools {

/// The factor of the direction along an axis: 1, 4, 9.
KOKKOS_INLINE_FUNCTION constexpr double factor_along(int axis) { return (axis + 1.0) * (axis + 1.0); }

/// -div(k D grad u) = 1, D diagonal, k by element.
template <int Dimension>
struct AnisotropicDiffusion {
  CellField conductivity;

  static constexpr const char* name = "anisotropic diffusion";
  static constexpr int components = 1;

  struct Kernel {
    CellFieldKernel conductivity;

    static constexpr int components = 1;
    static constexpr bool symmetric = true;
    template <class Element>
    static constexpr int degree = 2 * Element::order;

    template <class Point>
    struct Integrand {
      using Real = typename Point::real_type;
      const Point& point;
      Real conductivity;

      KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
        Real sum = number<Real>(0);
        for (int a = 0; a < Dimension; ++a)
          sum += number<Real>(factor_along(a)) * point.gradient(i, a) * point.gradient(j, a);
        Matrix<Real, 1> k;
        k(0, 0) = conductivity * sum;
        return k;
      }
      KOKKOS_FUNCTION Vector<Real, 1> load(int i) const {
        Vector<Real, 1> f;
        f(0) = number<Real>(1) * point.value(i);
        return f;
      }
    };
    template <class Point>
    KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
      return {point, conductivity.template in<typename Point::real_type>(point.cell())};
    }
  };
  Kernel kernel() const { return {coefficient_kernel(conductivity)}; }
};

/// curl curl u - k grad div u + u = 1 in each component, k by element: no refinement.
template <int Dimension>
struct CurlAndDivergence {
  CellField bulk;

  static constexpr const char* name = "curl and divergence";
  static constexpr int components = Dimension;

  struct Kernel {
    CellFieldKernel bulk;

    static constexpr int components = Dimension;
    static constexpr bool symmetric = true;
    template <class Element>
    static constexpr int degree = 2 * Element::order;

    template <class Point>
    struct Integrand {
      using Real = typename Point::real_type;
      const Point& point;
      Real bulk;

      KOKKOS_FUNCTION Matrix<Real, Dimension> stiffness(int i, int j) const {
        Real diagonal = number<Real>(1) * point.value(i) * point.value(j);
        for (int a = 0; a < Dimension; ++a) diagonal += point.gradient(i, a) * point.gradient(j, a);
        Matrix<Real, Dimension> k;
        for (int a = 0; a < Dimension; ++a)
          for (int b = 0; b < Dimension; ++b)
            k(a, b) = bulk * point.gradient(i, a) * point.gradient(j, b) -
                      point.gradient(i, b) * point.gradient(j, a);
        for (int a = 0; a < Dimension; ++a) k(a, a) += diagonal;
        return k;
      }
      KOKKOS_FUNCTION Vector<Real, Dimension> load(int i) const {
        Vector<Real, Dimension> f;
        for (int a = 0; a < Dimension; ++a) f(a) = number<Real>(1) * point.value(i);
        return f;
      }
    };
    template <class Point>
    KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
      return {point, bulk.template in<typename Point::real_type>(point.cell())};
    }
  };
  Kernel kernel() const { return {coefficient_kernel(bulk)}; }
};

} // namespace tessera::tools

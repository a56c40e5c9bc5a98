// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Small-strain isotropic elasticity in two and three dimensions.

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tessera {

/// The two-dimensional idealisations of elasticity.
enum class Plane { stress, strain };

/// For ratios in (-1, 0.5).
struct PoissonsRange {
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Value nu) const {
    return nu > -1 && nu < Value(0.5);
  }
};

/// Pointwise part of `LinearElasticity` as kernels use it.
template <int Dimension, class BodyForce>
struct LinearElasticityKernel {
  CellFieldKernel young, poisson;
  BodyForce body_force; // an array of numbers or a callable of the position that returns a Vector
  Plane plane;

  static constexpr int components = Dimension;
  static constexpr bool symmetric = true;
  static constexpr bool cell_constant = std::is_same_v<BodyForce, Vector<double, Dimension>>;
  static constexpr bool isotropic = true;

  /// Strain products have twice the derivative's order; the load needs the order itself.
  template <class Element>
  static constexpr int degree =
      is_simplex(Element::shape) ? std::max(2 * Element::order - 2, Element::order) : 2 * Element::order;

  /// Lame's constants; in plane stress lambda is replaced by 2 lambda mu / (lambda + 2 mu).
  template <class Real>
  struct Lame {
    Real lambda, mu;

    /// K_ij[a,b] = lambda g_i[a] g_j[b] + mu g_i[b] g_j[a] + mu delta_ab g_i.g_j, from the products
    /// G[a,b] = g_i[a] g_j[b] or their weighted sum over the points: the form is linear in them.
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension>
    stiffness(const Matrix<Real, Dimension>& moments) const {
      Real trace = moments(0, 0);
      for (int a = 1; a < Dimension; ++a) trace += moments(a, a);
      const Real mu_trace = mu * trace;
      Matrix<Real, Dimension> k;
      for (int a = 0; a < Dimension; ++a)
        for (int b = 0; b < Dimension; ++b) k(a, b) = lambda * moments(a, b) + mu * moments(b, a);
      for (int a = 0; a < Dimension; ++a) k(a, a) += mu_trace;
      return k;
    }

    /// Stress of a displacement gradient H[a,b] = du_a / dx_b: lambda tr(H) I + mu (H + H^T).
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension> flux(const Matrix<Real, Dimension>& gradient) const {
      Real trace = gradient(0, 0);
      for (int a = 1; a < Dimension; ++a) trace += gradient(a, a);
      const Real pressure = lambda * trace;
      Matrix<Real, Dimension> stress;
      for (int a = 0; a < Dimension; ++a) {
        stress(a, a) = pressure + mu * (gradient(a, a) + gradient(a, a));
        for (int b = 0; b < a; ++b) stress(a, b) = stress(b, a) = mu * (gradient(a, b) + gradient(b, a));
      }
      return stress;
    }
    /// No term without derivatives.
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, Dimension> reaction(const Vector<Real, Dimension>&) const {
      return Vector<Real, Dimension>();
    }
  };

  template <class Real, class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION Lame<Real> lame(const AnyCell& cell) const {
    using Value = value_type_t<Real>;
    const Real e = admissible_or_nan(young.template in<Real>(cell), Positive());
    const Real nu = admissible_or_nan(poisson.template in<Real>(cell), PoissonsRange());
    const Real mu = e * reciprocal(Real(Value(2) * (nu + Value(1))));
    const Real one_minus = Real(Value(1)) - (Dimension == 2 && plane == Plane::stress ? nu : nu + nu);
    return {mu * (nu + nu) * reciprocal(one_minus), mu};
  }

  /// The integrand at one quadrature point, its coefficients evaluated.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Lame<Real> lame;
    Vector<Real, Dimension> force;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension> stiffness(int i, int j) const {
      Matrix<Real, Dimension> products;
      for (int a = 0; a < Dimension; ++a)
        for (int b = 0; b < Dimension; ++b) products(a, b) = point.gradient(i, a) * point.gradient(j, b);
      return lame.stiffness(products);
    }

    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, Dimension> load(int i) const {
      Vector<Real, Dimension> f;
      for (int a = 0; a < Dimension; ++a) f(a) = force(a) * point.value(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    static_assert(Point::dimension == Dimension, "LinearElasticity: an element of another dimension");
    return {point, lame<typename Point::real_type>(point.cell()), force_at(point)};
  }

  /// False: the form has no term without derivatives, and operators need no values.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool reacts() { return false; }

  /// What the form makes of a function's gradients in an element with constant coefficients.
  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION Lame<Real> action(const Cell<Element, Real>& cell) const {
    return lame<Real>(cell);
  }

  /// The form in an element whose coefficients are constant: K_ij follows from the moments
  /// G_ij[a,b] = sum_q w g_i[a] g_j[b], the load from the integrals of the basis functions.
  template <class Real>
  struct Moments {
    Lame<Real> lame;
    Vector<Real, Dimension> force;
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension>
    stiffness(const Matrix<Real, Dimension>& moments) const {
      return lame.stiffness(moments);
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, Dimension> load(const Real& basis_integral) const {
      Vector<Real, Dimension> f;
      for (int a = 0; a < Dimension; ++a) f(a) = force(a) * basis_integral;
      return f;
    }
  };

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION Moments<Real> from_moments(const Cell<Element, Real>& cell) const {
    Vector<Real, Dimension> force;
    for (int a = 0; a < Dimension; ++a) force(a) = Real(value_type_t<Real>(body_force(a)));
    return {lame<Real>(cell), force};
  }

  /// The same in an affine cell, whose moments follow from the reference tensors.
  template <class Element, class Real>
  struct OnAffineCell {
    AffineGeometry<Element, Real> geometry;
    Moments<Real> form;
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension> stiffness(int i, int j) const {
      return form.stiffness(geometry.moments(i, j));
    }
    /// What the integral of d phi_i / d xi_a times d phi_j / d xi_b adds to `stiffness(i, j)`: fewer
    /// operations for who needs many pairs of nodes.
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension> block_of_derivatives(int a, int b) const {
      return form.stiffness(geometry.gradient_products(a, b));
    }
    /// [a, b]: entry (p, q) of that: fewer operations for who needs one row of an element.
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, Dimension> factors(int p, int q) const {
      Matrix<Real, Dimension> factors;
      for (int a = 0; a < Dimension; ++a)
        for (int b = 0; b < Dimension; ++b) factors(a, b) = block_of_derivatives(a, b)(p, q);
      return factors;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, Dimension> load(int i) const {
      return form.load(geometry.basis_integral(i));
    }
  };

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION OnAffineCell<Element, Real> over(const AffineCell<Element, Real>& cell) const {
    return {cell.geometry, from_moments(cell.cell)};
  }

  /// The kernel with its coefficients' values in an element.
  template <class AnyCell>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION LinearElasticityKernel in_element(const AnyCell& cell) const {
    return {fetched(young, cell), fetched(poisson, cell), body_force, plane};
  }

private:
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Vector<typename Point::real_type, Dimension>
  force_at(const Point& point) const {
    using Real = typename Point::real_type;
    Vector<Real, Dimension> f;
    if constexpr (cell_constant) {
      for (int a = 0; a < Dimension; ++a) f(a) = Real(value_type_t<Real>(body_force(a)));
    } else {
      static_assert(
          VectorAtPosition<BodyForce, Dimension>,
          "LinearElasticity: the body force is an array of numbers, or a const KOKKOS_FUNCTION of the "
          "position, a Vector<double, dimension>, that returns such a Vector");
      for (int a = 0; a < Dimension; ++a)
        f(a) = from_lanes<Real>([&](int lane) {
          Vector<double, Dimension> x;
          for (int d = 0; d < Dimension; ++d) x(d) = lane_of(point.position(d), lane);
          return value_type_t<Real>(body_force(x)(a));
        });
    }
    return f;
  }
};

/// Hooke's law of an isotropic solid as a weak form: Young's modulus is field 0, Poisson's ratio field 1.
template <int Dimension>
struct IsotropicSolid {
  std::array<double, Dimension> body_force = {}; ///< per volume
  Plane plane = Plane::strain;                   ///< in two dimensions

  static constexpr int components = Dimension;
  static constexpr bool symmetric = true, uses_value = false;
  /// As `LinearElasticity`, whose matrix the Jacobian is, on bent elements too.
  template <class Element>
  static constexpr int degree =
      LinearElasticityKernel<Dimension, Vector<double, Dimension>>::template degree<Element>;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point&) const {
    Vector<double, Dimension> f;
    for (int a = 0; a < Dimension; ++a) f(a) = -body_force[a];
    return f;
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    static_assert(Point::dimension == Dimension, "IsotropicSolid: an element of another dimension");
    const auto young = p.template a<0>(), nu = p.template a<1>();
    const auto shear = young / (2.0 * (1.0 + nu));
    const auto lame = 2.0 * shear * nu / (1.0 - (Dimension == 2 && plane == Plane::stress ? 1.0 : 2.0) * nu);
    const auto pressure = lame * trace(p.grad_u);
    auto stress = shear * (p.grad_u + transpose(p.grad_u));
    for (int a = 0; a < Dimension; ++a) stress(a, a) += pressure;
    return stress;
  }
};

/// Isotropic elasticity with `Dimension` displacements per node: Young's modulus > 0 and Poisson's ratio in
/// (-1, 0.5), each a number or a `CellField`; body force per volume (in two dimensions per area of unit
/// thickness), constant or a callable of the position that returns `Vector<double, Dimension>`. In two
/// dimensions `plane` chooses plane stress or plane strain. Natural boundary data is the traction.
template <int Dimension, class BodyForce = std::array<double, Dimension>>
struct LinearElasticity {
  static_assert(Dimension == 2 || Dimension == 3, "LinearElasticity: two or three dimensions");
  CellField young = 1.0;
  CellField poisson = 0.3;
  BodyForce body_force = {};
  Plane plane = Plane::strain;

  static constexpr int components = Dimension;

  /// The pointwise part for device kernels.
  auto kernel() const {
    if constexpr (std::is_same_v<BodyForce, std::array<double, Dimension>>) {
      Vector<double, Dimension> force;
      for (int a = 0; a < Dimension; ++a) force(a) = body_force[a];
      return LinearElasticityKernel<Dimension, Vector<double, Dimension>>{
          coefficient_kernel(young), coefficient_kernel(poisson), force, plane};
    } else {
      return LinearElasticityKernel<Dimension, BodyForce>{coefficient_kernel(young),
                                                          coefficient_kernel(poisson), body_force, plane};
    }
  }

  /// The same by f0 and f1, for residuals K u - f; the body force is constant.
  auto weak() const { return weak_form(IsotropicSolid<Dimension>{body_force, plane}, young, poisson); }

  /// Checks what the host knows; values per element are checked by the kernels that read them.
  /// \throws FormError for E <= 0, a ratio outside (-1, 0.5), or values that are not
  ///   finite; ArgumentError for values in memory that `ExecutionSpace` cannot read or too few of them.
  template <class ExecutionSpace>
  void check(std::size_t materials, std::size_t elements) const {
    check_cell_field<ExecutionSpace>(young, "LinearElasticity::young", materials, elements, "positive",
                                     Positive());
    check_cell_field<ExecutionSpace>(poisson, "LinearElasticity::poisson", materials, elements,
                                     "inside (-1, 0.5)", PoissonsRange());
    if constexpr (std::is_same_v<BodyForce, std::array<double, Dimension>>)
      for (double b : body_force)
        if (!std::isfinite(b)) throw FormError("LinearElasticity::body_force must be finite");
  }
};

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The derivatives of a weak form's functions at a point: by differentiation, or as the form states them.

#include <tessera/core/arithmetic/dual.hpp>
#include <tessera/core/weak_form/kernel.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// A change of the unknown: the second argument of `df0(p, direction)` and `df1(p, direction)`, by which a
/// form may give its derivatives itself.
template <class Number, int Components, int Dimension, bool HasValue>
struct WeakDirection : detail::UnknownValue<Number, Components, HasValue> {
  detail::gradients_t<Number, Components, Dimension> grad_u;
};

namespace detail {

/// The four blocks of derivatives at a point, in PETSc's numbering: g0 = df0/du, g1 = df0/dgrad_u,
/// g2 = df1/du, g3 = df1/dgrad_u, components and axes of gradients as component * dimension + axis; and f0,
/// f1.
template <class Real, int Components, int Dimension>
struct WeakBlocks {
  static constexpr int gradients = Components * Dimension;
  WeakValues<Real, Components, Dimension> f;
  Matrix<Real, Components> g0;
  Matrix<Real, Components, gradients> g1;
  Matrix<Real, gradients, Components> g2;
  Matrix<Real, gradients, gradients> g3;
};

/// The numbers with derivatives by which a physics is differentiated: its own choice, or dual numbers.
template <class Physics, class Real, int Directions>
struct DifferentiatedNumber {
  using type = Dual<Real, Directions>;
};
template <class Physics, class Real, int Directions>
  requires requires { typename Physics::template Differentiated<Real, Directions>; }
struct DifferentiatedNumber<Physics, Real, Directions> {
  using type = typename Physics::template Differentiated<Real, Directions>;
};

/// Differentiates a weak form at a quadrature point, in all directions at once, or takes the form's own word.
template <class Kernel, class Point>
struct Linearisation {
  using Real = typename Point::real_type;
  static constexpr int c = Kernel::components, d = Point::dimension;
  static constexpr bool uses_value = Kernel::uses_value;
  static constexpr int values = uses_value ? c : 0, directions = values + c * d;
  using Blocks = WeakBlocks<Real, c, d>;
  using Physics = decltype(Kernel::physics);
  using Number = typename DifferentiatedNumber<Physics, Real, directions>::type;
  using Derivatives = DerivativeTraits<Number>;
  using Argument = typename Kernel::template PointOf<Real, Point>;
  using Direction = WeakDirection<Real, c, d, uses_value>;

  static constexpr bool has_f0 = Kernel::template has_f0<Number, Point>;
  static constexpr bool has_f1 = Kernel::template has_f1<Number, Point>;
  static constexpr bool by_hand =
      (!has_f0 || requires(const Physics& f, const Argument& p, const Direction& w) { f.df0(p, w); }) &&
      (!has_f1 || requires(const Physics& f, const Argument& p, const Direction& w) { f.df1(p, w); });
  static constexpr bool has_tangent = requires(const Physics& f, const Argument& p, const Direction& w) {
    f.tangent(p);
    f.df1(p, w);
  };
  static_assert(!has_tangent || (!has_f0 && !uses_value),
                "tessera::WeakForm: `tangent(p)` is for forms of f1 alone that state `uses_value = false`");

  KOKKOS_FORCEINLINE_FUNCTION static Blocks at(const Kernel& kernel, const Vector<Real, c>& u,
                                               const Matrix<Real, c, d>& grad_u, const Point& point) {
    if constexpr (by_hand)
      return evaluate(kernel, u, grad_u, point);
    else
      return differentiate(kernel, u, grad_u, point);
  }

  /// The derivatives of f0 and f1 along one direction, which a vector's value and gradient give.
  KOKKOS_FORCEINLINE_FUNCTION static WeakValues<Real, c, d>
  along(const Kernel& kernel, const Vector<Real, c>& u, const Matrix<Real, c, d>& grad_u,
        const Vector<Real, c>& value, const Matrix<Real, c, d>& gradient, const Point& point) {
    WeakValues<Real, c, d> f;
    if constexpr (by_hand) {
      Direction w;
      if constexpr (uses_value) w.u = entries<components_t<Real, c>>(value);
      for (int k = 0; k < c * d; ++k) w.grad_u.entry[k] = gradient.entry[k];
      along(
          kernel.physics, kernel.argument(u, grad_u, point), w, [&](int a, const Real& x) { f.f0(a) = x; },
          [&](int i, const Real& x) { f.f1.entry[i] = x; });
    } else {
      using Single = typename DifferentiatedNumber<Physics, Real, 1>::type;
      using Derivative = DerivativeTraits<Single>;
      const Single t = Derivative::variable(number<Real>(0), 0);
      Vector<Single, c> moved_value;
      Matrix<Single, c, d> moved_gradient;
      if constexpr (uses_value)
        for (int a = 0; a < c; ++a) moved_value(a) = Derivative::chain(u(a), value(a), t);
      for (int k = 0; k < c * d; ++k)
        moved_gradient.entry[k] = Derivative::chain(grad_u.entry[k], gradient.entry[k], t);
      const auto moved = kernel(moved_value, moved_gradient, point);
      if constexpr (has_f0)
        for (int a = 0; a < c; ++a) f.f0(a) = Derivative::derivative(moved.f0(a), 0);
      if constexpr (has_f1)
        for (int k = 0; k < c * d; ++k) f.f1.entry[k] = Derivative::derivative(moved.f1.entry[k], 0);
    }
    return f;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Blocks differentiate(const Kernel& kernel, const Vector<Real, c>& u,
                                                          const Matrix<Real, c, d>& grad_u,
                                                          const Point& point) {
    Vector<Number, c> value;
    Matrix<Number, c, d> gradient;
    if constexpr (uses_value)
      for (int a = 0; a < c; ++a) value(a) = Derivatives::variable(u(a), a);
    for (int k = 0; k < c * d; ++k) gradient.entry[k] = Derivatives::variable(grad_u.entry[k], values + k);
    const auto f = kernel(value, gradient, point);
    Blocks blocks;
    if constexpr (has_f0)
      for (int a = 0; a < c; ++a) {
        blocks.f.f0(a) = Derivatives::value(f.f0(a));
        if constexpr (uses_value)
          for (int b = 0; b < c; ++b) blocks.g0(a, b) = Derivatives::derivative(f.f0(a), b);
        for (int k = 0; k < c * d; ++k) blocks.g1(a, k) = Derivatives::derivative(f.f0(a), values + k);
      }
    if constexpr (has_f1)
      for (int i = 0; i < c * d; ++i) {
        blocks.f.f1.entry[i] = Derivatives::value(f.f1.entry[i]);
        if constexpr (uses_value)
          for (int b = 0; b < c; ++b) blocks.g2(i, b) = Derivatives::derivative(f.f1.entry[i], b);
        for (int k = 0; k < c * d; ++k) blocks.g3(i, k) = Derivatives::derivative(f.f1.entry[i], values + k);
      }
    return blocks;
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Blocks evaluate(const Kernel& kernel, const Vector<Real, c>& u,
                                                     const Matrix<Real, c, d>& grad_u, const Point& point) {
    Blocks blocks;
    blocks.f = kernel(u, grad_u, point);
    const Argument p = kernel.argument(u, grad_u, point);
    if constexpr (uses_value)
      for (int b = 0; b < c; ++b) {
        Direction w;
        Vector<Real, c> unit;
        unit(b) = number<Real>(1);
        w.u = entries<components_t<Real, c>>(unit);
        for (int k = 0; k < c * d; ++k) w.grad_u.entry[k] = number<Real>(0);
        along(
            kernel.physics, p, w, [&](int a, const Real& x) { blocks.g0(a, b) = x; },
            [&](int i, const Real& x) { blocks.g2(i, b) = x; });
      }
    for (int k = 0; k < c * d; ++k) {
      Direction w;
      if constexpr (uses_value) w.u = entries<components_t<Real, c>>(Vector<Real, c>());
      for (int i = 0; i < c * d; ++i) w.grad_u.entry[i] = number<Real>(i == k ? 1 : 0);
      along(
          kernel.physics, p, w, [&](int a, const Real& x) { blocks.g1(a, k) = x; },
          [&](int i, const Real& x) { blocks.g3(i, k) = x; });
    }
    return blocks;
  }

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static Value entries(const Vector<Real, c>& u) {
    if constexpr (c == 1)
      return u(0);
    else
      return u;
  }

  template <class SetF0, class SetF1>
  KOKKOS_FORCEINLINE_FUNCTION static void along(const Physics& physics, const Argument& p, const Direction& w,
                                                const SetF0& set_f0, const SetF1& set_f1) {
    if constexpr (has_f0) {
      const auto f0 = physics.df0(p, w);
      if constexpr (c == 1)
        set_f0(0, Real(f0));
      else
        for (int a = 0; a < c; ++a) set_f0(a, Real(f0(a)));
    }
    if constexpr (has_f1) {
      const auto f1 = physics.df1(p, w);
      for (int i = 0; i < c * d; ++i) set_f1(i, Real(f1.entry[i]));
    }
  }
};

} // namespace detail

} // namespace tessera

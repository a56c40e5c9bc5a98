// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The pointwise part of a weak form as kernels copy it.

#include <tessera/core/arithmetic/vector_algebra.hpp>
#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/core/weak_form/point.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <type_traits>

namespace tessera {

/// f0 and f1 at a point, and which of them a form has. f1 comes first: behind an f0 of one float its numbers
/// straddle what compilers store at once and load at once, and every point waits for the store.
template <class Number, int Components, int Dimension>
struct WeakValues {
  Matrix<Number, Components, Dimension> f1;
  Vector<Number, Components> f0;
};

namespace detail {

template <class Physics>
constexpr bool uses_value() {
  if constexpr (requires { Physics::uses_value; })
    return Physics::uses_value;
  else
    return true;
}

template <class Physics>
constexpr bool is_symmetric() {
  if constexpr (requires { Physics::symmetric; })
    return Physics::symmetric;
  else
    return false;
}

/// The point that a physics with these fields is evaluated at.
template <class Physics, class Fields, class Number, class Point>
using weak_point_t = WeakPoint<Number, Physics::components, uses_value<Physics>(), Point, Fields>;

template <class Physics, class Point>
concept TestsValue = requires(const Physics& physics, const Point& p) { physics.f0(p); };
template <class Physics, class Point>
concept TestsGradient = requires(const Physics& physics, const Point& p) { physics.f1(p); };

} // namespace detail

/// A weak form's physics and its auxiliary fields on a mesh; `WeakForm::kernel` makes it.
template <class Physics, class Fields>
struct WeakFormKernel {
  Physics physics;
  Fields fields;

  static constexpr int components = Physics::components, linear_components = linear_components_of<Physics>();
  static constexpr bool symmetric = detail::is_symmetric<Physics>();
  static constexpr bool uses_value = detail::uses_value<Physics>();

  template <class Number, class Point>
  using PointOf = detail::weak_point_t<Physics, Fields, Number, Point>;
  template <class Number, class Point>
  static constexpr bool has_f0 =
      detail::TestsValue<Physics, detail::weak_point_t<Physics, Fields, Number, Point>>;
  template <class Number, class Point>
  static constexpr bool has_f1 =
      detail::TestsGradient<Physics, detail::weak_point_t<Physics, Fields, Number, Point>>;
  /// The same for points of an element.
  template <class Element>
  static constexpr bool tests_value = has_f0<double, MappedPoint<Element, 1, double>>;
  template <class Element>
  static constexpr bool tests_gradient = has_f1<double, MappedPoint<Element, 1, double>>;

  /// What the physics states, else exact for straight elements and coefficients that are constant in them:
  /// twice the order, with derivatives alone on simplices twice the gradients' order.
  template <class Element>
  static constexpr int degree = [] {
    if constexpr (requires { Physics::template degree<Element>; })
      return Physics::template degree<Element>;
    else if constexpr ((Element::shape == Shape::triangle || Element::shape == Shape::tetrahedron) &&
                       !uses_value && !tests_value<Element>)
      return std::max(2 * Element::order - 2, Element::order);
    else
      return 2 * Element::order;
  }();

  /// What the physics' functions take at a point.
  /// \param u read where the form uses it
  template <class Number, class Point>
  KOKKOS_FORCEINLINE_FUNCTION PointOf<Number, Point>
  argument(const Vector<Number, components>& u, const Matrix<Number, components, Point::dimension>& grad_u,
           const Point& point) const {
    PointOf<Number, Point> p(point, fields);
    if constexpr (uses_value) {
      if constexpr (components == 1)
        p.u = u(0);
      else
        p.u = u;
    }
    TESSERA_UNROLL_ON_HOST_TOO(9)
    for (int k = 0; k < components * Point::dimension; ++k) p.grad_u.entry[k] = grad_u.entry[k];
    return p;
  }

  /// f0 and f1 at a point.
  /// \param u read where the form uses it
  template <class Number, class Point>
  KOKKOS_FORCEINLINE_FUNCTION WeakValues<Number, components, Point::dimension>
  operator()(const Vector<Number, components>& u, const Matrix<Number, components, Point::dimension>& grad_u,
             const Point& point) const {
    constexpr bool with_f0 = has_f0<Number, Point>, with_f1 = has_f1<Number, Point>;
    static_assert(with_f0 || with_f1,
                  "tessera::WeakForm: the physics has neither `f0(p)` nor `f1(p)`, or takes no WeakPoint");
    const auto p = argument(u, grad_u, point);
    WeakValues<Number, components, Point::dimension> result;
    if constexpr (with_f0) {
      const auto f0 = physics.f0(p);
      using F0 = std::remove_const_t<decltype(f0)>;
      static_assert(std::is_same_v<F0, detail::evaluated_t<F0>>,
                    "tessera::WeakForm: `f0` returns an expression, whose operands are gone: "
                    "let it return `typename Point::number_type` in place of `auto`");
      if constexpr (components == 1)
        result.f0(0) = Number(f0);
      else
        for (int c = 0; c < components; ++c) result.f0(c) = Number(f0(c));
    }
    if constexpr (with_f1) {
      const auto f1 = physics.f1(p);
      TESSERA_UNROLL_ON_HOST_TOO(9)
      for (int k = 0; k < components * Point::dimension; ++k) result.f1.entry[k] = Number(f1.entry[k]);
    }
    return result;
  }
};

namespace detail {

/// What `element_residual` asks of a kernel beside its functions, for those that make theirs of a weak
/// form's.
template <class Weak>
struct IntegratedAs {
  static constexpr int components = Weak::components;
  static constexpr bool uses_value = Weak::uses_value;
  template <class Element>
  static constexpr int degree = Weak::template degree<Element>;
  template <class Element>
  static constexpr bool tests_value = Weak::template tests_value<Element>;
  template <class Element>
  static constexpr bool tests_gradient = Weak::template tests_gradient<Element>;
};

} // namespace detail

} // namespace tessera

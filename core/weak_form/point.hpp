// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a weak form sees at a quadrature point, and the geometry behind it.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/core/weak_form/fields.hpp>
#include <tessera/core/weak_form/rate.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// Geometry at a quadrature point as `QuadraturePoint` gives it, but with the gradients of the basis
/// functions computed where they are asked for: a residual needs those of the unknown alone, which come from
/// its gradient on the reference element.
template <class Element, int Degree, class Real>
struct MappedPoint {
  using real_type = Real;
  using element_type = Element;
  using table = Tabulation<Element, Degree>;
  static constexpr int dimension = Element::dimension;

  const Cell<Element, Real>& element_cell;
  const Matrix<Real, dimension>& inverse; ///< (e, d): derivative of reference coordinate e along axis d
  int q;

  KOKKOS_FORCEINLINE_FUNCTION value_type_t<Real> value(int n) const {
    return table::template value<value_type_t<Real>>(q, n);
  }
  KOKKOS_FORCEINLINE_FUNCTION Real gradient(int n, int d) const {
    using Value = value_type_t<Real>;
    Real sum = inverse(0, d) * table::template gradient<Value>(q, n, 0);
    for (int e = 1; e < dimension; ++e) sum += inverse(e, d) * table::template gradient<Value>(q, n, e);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Real position(int d) const {
    Real x = element_cell.origin[d];
    TESSERA_UNROLL_ON_HOST_TOO(4)
    for (int n = 0; n < Element::nodes; ++n) x += element_cell.coordinates[n][d] * value(n);
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, Real>& cell() const { return element_cell; }
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q; }

  /// Value and gradient of nodal values, node * Components + component.
  /// \param[out] value,gradient zeros before
  template <int Components, int Entries>
  KOKKOS_FORCEINLINE_FUNCTION void interpolate(const Real (&nodal)[Entries], Vector<Real, Components>& value,
                                               Matrix<Real, Components, dimension>& gradient) const {
    static_assert(Entries == Element::nodes * Components);
    using Value = value_type_t<Real>;
    Matrix<Real, Components, dimension> reference;
    TESSERA_UNROLL(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < Components; ++a) {
        value(a) += nodal[n * Components + a] * table::template value<Value>(q, n);
        for (int e = 0; e < dimension; ++e)
          reference(a, e) += nodal[n * Components + a] * table::template gradient<Value>(q, n, e);
      }
    for (int a = 0; a < Components; ++a)
      for (int d = 0; d < dimension; ++d)
        for (int e = 0; e < dimension; ++e) gradient(a, d) += reference(a, e) * inverse(e, d);
  }
};

namespace detail {

/// The unknown's value; forms that state `uses_value = false` have no `p.u`.
template <class Number, int Components, bool HasValue>
struct UnknownValue {
  components_t<Number, Components> u;
};
template <class Number, int Components>
struct UnknownValue<Number, Components, false> {};

/// The unit outward normal, which points on sides have.
template <class Point>
struct OutwardNormal {
  KOKKOS_FORCEINLINE_FUNCTION explicit OutwardNormal(const Point&) {}
};
template <class Point>
  requires requires(const Point& at) { at.normal(); }
struct OutwardNormal<Point> {
  Vector<typename Point::real_type, Point::dimension> normal;
  KOKKOS_FORCEINLINE_FUNCTION explicit OutwardNormal(const Point& at) : normal(at.normal()) {}
};

} // namespace detail

/// The argument of `f0` and `f1`: the unknown, the position and the auxiliary fields at one quadrature point.
///
/// With one component `u` is a number and `grad_u` a `Vector` of `dimension` entries; with more `u` is a
/// `Vector` and `grad_u` a `Matrix`, (component, axis). On sides there is the unit outward `normal` too.
///
/// \tparam Number the unknown's scalar: a number, a pack, or a dual number of them
template <class Number, int Components, bool HasValue, class Point, class Fields>
struct WeakPoint : detail::UnknownValue<Number, Components, HasValue>, detail::OutwardNormal<Point> {
  using number_type = Number;
  using real_type = typename Point::real_type;
  static constexpr int components = Components;
  static constexpr int dimension = Point::dimension;

  detail::gradients_t<Number, Components, dimension> grad_u;
  Vector<real_type, dimension> position;
  const Point& point;
  const Fields& fields;

  KOKKOS_FORCEINLINE_FUNCTION WeakPoint(const Point& at, const Fields& auxiliary)
      : detail::OutwardNormal<Point>(at), point(at), fields(auxiliary) {
    TESSERA_UNROLL_ON_HOST_TOO(3)
    for (int d = 0; d < dimension; ++d) position(d) = at.position(d);
  }

  /// Value of auxiliary field K: a number, or a `Vector` of its components.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION auto a() const {
    return auxiliary<K>().value(point);
  }
  /// Gradient of auxiliary field K: a `Vector`, or a `Matrix` (component, axis).
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION auto grad_a() const {
    return auxiliary<K>().gradient(point);
  }

  /// \name The unknown's rate in time, of forms that have one by `WeakForm::with_rate`.
  ///@{
  /// Its value: a number, or a `Vector`; with the derivatives of `u` times `shift()`.
  KOKKOS_FORCEINLINE_FUNCTION detail::components_t<Number, Components> u_t() const {
    static_assert(HasValue, "tessera::WeakForm: a physics that states `uses_value = false` has no p.u_t()");
    const auto field = rate().at(point);
    if constexpr (Components == 1) {
      return rate().of(field.value(0), this->u);
    } else {
      Vector<Number, Components> result;
      for (int c = 0; c < Components; ++c) result(c) = rate().of(field.value(c), this->u(c));
      return result;
    }
  }
  /// Its gradient: a `Vector`, or a `Matrix` (component, axis).
  KOKKOS_FORCEINLINE_FUNCTION detail::gradients_t<Number, Components, dimension> grad_u_t() const {
    const auto field = rate().at(point);
    detail::gradients_t<Number, Components, dimension> result;
    for (int k = 0; k < Components * dimension; ++k)
      result.entry[k] = rate().of(field.gradient.entry[k], grad_u.entry[k]);
    return result;
  }
  /// du_t/du: what derivatives by hand multiply a direction with, `p.shift() * w.u` in the place of `w.u_t`.
  KOKKOS_FORCEINLINE_FUNCTION real_type shift() const { return number<real_type>(rate().shift); }
  ///@}

private:
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION const auto& auxiliary() const {
    const auto& field = fields.template get<K>();
    static_assert(!detail::is_rate<std::remove_cvref_t<decltype(field)>>,
                  "tessera::WeakForm: no auxiliary field has this number; the rate is p.u_t()");
    return field;
  }
  KOKKOS_FORCEINLINE_FUNCTION const auto& rate() const {
    static_assert(detail::has_rate<Fields>,
                  "tessera::WeakForm: the physics asks for the rate of its unknown, and has none: "
                  "hand over weak_form(physics, fields...).with_rate(u_t, shift)");
    return fields.template get<Fields::size - 1>();
  }
};

} // namespace tessera

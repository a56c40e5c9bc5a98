// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms with functions on sides: radiation, contact by penalty, follower pressures.
///
///     struct Radiation {
///       static constexpr int components = 1;
///       double ambient;
///
///       template <class Point>
///       KOKKOS_FUNCTION auto f0(const Point& p) const {
///         const auto square = p.u * p.u;
///         return p.template a<0>() * (square * square - ambient);
///       }
///     };
///     const auto form = weak_form(Conduction{}, conductivity)
///                           .on_sides(mesh.side_set("outer"), Radiation{ambient}, emissivity);
///
/// adds to the residual the integral of phi . f0 over the sides. The physics is one as of `weak_form`, which
/// may have an f1 too, tested by the gradients of the functions of the element behind the side (the symmetric
/// term of Nitsche's method). `p` has what it has inside elements, `p.grad_u` the whole gradient, and the
/// unit outward normal `p.normal`; the rate `p.u_t()` where the form has one. Auxiliary fields are all but
/// `PointField`. The quadrature is exact to twice the element's order, or to `template <class Element> static
/// constexpr int degree` of the physics.

#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/weak_form/detail/field_tuple.hpp>
#include <tessera/core/weak_form/kernel.hpp>
#include <tessera/core/weak_form/rate.hpp>
#include <tessera/core/weak_form/side_point.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

/// Functions on the sides of a set, with auxiliary fields of their own; `on_sides` makes it.
template <class SideView, class PhysicsType, class... Fields>
struct SideTerm {
  using Physics = PhysicsType;

  SideView sides; ///< as `Mesh::SideSet`; shared, and not to be written to
  Physics physics;
  std::tuple<Fields...> fields;

  /// Of the quadrature on an element's sides.
  template <class Element>
  static constexpr int degree = [] {
    if constexpr (requires { Physics::template degree<Element>; })
      return Physics::template degree<Element>;
    else
      return 2 * Element::order;
  }();

  /// The pointwise part for device kernels.
  template <class Element, class ExecutionSpace>
  auto kernel(const MeshKernel<Element, ExecutionSpace>& mesh) const {
    const auto list = detail::kernels_of(fields, mesh);
    return WeakFormKernel<Physics, std::remove_const_t<decltype(list)>>{physics, list};
  }

  /// \throws as `WeakForm::check`
  template <class Element, class ExecutionSpace>
  void check(const Mesh<Element, ExecutionSpace>& mesh) const {
    if constexpr (requires { physics.check(); }) physics.check();
    constexpr int no_points = 0; // no field has values at the points of sides
    detail::check_fields(fields, "WeakForm::on_sides: auxiliary field ", mesh, no_points);
  }
};

namespace detail {

template <class Field>
inline constexpr bool is_point_field = false;
template <int Components, class ExecutionSpace>
inline constexpr bool is_point_field<PointField<Components, ExecutionSpace>> = true;

template <class SideView, class Physics, class... Fields>
SideTerm<SideView, Physics, Fields...> side_term_of(const SideView& sides, const Physics& physics,
                                                    const std::tuple<Fields...>& fields) {
  return {sides, physics, fields};
}

/// A term of the weak form `inside`, which has that one's rate.
template <class Weak, class SideView, class Physics, class... Fields>
auto side_term(const Weak& inside, const SideView& sides, const Physics& physics,
               const std::tuple<Fields...>& fields) {
  static_assert(
      Kokkos::is_view_v<SideView>,
      "tessera::WeakForm::on_sides: the sides are a view of (element, side), as of `Mesh::side_set`");
  static_assert(Physics::components == Weak::components &&
                    linear_components_of<Physics>() == Weak::linear_components,
                "tessera::WeakForm::on_sides: the physics on sides has as many components, and as many "
                "linear ones, as that inside elements");
  static_assert(
      !(is_point_field<Fields> || ...),
      "tessera::WeakForm::on_sides: a PointField has values at the points inside elements, and none "
      "on sides; take a NodalField or an ElementField");
  return side_term_of(sides, physics, with_rate_of<Physics>(inside.fields, fields));
}

} // namespace detail

/// A weak form and its functions on sides.
template <class Weak, class... Terms>
struct WeakFormOnSides {
  using Physics = typename Weak::Physics;
  static constexpr int components = Weak::components, linear_components = Weak::linear_components;
  static constexpr bool symmetric =
      Weak::symmetric && (detail::is_symmetric<typename Terms::Physics>() && ...);

  Weak inside;
  std::tuple<Terms...> terms;

  /// The pointwise part inside elements.
  template <class Element, class ExecutionSpace>
  auto kernel(const MeshKernel<Element, ExecutionSpace>& mesh) const {
    return inside.kernel(mesh);
  }
  /// The parts on sides.
  const std::tuple<Terms...>& side_terms() const { return terms; }

  /// \throws as `WeakForm::check`
  template <class Element, class ExecutionSpace>
  void check(const Mesh<Element, ExecutionSpace>& mesh) const {
    inside.check(mesh);
    std::apply([&](const auto&... term) { (term.check(mesh), ...); }, terms);
  }

  /// Quadrature points of an element, inside.
  template <class Element, class ExecutionSpace>
  static constexpr int points = Weak::template points<Element, ExecutionSpace>;
  static constexpr bool has_point_fields = Weak::has_point_fields;

  /// As `WeakForm::on_sides`: what is added comes behind what is there.
  template <class SideView, class SidePhysics, class... Fields>
  auto on_sides(const SideView& sides, const SidePhysics& physics, const Fields&... fields) const {
    const auto term =
        detail::side_term(inside, sides, physics, std::tuple<detail::stored_field_t<Fields>...>(fields...));
    return WeakFormOnSides<Weak, Terms..., std::remove_const_t<decltype(term)>>{
        inside, std::tuple_cat(terms, std::tuple(term))};
  }
  /// As `WeakForm::with_rate`, inside elements and on sides.
  template <class Values>
  auto with_rate(const Values& u_t, double shift) const {
    return beside(inside.with_rate(u_t, shift));
  }
  /// As `WeakForm::with_rate_from`.
  template <class Values>
  auto with_rate_from(const Values& known, double shift) const {
    return beside(inside.with_rate_from(known, shift));
  }

private:
  /// The terms beside another form inside.
  template <class Other>
  auto beside(const Other& other) const {
    return std::apply(
        [&](const auto&... term) {
          return on_sides_of(other, detail::side_term(other, term.sides, term.physics, term.fields)...);
        },
        terms);
  }
  template <class Other, class... OtherTerms>
  static WeakFormOnSides<Other, OtherTerms...> on_sides_of(const Other& other, const OtherTerms&... others) {
    return {other, std::tuple<OtherTerms...>(others...)};
  }
};

} // namespace tessera

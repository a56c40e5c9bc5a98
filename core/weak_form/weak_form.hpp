// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms by two pointwise functions (paper 3, section 2; J. Brown 2010):
/// find u with  integral of phi . f0(u, grad u, x, a) + grad phi : f1(u, grad u, x, a) = loads  for all phi.
///
/// The physics is a struct:
///
///     struct NonlinearConduction {
///       static constexpr int components = 1;      // unknowns per node
///       static constexpr bool symmetric = false;  // of the Jacobian; assumed false where it is not said
///
///       template <class Point>
///       KOKKOS_FUNCTION auto f1(const Point& p) const { return (1.0 + p.u * p.u) * p.grad_u; }
///     };
///
/// `f0`, `f1` or both; `p` is a `WeakPoint`: `p.u`, `p.grad_u`, `p.position`, and auxiliary field number k's
/// value and gradient `p.template a<k>()` and `p.template grad_a<k>()`. The functions are templates of the
/// point, for its numbers may be packs of elements or dual numbers: write them with the operators of
/// `vector_algebra.hpp` and the functions of `real_functions.hpp`. Forms with a rate in time have `p.u_t()`,
/// `p.grad_u_t()` and `p.shift()` too, see `WeakForm::with_rate`.
///
/// Optional members: `static constexpr int linear_components`, how many of the components, the last ones,
/// have the linear functions of a mesh of higher order (a `FunctionSpace` of as many); `uses_value = false`
/// promises that p.u is not looked at (there is none then, and half as many points and fewer derivatives are
/// needed); `template <class Element> static constexpr int degree`, of the quadrature; `df0(p, w)` and
/// `df1(p, w)`, the derivatives along a direction w (`w.u`, `w.grad_u`), which replace the differentiation of
/// `f0` and `f1` by dual numbers; with `df1`, for forms of f1 alone that state `uses_value = false`,
/// `tangent(p)`: what makes the matrix (component of the test function, of the trial function) from both
/// functions' gradients, in place of a tensor of all derivatives; `template <class Real, int Directions>
/// using Differentiated`, other numbers with derivatives than the library's dual numbers (`sacado.hpp`).

#include <tessera/core/arithmetic/std_functions.hpp>
#include <tessera/core/arithmetic/vector_algebra.hpp>
#include <tessera/core/weak_form/detail/field_tuple.hpp>
#include <tessera/core/weak_form/element_residual.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/point_field.hpp>
#include <tessera/core/weak_form/rate.hpp>
#include <tessera/core/weak_form/side_terms.hpp>
#include <tessera/core/weak_form/weak_sum.hpp>

#include <tuple>
#include <utility>

namespace tessera {

/// A physics and its auxiliary fields, in the order in which `a<k>()` numbers them; `weak_form` makes it.
template <class PhysicsType, class... Fields>
struct WeakForm {
  using Physics = PhysicsType;
  static constexpr int components = Physics::components, linear_components = linear_components_of<Physics>();
  static constexpr bool symmetric = detail::is_symmetric<Physics>(); ///< its Jacobian is

  Physics physics;
  std::tuple<Fields...> fields;

  /// The pointwise part for device kernels.
  template <class Element, class ExecutionSpace>
  auto kernel(const MeshKernel<Element, ExecutionSpace>& mesh) const {
    const auto list = detail::kernels_of(fields, mesh);
    return WeakFormKernel<Physics, std::remove_const_t<decltype(list)>>{physics, list};
  }

  /// \throws ArgumentError naming a field, or the rate, whose length does not fit the mesh or whose values
  ///   lie in other memory; FormError for values or a shift that are not finite, or by the physics' own
  ///   `check()`
  template <class Element, class ExecutionSpace>
  void check(const Mesh<Element, ExecutionSpace>& mesh) const {
    if constexpr (requires { physics.check(); }) physics.check();
    detail::check_fields(fields, "WeakForm: auxiliary field ", mesh, points<Element, ExecutionSpace>);
  }

  /// \name Problems in time
  /// The form F(u, u_t): `f0` and `f1` may look at `p.u_t()` and `p.grad_u_t()`. Its Jacobian is shift *
  /// dF/du_t + dF/du (PETSc's and Tempus' convention). Views are shared, not copied. Calling it on the same
  /// form for each step is cheap, and plans stay prepared. Of linear components what stands at corners counts
  /// alone.
  ///@{
  /// \param u_t the rate, node * components + component, in the mesh's memory: for solvers that compute it
  ///   with each u
  /// \param shift du_t/du, 1/time
  template <class Values>
  auto with_rate(const Values& u_t, double shift) const {
    return with<RateValues::rates>(u_t, shift);
  }
  /// The rate u_t = shift * (u - known), which follows u: of implicit steps by `Newton`.
  /// \param known node * components + component, in the mesh's memory: for backward Euler the last state, for
  ///   BDF2 (4 u_1 - u_2) / 3
  /// \param shift du_t/du, 1/time: 1/dt, 3/(2 dt)
  template <class Values>
  auto with_rate_from(const Values& known, double shift) const {
    return with<RateValues::known>(known, shift);
  }
  ///@}

  /// Quadrature points of an element.
  template <class Element, class ExecutionSpace>
  static constexpr int points = Tabulation<
      Element,
      decltype(std::declval<const WeakForm&>().kernel(
          std::declval<const MeshKernel<Element, ExecutionSpace>&>()))::template degree<Element>>::points;
  static constexpr bool has_point_fields = (detail::is_point_field<Fields> || ...);

  /// This form, and f0 and f1 of a physics on sides: what it adds to the residual is integrated over them
  /// (`side_terms.hpp`). Calls add up.
  /// \param sides a view of (element, side), as of `Mesh::side_set`; plans keep lists of it as long as it is
  ///   held, and throw ArgumentError for a side that the mesh does not have and a face that it has twice
  /// \param side_fields auxiliary fields of the physics on sides, as of `weak_form`, no `PointField`
  template <class SideView, class SidePhysics, class... SideFields>
  auto on_sides(const SideView& sides, const SidePhysics& side_physics,
                const SideFields&... side_fields) const {
    return WeakFormOnSides<WeakForm>{*this, {}}.on_sides(sides, side_physics, side_fields...);
  }

private:
  template <RateValues Kind, class Values>
  auto with(const Values& values, double shift) const {
    static_assert(Kokkos::is_view_v<Values>, "tessera::WeakForm: a rate is given by a view");
    static_assert(!(detail::is_rate<Fields> || ...), "tessera::WeakForm: the form has a rate already");
    using Rate =
        RateField<Physics, Kind, typename Values::execution_space, typename Values::non_const_value_type>;
    return WeakForm<Physics, Fields..., Rate>{physics,
                                              std::tuple_cat(fields, std::tuple<Rate>(Rate{values, shift}))};
  }
};

namespace detail {

template <class T>
inline constexpr bool is_weak_form = false;
template <class Physics, class... Fields>
inline constexpr bool is_weak_form<WeakForm<Physics, Fields...>> = true;
template <class Weak, class... Terms>
inline constexpr bool is_weak_form<WeakFormOnSides<Weak, Terms...>> = true;
template <class First, class Second>
inline constexpr bool is_weak_form<WeakSum<First, Second>> = true;

} // namespace detail

/// \param fields each a number, a `CellField` (by material or by element), a `NodalField`, an `ElementField`,
///   a `PointField`, or a callable of the position
template <class Physics, class... Fields>
  requires(!Kokkos::is_view_v<Fields> && ...)
WeakForm<Physics, detail::stored_field_t<Fields>...> weak_form(const Physics& physics,
                                                               const Fields&... fields) {
  return {physics, {fields...}};
}

/// A view alone does not say whose values it has.
template <class Physics, class... Fields>
  requires(Kokkos::is_view_v<Fields> || ...)
void weak_form(const Physics&, const Fields&...) {
  static_assert(sizeof(Physics) == 0,
                "tessera::weak_form: an auxiliary field is not a bare view: say whose values it has, "
                "NodalField<components>{view}, ElementField<components>{view}, PointField<components>{view} "
                "or CellField::per_element(view)");
}

/// A weak form as it is, or a physics that has no auxiliary fields.
template <class Form>
auto as_weak_form(const Form& form) {
  if constexpr (detail::is_weak_form<Form>)
    return form;
  else
    return weak_form(form);
}

/// The sum of two or more weak forms with as many components, and linear ones, as each other: its residual is
/// the sum of theirs, with their functions on sides, and so is its Jacobian. Rates are the forms' own.
template <class First, class Second, class... Others>
  requires(detail::is_weak_form<First> && detail::is_weak_form<Second>)
auto sum(const First& first, const Second& second, const Others&... others) {
  const WeakSum<First, Second> both{first, second};
  if constexpr (sizeof...(Others) == 0)
    return both;
  else
    return sum(both, others...);
}

/// The Jacobian of a weak form (or a physics without auxiliary fields) at u, see `WeakJacobian`.
template <class Form, class Element, class ExecutionSpace, class Values>
auto jacobian(const Form& form, const Mesh<Element, ExecutionSpace>& mesh, const Values& u) {
  const auto weak = as_weak_form(form);
  return WeakJacobian<std::remove_const_t<decltype(weak)>, Element, ExecutionSpace>(weak, mesh, u);
}

} // namespace tessera

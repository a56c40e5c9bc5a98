// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a weak form makes of a solution at quadrature points: history variables of a material, fluxes,
/// stresses.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

template <class T>
inline constexpr int state_components = 1;
template <class Real, int Size>
inline constexpr int state_components<Vector<Real, Size>> = Size;

/// Evaluates a physics' state at the quadrature points of an element.
template <class Element, class ExecutionSpace, class Weak>
struct EvaluateState {
  static constexpr int degree = Weak::template degree<Element>, c = Weak::components;
  using Point = QuadraturePoint<Element, degree, double>;
  using State = decltype(std::declval<const decltype(Weak::physics)&>().state(
      std::declval<const typename Weak::template PointOf<double, Point>&>()));
  static constexpr int points = Point::table::points, components = state_components<State>;

  MeshKernel<Element, ExecutionSpace> mesh;
  Weak weak;
  Kokkos::View<const double*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> values;

  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& first_bad) const {
    const auto cell = mesh.template cell<double>(e);
    for (int q = 0; q < points; ++q) {
      const Point point(cell, q);
      Vector<double, c> value;
      Matrix<double, c, Point::dimension> gradient;
      interpolate_unknown<Weak>(point, mesh.connectivity, u, value, gradient);
      const State state = weak.physics.state(weak.argument(value, gradient, point));
      for (int k = 0; k < components; ++k) {
        double entry;
        if constexpr (components == 1)
          entry = entry_of(state);
        else
          entry = state(k);
        if (!Kokkos::isfinite(entry) && e < first_bad) first_bad = e;
        values((static_cast<Offset>(e) * points + q) * components + k) = entry;
      }
    }
  }

private:
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static double entry_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      return value;
    else
      return value(0);
  }
};

} // namespace detail

/// Number of quadrature points of a form on a mesh, those of all elements.
template <class Form, class Element, class ExecutionSpace>
std::size_t num_points(const Form& form, const Mesh<Element, ExecutionSpace>& mesh) {
  using Weak = decltype(as_weak_form(form));
  return static_cast<std::size_t>(mesh.num_elements()) * Weak::template points<Element, ExecutionSpace>;
}

/// Writes `physics.state(p)`, a number or a `Vector`, of every quadrature point for a solution u. `f0` and
/// `f1` may be evaluated as often as a solver likes; once it has found its solution, this call takes the
/// step's history over: `f1` reads the old one as a `PointField`, and `state` computes the new one from it.
///
///     template <class Point>
///     KOKKOS_FUNCTION auto state(const Point& p) const {             // the largest strain so far
///       return tessera::max(p.template a<0>(), norm(p.grad_u));
///     }
///
/// \param form a `WeakForm`, or a physics that has no auxiliary fields; of a sum, one of its forms
/// \param u all degrees of freedom, node * components + component
/// \param values (element * points + point) * components + component, as of `PointField`; `num_points` times
///   the state's components. May be, or overlap, what the form reads: it is written when all is computed,
///   from memory of the same size that the call takes
/// \throws ArgumentError for other extents, or as `WeakForm::check`; FormError naming the first element with
///   a state that is not finite; OutOfMemoryError. The values are then as they were
template <class Form, class Element, class ExecutionSpace, class Solution>
void state_at_points(const ExecutionSpace& exec, const Form& form,
                     const FunctionSpace<Element, ExecutionSpace>& space, const Solution& u,
                     const Kokkos::View<double*, ExecutionSpace>& values) {
  const auto weak = as_weak_form(form);
  const auto& mesh = space.mesh();
  check_form<ExecutionSpace>("state_at_points", weak, space);
  const auto kernel = weak.kernel(mesh.kernel());
  using Evaluate = detail::EvaluateState<Element, ExecutionSpace, std::remove_const_t<decltype(kernel)>>;
  detail::check_field_length(u.extent(0), static_cast<std::size_t>(space.num_dofs()), "state_at_points: u",
                             "the nodes");
  detail::check_field_length(values.extent(0), num_points(form, mesh) * Evaluate::components,
                             "state_at_points: the state", "the elements' quadrature points");
  const auto states = allocate<Kokkos::View<double*, ExecutionSpace>>(
      exec, "Tessera::state_at_points::states", values.extent(0));
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal first_bad = none;
  Kokkos::parallel_reduce("Tessera::state_at_points",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
                          Evaluate{mesh.kernel(), kernel, u, states}, Kokkos::Min<Ordinal>(first_bad));
  if (first_bad != none)
    throw FormError("state_at_points: " + mesh.element_name(first_bad) + " has a state that is not finite");
  Kokkos::deep_copy(exec, values, states);
  exec.fence("Tessera::state_at_points");
}

} // namespace tessera

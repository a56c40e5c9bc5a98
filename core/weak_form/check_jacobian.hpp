// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether the derivatives of a weak form are those of its functions.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/detail/jacobian_difference.hpp>
#include <tessera/core/weak_form/detail/side_difference.hpp>
#include <tessera/core/weak_form/detail/side_sums.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// \throws FormError where a difference is larger than the tolerance; `name(place)` says of what
template <class Name>
void check_difference(const LargestDifference::value_type& worst, double tolerance, const Name& name) {
  if (worst.val <= tolerance) return;
  char number[32];
  std::snprintf(number, sizeof number, "%.1e", worst.val);
  throw FormError("check_jacobian: the Jacobian of " + name(worst.loc) +
                  " differs from differences of its residual by " + number +
                  " of its size: df0, df1 or tangent is not the derivative of f0 and f1, or the form says "
                  "that it is symmetric and is not");
}

/// Of what a kernel compares at `count` places, the largest difference.
template <class ExecutionSpace, class Kernel>
LargestDifference::value_type largest_difference(const ExecutionSpace& exec, std::size_t count,
                                                 const Kernel& kernel) {
  LargestDifference::value_type worst{0, 0};
  if (count > 0)
    Kokkos::parallel_reduce("Tessera::check_jacobian",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(count)), kernel,
                            LargestDifference(worst));
  return worst;
}

/// The largest difference on sides. \throws as `check_jacobian`
template <class Element, class ExecutionSpace, class Tangent>
double check_sides_jacobian(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                            const Tangent& tangent, double largest_u, double tolerance) {
  double largest = 0;
  SideSums<Element, ExecutionSpace>::for_each_integral(tangent.side_terms(), [&](auto integral,
                                                                                 const auto& term) {
    using Integral = decltype(integral);
    check_sides(exec, "check_jacobian: on_sides: ", mesh, term.sides);
    const auto sides = sides_of_kind<Element, Integral::kind, ExecutionSpace>(
        exec, typename Mesh<Element, ExecutionSpace>::SideSet(term.sides));
    const auto worst = largest_difference(
        exec, sides.extent(0),
        SideJacobianDifference<Integral, ExecutionSpace>{
            mesh.kernel(), sides, {term.kernel(mesh.kernel()), mesh.connectivity(), term.state}, largest_u});
    check_difference(worst, tolerance, [&](Ordinal place) {
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
      return "side " + std::to_string(host(place, 1)) + " of " + mesh.element_name(host(place, 0));
    });
    largest = std::max(largest, worst.val);
  });
  return largest;
}

} // namespace detail

/// Compares every element's Jacobian at u with differences of its residual, and so for every side of a form
/// with functions on sides: finds a `df0`, `df1` or `tangent` that is not the derivative of `f0` and `f1`,
/// and a form that says that it is symmetric and is not. Newton's method converges with either, in more
/// steps. Forms with kinks differ where u lies at one.
///
/// \param form a `WeakForm`, or a physics that has no auxiliary fields
/// \param u all degrees of freedom, node * components + component; a state that is general, not zero: what is
///   wrong may vanish there
/// \param tolerance differences are good to 1e-9 or so
/// \return the largest difference, relative to the largest entry of the element's Jacobian times a vector
/// \throws FormError naming the element, and its side, where it is larger than `tolerance`; ArgumentError as
///   `jacobian`, and for sets of sides as residual plans
template <class Form, class Element, class ExecutionSpace, class Values>
double check_jacobian(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space, const Values& u,
                      double tolerance = 1e-6) {
  const auto exec = default_instance<ExecutionSpace>();
  const auto& mesh = space.mesh();
  const auto tangent = jacobian(form, mesh, u);
  check_form<ExecutionSpace>("check_jacobian", tangent, space);
  const auto kernel = tangent.kernel();
  double largest_u = 0;
  Kokkos::parallel_reduce(
      "Tessera::check_jacobian::size", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, kernel.u.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& largest) {
        largest = Kokkos::fmax(largest, Kokkos::abs(kernel.u(i)));
      },
      Kokkos::Max<double>(largest_u));
  using Weak = std::remove_const_t<decltype(kernel.weak)>;
  const auto worst = detail::largest_difference(
      exec, to_size(mesh.num_elements()),
      detail::JacobianDifference<Element, ExecutionSpace, Weak>{mesh.kernel(), kernel, largest_u});
  detail::check_difference(worst, tolerance, [&](Ordinal e) { return mesh.element_name(e); });
  if constexpr (detail::HasSideTerms<decltype(tangent)>)
    return std::max(worst.val, detail::check_sides_jacobian(exec, mesh, tangent, largest_u, tolerance));
  else
    return worst.val;
}
/// The same for each form of a sum.
template <class First, class Second, class Element, class ExecutionSpace, class Values>
double check_jacobian(const WeakSum<First, Second>& form, const FunctionSpace<Element, ExecutionSpace>& space,
                      const Values& u, double tolerance = 1e-6) {
  return std::max(check_jacobian(form.first, space, u, tolerance),
                  check_jacobian(form.second, space, u, tolerance));
}

} // namespace tessera

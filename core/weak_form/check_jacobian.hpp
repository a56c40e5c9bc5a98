// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether the derivatives of a weak form are those of its functions.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// Compares K_e w with differences of the element's residual along w, w of random entries in [-1, 1].
template <class Element, class ExecutionSpace, class Weak>
struct JacobianDifference {
  static constexpr int components = Weak::components, dofs = Element::nodes * components;
  using Kernel = WeakJacobianKernel<Weak, Element, ExecutionSpace>;
  using Largest = Kokkos::MaxLoc<double, Ordinal>;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kernel jacobian;
  double largest_u;

  KOKKOS_FUNCTION void operator()(Ordinal e, typename Largest::value_type& worst) const {
    const double difference = of_element(e);
    if (difference > worst.val || (difference == worst.val && e < worst.loc)) worst = {difference, e};
  }

  /// Relative to the largest entry; of two lengths of the step, one by the unknown's size and one by the
  /// element's, the one that fits better. What is not finite counts as infinite.
  KOKKOS_FUNCTION double of_element(Ordinal e) const {
    const auto cell = mesh.template cell<double>(e);
    element_system_t<Element, Kernel, double> system;
    integrate(jacobian, cell, system);
    double u[dofs], w[dofs], product[dofs], size = 0;
    for (int n = 0; n < Element::nodes; ++n) {
      for (int d = 0; d < Element::dimension; ++d)
        size = Kokkos::fmax(size, Kokkos::abs(cell.coordinates[n][d]));
      for (int a = 0; a < components; ++a) {
        const Offset dof = static_cast<Offset>(mesh.connectivity(e, n)) * components + a;
        u[n * components + a] = jacobian.u(dof);
        w[n * components + a] = random(dof);
      }
    }
    interpolate_linear(u);
    for (int i = 0; i < dofs; ++i) {
      product[i] = 0;
      for (int j = 0; j < dofs; ++j)
        product[i] += system(i / components, i % components, j / components, j % components) * w[j];
    }
    const double by_size = along(cell, u, w, product, step * size);
    return largest_u > 0 ? Kokkos::fmin(by_size, along(cell, u, w, product, step * largest_u)) : by_size;
  }

private:
  static constexpr double step = 6e-6; ///< the cube root of double's precision

  /// Calls `use(corner, node, weight)` for entries of linear components that depend on each other.
  template <class Use>
  KOKKOS_FUNCTION static void for_each_linear(const Use& use) {
    for (int n = Element::vertices; n < Element::nodes; ++n)
      for (int v = 0; v < Element::vertices; ++v)
        for (int a = components - Weak::linear_components; a < components; ++a)
          use(v * components + a, n * components + a, LinearBasis<Element>::weight(v, n));
  }
  KOKKOS_FUNCTION static void clear_linear(double (&values)[dofs]) {
    for_each_linear([&](int, int node, double) { values[node] = 0; });
  }
  KOKKOS_FUNCTION static void interpolate_linear(double (&values)[dofs]) {
    clear_linear(values);
    for_each_linear([&](int corner, int node, double weight) { values[node] += weight * values[corner]; });
  }
  /// An entry of w by its degree of freedom.
  KOKKOS_FUNCTION static double random(Offset dof) {
    return Kokkos::sin(static_cast<double>(dof) * static_cast<double>(dof) + 1.0);
  }
  /// Rates that move with the unknown: by `change` times w.
  template <class Values>
  struct MovedRates {
    Values values;
    double change;
    KOKKOS_FUNCTION double operator()(Offset dof) const { return values(dof) + change * random(dof); }
  };
  template <class Connectivity, class Values>
  KOKKOS_FUNCTION static auto
  moved(const RateKernel<decltype(Weak::physics), RateValues::rates, Connectivity, Values>& rate, double h) {
    using Moved = MovedRates<Values>;
    return RateKernel<decltype(Weak::physics), RateValues::rates, Connectivity, Moved>{
        rate.connectivity, Moved{rate.values, h * rate.shift}, rate.shift};
  }
  /// Other fields, and rates that follow the unknown by themselves.
  template <class Field>
  KOKKOS_FUNCTION static Field moved(const Field& field, double) {
    return field;
  }
  /// The weak form at a step h along w.
  KOKKOS_FUNCTION auto moved([[maybe_unused]] double h) const {
    constexpr int last = decltype(Weak::fields)::size - 1;
    if constexpr (last < 0) {
      return jacobian.weak;
    } else {
      const auto fields =
          replaced<last>(jacobian.weak.fields, moved(jacobian.weak.fields.template get<last>(), h));
      return WeakFormKernel<decltype(Weak::physics), std::remove_const_t<decltype(fields)>>{
          jacobian.weak.physics, fields};
    }
  }
  KOKKOS_FUNCTION void residual(const Cell<Element, double>& cell, double h, double (&u)[dofs],
                                double (&r)[dofs]) const {
    interpolate_linear(u);
    element_residual(moved(h), cell, u, r);
    for_each_linear([&](int corner, int node, double weight) { r[corner] += weight * r[node]; });
    clear_linear(r);
  }

  KOKKOS_FUNCTION double along(const Cell<Element, double>& cell, const double (&u)[dofs],
                               const double (&w)[dofs], const double (&product)[dofs], double h) const {
    double at[dofs], ahead[dofs], behind[dofs];
    for (int i = 0; i < dofs; ++i) at[i] = u[i] + h * w[i];
    residual(cell, h, at, ahead);
    for (int i = 0; i < dofs; ++i) at[i] = u[i] - h * w[i];
    residual(cell, -h, at, behind);
    double largest = 0, difference = 0, sum = 0;
    for (int i = 0; i < dofs; ++i) {
      const double slope = (ahead[i] - behind[i]) / (2 * h);
      largest = Kokkos::fmax(largest, Kokkos::fmax(Kokkos::abs(slope), Kokkos::abs(product[i])));
      difference = Kokkos::fmax(difference, Kokkos::abs(slope - product[i]));
      sum += slope - product[i];
    }
    if (!Kokkos::isfinite(sum)) return Kokkos::Experimental::infinity_v<double>;
    return largest > 0 ? difference / largest : 0;
  }
};

} // namespace detail

/// Compares every element's Jacobian at u with differences of its residual: finds a `df0`, `df1` or `tangent`
/// that is not the derivative of `f0` and `f1`, and a form that says that it is symmetric and is not.
/// Newton's method converges with either, in more steps. Forms with kinks differ where u lies at one.
///
/// \param form a `WeakForm`, or a physics that has no auxiliary fields
/// \param u all degrees of freedom, node * components + component; a state that is general, not zero: what is
///   wrong may vanish there
/// \param tolerance differences are good to 1e-9 or so
/// \return the largest difference, relative to the largest entry of the element's Jacobian times a vector
/// \throws FormError naming the element where it is larger than `tolerance`; ArgumentError as `jacobian`
template <class Form, class Element, class ExecutionSpace, class Values>
double check_jacobian(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space, const Values& u,
                      double tolerance = 1e-6) {
  const auto exec = default_instance<ExecutionSpace>();
  const auto& mesh = space.mesh();
  const auto tangent = jacobian(form, mesh, u);
  check_form<ExecutionSpace>("check_jacobian", tangent, space);
  const auto kernel = form_kernel(tangent);
  double largest_u = 0;
  Kokkos::parallel_reduce(
      "Tessera::check_jacobian::size", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, kernel.u.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& largest) {
        largest = Kokkos::fmax(largest, Kokkos::abs(kernel.u(i)));
      },
      Kokkos::Max<double>(largest_u));
  using Weak = std::remove_const_t<decltype(kernel.weak)>;
  using Difference = detail::JacobianDifference<Element, ExecutionSpace, Weak>;
  typename Difference::Largest::value_type worst{0, 0};
  if (mesh.num_elements() > 0)
    Kokkos::parallel_reduce(
        "Tessera::check_jacobian", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
        Difference{mesh.kernel(), kernel, largest_u}, typename Difference::Largest(worst));
  if (!(worst.val <= tolerance)) {
    char number[32];
    std::snprintf(number, sizeof number, "%.1e", worst.val);
    throw FormError("check_jacobian: the Jacobian of " + mesh.element_name(worst.loc) +
                    " differs from differences of its residual by " + number +
                    " of its size: df0, df1 or tangent is not the derivative of f0 and f1, or the form says "
                    "that it is symmetric and is not");
  }
  return worst.val;
}

} // namespace tessera

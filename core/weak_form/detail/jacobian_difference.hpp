// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products of a weak form's Jacobian with a vector against differences of its residual, element by element.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera::detail {

using LargestDifference = Kokkos::MaxLoc<double, Ordinal>;

/// Of equal ones the first.
KOKKOS_INLINE_FUNCTION void note_difference(double difference, Ordinal place,
                                            LargestDifference::value_type& worst) {
  if (difference > worst.val || (difference == worst.val && place < worst.loc)) worst = {difference, place};
}

/// An entry, in [-1, 1], of the vector w that Jacobians are multiplied with.
KOKKOS_INLINE_FUNCTION double difference_direction(Offset dof) {
  return Kokkos::sin(static_cast<double>(dof) * static_cast<double>(dof) + 1.0);
}

/// Length of an element from its first node.
template <class Element>
KOKKOS_FUNCTION double size_of(const Cell<Element, double>& cell) {
  double size = 0;
  for (int n = 0; n < Element::nodes; ++n)
    for (int d = 0; d < Element::dimension; ++d)
      size = Kokkos::fmax(size, Kokkos::abs(cell.coordinates[n][d]));
  return size;
}

/// Of two lengths of the step, one by the unknown's size and one by the element's, `along(step)` of the one
/// that fits better.
template <class Along>
KOKKOS_FUNCTION double better_difference(double size, double largest_u, const Along& along) {
  constexpr double step = 6e-6; // the cube root of double's precision
  const double by_size = along(step * size);
  return largest_u > 0 ? Kokkos::fmin(by_size, along(step * largest_u)) : by_size;
}

/// Of K w from central differences, relative to the largest entry. What is not finite counts as infinite.
template <int dofs>
KOKKOS_FUNCTION double relative_difference(const double (&product)[dofs], const double (&ahead)[dofs],
                                           const double (&behind)[dofs], double h) {
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

/// Rates that move with the unknown: by `change` times w.
template <class Values>
struct MovedRates {
  Values values;
  double change;
  KOKKOS_FUNCTION double operator()(Offset dof) const {
    return values(dof) + change * difference_direction(dof);
  }
};
template <class Physics, class Connectivity, class Values>
KOKKOS_FUNCTION auto moved_field(const RateKernel<Physics, RateValues::rates, Connectivity, Values>& rate,
                                 double h) {
  return RateKernel<Physics, RateValues::rates, Connectivity, MovedRates<Values>>{
      rate.connectivity, {rate.values, h * rate.shift}, rate.shift};
}
/// Other fields, and rates that follow the unknown by themselves.
template <class Field>
KOKKOS_FUNCTION Field moved_field(const Field& field, double) {
  return field;
}
/// The kernel of a weak form at a step h along w.
template <class Weak>
KOKKOS_FUNCTION auto moved_form(const Weak& weak, [[maybe_unused]] double h) {
  constexpr int last = decltype(Weak::fields)::size - 1;
  if constexpr (last < 0) {
    return weak;
  } else {
    const auto fields = replaced<last>(weak.fields, moved_field(weak.fields.template get<last>(), h));
    return WeakFormKernel<decltype(Weak::physics), std::remove_const_t<decltype(fields)>>{weak.physics,
                                                                                          fields};
  }
}

/// Compares K_e w with differences of the element's residual along w, w of random entries in [-1, 1].
template <class Element, class ExecutionSpace, class Weak>
struct JacobianDifference {
  static constexpr int components = Weak::components, dofs = Element::nodes * components;
  using Kernel = WeakJacobianKernel<Weak, Element, ExecutionSpace>;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kernel jacobian;
  double largest_u;

  KOKKOS_FUNCTION void operator()(Ordinal e, LargestDifference::value_type& worst) const {
    note_difference(of_element(e), e, worst);
  }

  KOKKOS_FUNCTION double of_element(Ordinal e) const {
    const auto cell = mesh.template cell<double>(e);
    element_system_t<Element, Kernel, double> system;
    integrate(jacobian, cell, system);
    double u[dofs], w[dofs], product[dofs];
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < components; ++a) {
        const Offset dof = static_cast<Offset>(mesh.connectivity(e, n)) * components + a;
        u[n * components + a] = jacobian.u(dof);
        w[n * components + a] = difference_direction(dof);
      }
    interpolate_linear(u);
    for (int i = 0; i < dofs; ++i) {
      product[i] = 0;
      for (int j = 0; j < dofs; ++j)
        product[i] += system(i / components, i % components, j / components, j % components) * w[j];
    }
    return better_difference(size_of(cell), largest_u,
                             [&](double h) { return along(cell, u, w, product, h); });
  }

private:
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
  KOKKOS_FUNCTION void residual(const Cell<Element, double>& cell, double h, double (&u)[dofs],
                                double (&r)[dofs]) const {
    interpolate_linear(u);
    element_residual(moved_form(jacobian.weak, h), cell, u, r);
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
    return relative_difference(product, ahead, behind, h);
  }
};

} // namespace tessera::detail

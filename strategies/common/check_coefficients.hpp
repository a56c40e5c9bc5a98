// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether a form is known by its coefficients at points.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/form.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/check_symmetry.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// Compares entries with what coefficients at points make of them, in some elements.
template <class Element, class ExecutionSpace, class Kernel>
struct FindPairwise {
  static constexpr int degree = Kernel::template degree<Element>, functions = Element::dimension + 1,
                       c = Kernel::components;
  static constexpr double tolerance = 1e-8; ///< relative to the element's largest entry at the point

  MeshKernel<Element, ExecutionSpace> mesh;
  Kernel kernel;

  /// What is not finite compares as equal: assemblies report it.
  KOKKOS_FUNCTION bool wrong(Ordinal e) const {
    const auto cell = mesh.template cell<double>(e);
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      // Both sides are of one evaluation at the point: a load that is the difference of equal numbers, as
      // Jacobians' may be, is rounding, and another evaluation's rounding is another.
      const probing_point_t<Kernel, Element, double> point(cell, {cell}, q);
      const auto integrand = kernel.at(point);
      // Entries of the unit functions, of which there are few, once a point.
      Vector<double, c> unit_load[functions];
      Matrix<double, c> unit_stiffness[functions][functions];
      for (int k = 0; k < functions; ++k) {
        unit_load[k] = integrand.load(Element::nodes + k);
        for (int l = 0; l < functions; ++l)
          unit_stiffness[k][l] = integrand.stiffness(Element::nodes + k, Element::nodes + l);
      }
      double largest = 0, difference = 0, largest_load = 0, difference_of_loads = 0;
      for (int i = 0; i < Element::nodes; ++i) {
        Vector<double, c> load;
        Matrix<double, c> of_i[functions]; // with unit function l
        for (int k = 0; k < functions; ++k) {
          const double value = function(point, i, k);
          for (int a = 0; a < c; ++a) load(a) += value * unit_load[k](a);
          for (int l = 0; l < functions; ++l)
            for (int ab = 0; ab < c * c; ++ab) of_i[l].entry[ab] += value * unit_stiffness[k][l].entry[ab];
        }
        const Vector<double, c> given = integrand.load(i);
        for (int a = 0; a < c; ++a) {
          largest_load = Kokkos::fmax(largest_load, Kokkos::abs(given(a)));
          difference_of_loads = Kokkos::fmax(difference_of_loads, Kokkos::abs(given(a) - load(a)));
        }
        for (int j = 0; j < Element::nodes; ++j) {
          Matrix<double, c> sum;
          for (int l = 0; l < functions; ++l) {
            const double value = function(point, j, l);
            for (int ab = 0; ab < c * c; ++ab) sum.entry[ab] += value * of_i[l].entry[ab];
          }
          const Matrix<double, c> block = integrand.stiffness(i, j);
          for (int ab = 0; ab < c * c; ++ab) {
            largest = Kokkos::fmax(largest, Kokkos::abs(block.entry[ab]));
            difference = Kokkos::fmax(difference, Kokkos::abs(block.entry[ab] - sum.entry[ab]));
          }
        }
      }
      if (difference > tolerance * largest || difference_of_loads > tolerance * largest_load) return true;
    }
    return false;
  }
  KOKKOS_FUNCTION static double function(const probing_point_t<Kernel, Element, double>& point, int n,
                                         int k) {
    return k < Element::dimension ? point.gradient(n, k) : point.value(n);
  }
};

} // namespace detail

/// Looks at up to 64 elements, spread over the mesh, whether an application's form is what its entries
/// of unit functions say (`detail::ProbingPoint`): entries may be linear in the values and gradients of the
/// two functions, and look at nothing else of the nodes.
/// \throws FormError naming an element of which it is not
template <class Form, class Element, class ExecutionSpace, class Kernel>
void check_coefficients(const ExecutionSpace& exec, const std::string& who,
                        const Mesh<Element, ExecutionSpace>& mesh, const Kernel& kernel) {
  if constexpr (!detail::is_one_of<Form, ShippedForms<Element::dimension>> && FormKernelOn<Kernel, Element> &&
                detail::IsProbed<Kernel, Element, double>) {
    const Ordinal first =
        detail::find_first(exec, "Tessera::check_coefficients", mesh.num_elements(),
                           detail::FindPairwise<Element, ExecutionSpace, Kernel>{mesh.kernel(), kernel});
    if (first != detail::no_element)
      throw FormError(who +
                      ": the form's stiffness(i, j) or load(i) is not linear in the values and "
                      "gradients of functions i and j in " +
                      mesh.element_name(first) +
                      ", or looks at i and j otherwise; if it is meant to, state `static constexpr bool "
                      "pairwise = true` in its kernel");
  }
}

} // namespace tessera

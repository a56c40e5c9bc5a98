// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether a form that says that it is symmetric is.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/form.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/detail/first_bad_element.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace detail {

template <class Form, class Forms>
inline constexpr bool is_one_of = false;
template <class Form, class... Forms>
inline constexpr bool is_one_of<Form, std::tuple<Forms...>> = (std::is_same_v<Form, Forms> || ...);

/// The first of up to 64 elements, spread over the mesh, that a check finds wrong.
template <class Check>
struct FindFirst {
  Check check;    ///< `wrong(e)`
  Ordinal stride; ///< from an element looked at to the next

  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& first) const {
    const Ordinal e = i * stride;
    if (e < first && check.wrong(e)) first = e;
  }
};

/// \return `no_element` if none is
template <class ExecutionSpace, class Check>
Ordinal find_first(const ExecutionSpace& exec, const char* name, Ordinal elements, const Check& check) {
  constexpr Ordinal most = 64;
  Ordinal first = no_element;
  if (elements == 0) return first;
  const Ordinal stride = (elements + most - 1) / most;
  Kokkos::parallel_reduce(name,
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (elements + stride - 1) / stride),
                          FindFirst<Check>{check, stride}, Kokkos::Min<Ordinal>(first));
  return first;
}

/// Compares blocks of node pairs with those of the pairs turned around, in some elements.
template <class Element, class ExecutionSpace, class Kernel>
struct FindAsymmetry {
  static constexpr int degree = Kernel::template degree<Element>, components = Kernel::components;
  static constexpr double tolerance = 1e-8; ///< relative to the element's largest entry at the point

  MeshKernel<Element, ExecutionSpace> mesh;
  Kernel kernel;

  /// What is not finite compares as symmetric: assemblies report it.
  KOKKOS_FUNCTION bool wrong(Ordinal e) const {
    const auto cell = mesh.template cell<double>(e);
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      const QuadraturePoint<Element, degree, double> point(cell, q);
      const auto integrand = kernel.at(point);
      double largest = 0, difference = 0;
      for (int i = 0; i < Element::nodes; ++i)
        for (int j = 0; j <= i; ++j) {
          const Matrix<double, components> k = integrand.stiffness(i, j), other = integrand.stiffness(j, i);
          for (int a = 0; a < components; ++a)
            for (int b = 0; b < components; ++b) {
              largest = Kokkos::fmax(largest, Kokkos::abs(k(a, b)));
              difference = Kokkos::fmax(difference, Kokkos::abs(k(a, b) - other(b, a)));
            }
        }
      if (difference > tolerance * largest) return true;
    }
    return false;
  }
};

} // namespace detail

/// Looks at up to 64 elements, spread over the mesh, whether the matrices of a form whose kernel says that it
/// is symmetric are: strategies compute and multiply half of them alone. The library's own forms are known to
/// be.
/// \throws FormError naming an element whose matrix is not
template <class Form, class Element, class ExecutionSpace, class Kernel>
void check_symmetry(const ExecutionSpace& exec, const std::string& who,
                    const Mesh<Element, ExecutionSpace>& mesh, const Kernel& kernel) {
  if constexpr (Kernel::symmetric && !detail::is_one_of<Form, ShippedForms<Element::dimension>> &&
                FormKernelOn<Kernel, Element>) {
    const Ordinal first =
        detail::find_first(exec, "Tessera::check_symmetry", mesh.num_elements(),
                           detail::FindAsymmetry<Element, ExecutionSpace, Kernel>{mesh.kernel(), kernel});
    if (first != detail::no_element)
      throw FormError(who + ": the form says that it is symmetric, but its matrix of " +
                      mesh.element_name(first) +
                      " is not; state `static constexpr bool symmetric = false` or correct its entries");
  }
}

} // namespace tessera

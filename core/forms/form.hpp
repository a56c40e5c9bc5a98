// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a form's kernel must have, and sentences for what it lacks.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/forms/integrate_element.hpp>

#include <concepts>

namespace tessera {

namespace detail {

template <class Kernel>
concept HasComponents = requires {
  { Kernel::components } -> std::convertible_to<int>;
};
template <class Kernel>
concept HasSymmetric = requires {
  { Kernel::symmetric } -> std::convertible_to<bool>;
};
template <class Kernel, class Element>
concept HasDegree = requires {
  { Kernel::template degree<Element> } -> std::convertible_to<int>;
};
template <class Kernel, class Point>
concept IsEvaluated = requires(const Kernel& kernel, const Point& point) { kernel.at(point); };
template <class Kernel, class Point>
concept HasStiffness = requires(const Kernel& kernel, const Point& point) {
  {
    kernel.at(point).stiffness(0, 0)
  } -> std::convertible_to<Matrix<typename Point::real_type, Kernel::components>>;
};
template <class Kernel, class Point>
concept HasLoad = requires(const Kernel& kernel, const Point& point) {
  { kernel.at(point).load(0) } -> std::convertible_to<Vector<typename Point::real_type, Kernel::components>>;
};

} // namespace detail

/// The pointwise part of a form: `components`, `symmetric`, `degree<Element>`, and `at(point)`, whose result
/// has `stiffness(i, j)` and `load(i)`. It is asked for functions beyond the element's nodes too, whose
/// entries are the form's coefficients (`point_coefficients.hpp`); one that looks at i and j itself, or has
/// arrays by node, states `static constexpr bool pairwise = true`.
template <class Kernel, class Element, class Real = double>
concept FormKernelOn =
    detail::HasComponents<Kernel> && detail::HasSymmetric<Kernel> && detail::HasDegree<Kernel, Element> &&
    detail::HasStiffness<Kernel, QuadraturePoint<Element, Kernel::template degree<Element>, Real>> &&
    detail::HasLoad<Kernel, QuadraturePoint<Element, Kernel::template degree<Element>, Real>>;

/// Stops the compiler with one sentence for a kernel that lacks something. A kernel with a closed form needs
/// no quadrature on the elements that it has it for.
template <class Kernel, class Element, class Real>
constexpr void require_form_kernel() {
  static_assert(detail::HasComponents<Kernel>,
                "a form's kernel has 'static constexpr int components', the unknowns per node");
  static_assert(detail::HasSymmetric<Kernel>, "a form's kernel has 'static constexpr bool symmetric'");
  if constexpr (!detail::HasClosedForm<Element, Kernel, Real>) {
    static_assert(
        detail::HasDegree<Kernel, Element>,
        "a form's kernel has 'template <class Element> static constexpr int degree', of the quadrature");
    if constexpr (detail::HasComponents<Kernel> && detail::HasDegree<Kernel, Element>) {
      using Point = QuadraturePoint<Element, Kernel::template degree<Element>, Real>;
      static_assert(
          detail::IsEvaluated<Kernel, Point>,
          "a form's kernel has 'template <class Point> auto at(const Point&) const', a KOKKOS_FUNCTION");
      static_assert(
          !detail::IsEvaluated<Kernel, Point> || detail::HasStiffness<Kernel, Point>,
          "what a form's at(point) returns has 'Matrix<Real, components> stiffness(int i, int j) const'");
      static_assert(!detail::IsEvaluated<Kernel, Point> || detail::HasLoad<Kernel, Point>,
                    "what a form's at(point) returns has 'Vector<Real, components> load(int i) const'");
    }
  }
}

} // namespace tessera

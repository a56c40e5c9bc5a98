// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms added together: `sum(weak_form(...), weak_form(...).on_sides(...))`.

#include <tessera/core/elements/quadrature.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/weak_form/kernel.hpp>
#include <tessera/core/weak_form/linearisation.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// Adds entry by entry.
template <class Entries>
KOKKOS_FORCEINLINE_FUNCTION void add_entries(Entries& sum, const Entries& other) {
  for (std::size_t k = 0; k < sizeof(sum.entry) / sizeof(sum.entry[0]); ++k) sum.entry[k] += other.entry[k];
}

} // namespace detail

/// Pointwise part of `WeakSum`: has what `WeakFormKernel` has, each form with its own fields.
template <class First, class Second>
struct WeakSumKernel {
  static_assert(First::components == Second::components &&
                    First::linear_components == Second::linear_components,
                "tessera::sum: weak forms with as many components, and linear ones, as each other");
  First first;
  Second second;

  static constexpr int components = First::components, linear_components = First::linear_components;
  static constexpr bool symmetric = First::symmetric && Second::symmetric;
  static constexpr bool uses_value = First::uses_value || Second::uses_value;

  template <class Number, class Point>
  static constexpr bool has_f0 =
      First::template has_f0<Number, Point> || Second::template has_f0<Number, Point>;
  template <class Number, class Point>
  static constexpr bool has_f1 =
      First::template has_f1<Number, Point> || Second::template has_f1<Number, Point>;
  template <class Element>
  static constexpr bool tests_value =
      First::template tests_value<Element> || Second::template tests_value<Element>;
  template <class Element>
  static constexpr bool tests_gradient =
      First::template tests_gradient<Element> || Second::template tests_gradient<Element>;

  /// Both are integrated by the rule of the one that asks for more.
  template <class Element>
  static constexpr int degree =
      higher_degree(Element::shape, First::template degree<Element>, Second::template degree<Element>);

  /// f0 and f1 at a point.
  template <class Number, class Point>
  KOKKOS_FORCEINLINE_FUNCTION WeakValues<Number, components, Point::dimension>
  operator()(const Vector<Number, components>& u, const Matrix<Number, components, Point::dimension>& grad_u,
             const Point& point) const {
    auto sum = first(u, grad_u, point);
    const auto other = second(u, grad_u, point);
    if constexpr (Second::template has_f0<Number, Point>) detail::add_entries(sum.f0, other.f0);
    if constexpr (Second::template has_f1<Number, Point>) detail::add_entries(sum.f1, other.f1);
    return sum;
  }
};

namespace detail {

/// Each form is differentiated in its own way.
template <class First, class Second, class Point>
struct Linearisation<WeakSumKernel<First, Second>, Point> {
  using Real = typename Point::real_type;
  using Kernel = WeakSumKernel<First, Second>;
  using OfFirst = Linearisation<First, Point>;
  using OfSecond = Linearisation<Second, Point>;
  static constexpr int c = Kernel::components, d = Point::dimension;
  static constexpr bool uses_value = Kernel::uses_value, has_f0 = OfFirst::has_f0 || OfSecond::has_f0,
                        has_f1 = OfFirst::has_f1 || OfSecond::has_f1, has_tangent = false;

  KOKKOS_FORCEINLINE_FUNCTION static WeakBlocks<Real, c, d>
  at(const Kernel& kernel, const Vector<Real, c>& u, const Matrix<Real, c, d>& grad_u, const Point& point) {
    auto sum = OfFirst::at(kernel.first, u, grad_u, point);
    const auto other = OfSecond::at(kernel.second, u, grad_u, point);
    add_entries(sum.f.f0, other.f.f0);
    add_entries(sum.f.f1, other.f.f1);
    add_entries(sum.g0, other.g0);
    add_entries(sum.g1, other.g1);
    add_entries(sum.g2, other.g2);
    add_entries(sum.g3, other.g3);
    return sum;
  }
};

} // namespace detail

/// A weak form whose f0 and f1 are the sums of those of two; made by `sum`.
template <class First, class Second>
struct WeakSum {
  static constexpr int components = First::components, linear_components = First::linear_components;
  static constexpr bool symmetric = First::symmetric && Second::symmetric;

  First first;
  Second second;

  /// The pointwise part inside elements.
  template <class Element, class ExecutionSpace>
  auto kernel(const MeshKernel<Element, ExecutionSpace>& mesh) const {
    const auto one = first.kernel(mesh);
    const auto other = second.kernel(mesh);
    return WeakSumKernel<std::remove_const_t<decltype(one)>, std::remove_const_t<decltype(other)>>{one,
                                                                                                   other};
  }
  /// The forms' parts on sides, the first's before the second's.
  auto side_terms() const
    requires(detail::HasSideTerms<First> || detail::HasSideTerms<Second>)
  {
    return std::tuple_cat(detail::side_terms_of(first), detail::side_terms_of(second));
  }

  /// \throws as `WeakForm::check`
  template <class Element, class ExecutionSpace>
  void check(const Mesh<Element, ExecutionSpace>& mesh) const {
    constexpr int own = points<Element, ExecutionSpace>;
    static_assert((!First::has_point_fields || First::template points<Element, ExecutionSpace> == own) &&
                      (!Second::has_point_fields || Second::template points<Element, ExecutionSpace> == own),
                  "tessera::sum: a PointField has values at the quadrature points of its own weak form, and "
                  "the sum has others; give both physics the same `degree`");
    first.check(mesh);
    second.check(mesh);
  }

  /// Quadrature points of an element, inside.
  template <class Element, class ExecutionSpace>
  static constexpr int points = Tabulation<
      Element,
      decltype(std::declval<const WeakSum&>().kernel(
          std::declval<const MeshKernel<Element, ExecutionSpace>&>()))::template degree<Element>>::points;
  static constexpr bool has_point_fields = First::has_point_fields || Second::has_point_fields;
};

} // namespace tessera

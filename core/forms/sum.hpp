// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The sum of forms, assembled in one pass: `sum(Heat{...}, reaction)`.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/point_coefficients.hpp>

#include <Kokkos_Core.hpp>

#include <tuple>

namespace tessera {

/// Pointwise part of `Sum` as kernels use it.
template <class First, class Second>
struct SumKernel {
  static_assert(First::components == Second::components &&
                    linear_components_of<First>() == linear_components_of<Second>(),
                "sum: forms with as many components, and linear ones, as each other");
  First first;
  Second second;

  static constexpr int components = First::components;
  static constexpr int linear_components = linear_components_of<First>();
  static constexpr bool symmetric = First::symmetric && Second::symmetric;
  static constexpr bool pairwise = detail::is_pairwise<First> || detail::is_pairwise<Second>;

  /// Both are integrated by the rule of the one that asks for more.
  template <class Element>
  static constexpr int degree =
      higher_degree(Element::shape, First::template degree<Element>, Second::template degree<Element>);

  /// The sum of two things that have `stiffness(i, j)` and `load(i)`.
  template <class FirstPart, class SecondPart>
  struct Parts {
    FirstPart first;
    SecondPart second;

    KOKKOS_FORCEINLINE_FUNCTION auto stiffness(int i, int j) const {
      auto k = first.stiffness(i, j);
      const auto other = second.stiffness(i, j);
      for (int ab = 0; ab < components * components; ++ab) k.entry[ab] += other.entry[ab];
      return k;
    }
    KOKKOS_FORCEINLINE_FUNCTION auto load(int i) const {
      auto f = first.load(i);
      const auto other = second.load(i);
      for (int a = 0; a < components; ++a) f(a) += other(a);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    return Parts<decltype(first.at(point)), decltype(second.at(point))>{first.at(point), second.at(point)};
  }

  /// Closed form, where both have one on elements of this geometry (`Simplex`, `AffineCell`).
  template <class Geometry>
    requires requires(First f, Second s, Geometry geometry) {
      f.over(geometry);
      s.over(geometry);
    }
  KOKKOS_FORCEINLINE_FUNCTION auto over(const Geometry& geometry) const {
    return Parts<decltype(first.over(geometry)), decltype(second.over(geometry))>{first.over(geometry),
                                                                                  second.over(geometry)};
  }
};

/// The form whose matrix and load are the sums of those of two forms; made by `sum`.
template <class First, class Second>
struct Sum {
  First first;
  Second second;

  static constexpr int components = First::components;
  static constexpr int linear_components = linear_components_of<First>();

  /// The pointwise part for device kernels.
  auto kernel() const {
    return SumKernel<decltype(detail::element_kernel(first)), decltype(detail::element_kernel(second))>{
        detail::element_kernel(first), detail::element_kernel(second)};
  }
  /// The forms' parts on sides, the first's before the second's.
  auto side_terms() const
    requires(detail::HasSideTerms<First> || detail::HasSideTerms<Second>)
  {
    return std::tuple_cat(detail::side_terms_of(first), detail::side_terms_of(second));
  }

  /// \throws whatever the forms' own checks throw
  template <class Mesh>
  void check(const Mesh& mesh) const {
    check_form_on<typename Mesh::execution_space>(first, mesh);
    check_form_on<typename Mesh::execution_space>(second, mesh);
  }
};

/// The sum of two or more forms with as many components as each other.
template <class First, class Second, class... Others>
auto sum(const First& first, const Second& second, const Others&... others) {
  const Sum<First, Second> both{first, second};
  if constexpr (sizeof...(Others) == 0)
    return both;
  else
    return sum(both, others...);
}

} // namespace tessera

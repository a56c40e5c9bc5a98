// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elasticity with reduced integration, as finite element programs offer it beside the full one.

#include <tessera/core/elements/quadrature.hpp>
#include <tessera/core/forms/element_action.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>

namespace tessera {

/// Pointwise part of forms with reduced integration. It has the integrand of the full form's kernel and what
/// that makes of gradients at a point, and nothing else of it: closed forms, moments and reference tensors
/// would integrate fully.
template <class Full>
struct ReducedKernel {
  Full full;

  static constexpr int components = Full::components;
  static constexpr bool symmetric = Full::symmetric;

  /// Two Gauss points an axis for quadrilaterals and hexahedra. For wedges as programs have them: one point
  /// on the triangle times two along z for order one, three times three for order two.
  template <class Element>
  static constexpr int degree =
      Element::shape == Shape::wedge ? wedge_degree(Element::order, 2 * Element::order)
                                     : 2 * Element::order - 1;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    using Element = typename Point::element_type;
    static_assert(
        Element::order <= 2 &&
            (Element::shape == Shape::wedge || (Element::order == 2 && is_cube(Element::shape))),
        "reduced integration: quadrilaterals and hexahedra of order two, wedges of orders one and two");
    return full.at(point);
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool reacts() { return Full::reacts(); }
  template <class Element, class Real>
    requires detail::HasAction<Element, Full, Real>
  KOKKOS_FORCEINLINE_FUNCTION auto action(const Cell<Element, Real>& cell) const {
    return full.action(cell);
  }
};

/// A form of elasticity with stiffness and load integrated at fewer points: on quadrilaterals and hexahedra
/// of order two at two Gauss points an axis, on wedges at two (order one) and nine (order two). Elements so
/// integrated do not see a few of their motions: one alone may move without energy where its supports hold
/// all rigid motions.
template <class Full>
struct Reduced { // holds the full form: derived from it, it would be taken for one and integrate fully
  Full full;

  static constexpr int components = Full::components;

  /// The pointwise part for device kernels.
  auto kernel() const { return ReducedKernel<decltype(full.kernel())>{full.kernel()}; }
  /// Throws what the full form's check throws.
  template <class MeshType>
  void check(const MeshType& mesh) const {
    check_form_on<typename MeshType::execution_space>(full, mesh);
  }
};

/// `LinearElasticity` so integrated.
template <int Dimension>
using ReducedElasticity = Reduced<LinearElasticity<Dimension>>;

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The entries of an affine element without an element system.

#include <tessera/core/forms/integrate_element.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace tessera::detail {

/// What a form's kernel knows of an affine element.
template <class Element, class Kernel, class Real>
using affine_integral_t =
    decltype(std::declval<const Kernel&>().over(std::declval<const AffineCell<Element, Real>&>()));

/// As what `integrate` returns.
template <class Element, class Real, class Integral>
KOKKOS_FORCEINLINE_FUNCTION bool is_valid(const AffineGeometry<Element, Real>& geometry,
                                          const Integral& integral) {
  return all_positive(geometry.determinant()) && is_finite<true>(integral.stiffness(0, 0), integral.load(0));
}

/// The matrix and load of an affine element, computed as they are asked for: a thread that adds one entry
/// after the other needs no room for all of them.
template <class Element, class Kernel, class Real>
struct AffineEntries {
  static constexpr int nodes = Element::nodes, components = Kernel::components;
  static constexpr int unrolled = components == 1 ? unroll_tensors<Element, Real> : 1;
  static constexpr int unrolled_on_gpus = unrolled, unrolled_if_constrained = 0;
  affine_integral_t<Element, Kernel, Real> integral;

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, components> entries(int i, int j) const {
    return integral.stiffness(i, j);
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, components> load_of(int i) const { return integral.load(i); }
};

} // namespace tessera::detail

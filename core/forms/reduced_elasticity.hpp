// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elasticity with reduced integration, as finite element programs offer it beside the full one.

#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>

namespace tessera {

/// Pointwise part of forms with reduced integration. It has the integrand of the full form's kernel and
/// nothing else of it: closed forms, moments and reference tensors would integrate fully.
template <class Full>
struct ReducedKernel {
  Full full;

  static constexpr int components = Full::components;
  static constexpr bool symmetric = Full::symmetric;

  /// Two Gauss points an axis for elements of order two.
  template <class Element>
  static constexpr int degree = 2 * Element::order - 1;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    static_assert(Point::element_type::order == 2 && !is_simplex(Point::element_type::shape),
                  "reduced integration: quadrilaterals and hexahedra of order two");
    return full.at(point);
  }
};

/// Pointwise part of `ReducedElasticity`.
template <int Dimension>
using ReducedElasticityKernel = ReducedKernel<LinearElasticityKernel<Dimension, Vector<double, Dimension>>>;

/// `LinearElasticity` on quadrilaterals and hexahedra of order two, stiffness and load integrated with two
/// Gauss points an axis. Elements so integrated do not see a few of their motions: one alone may move without
/// energy where its supports hold all rigid motions.
template <int Dimension>
class ReducedElasticity : LinearElasticity<Dimension> { // private: taken for one, it would integrate fully
  using Full = LinearElasticity<Dimension>;

public:
  using Full::body_force;
  using Full::check;
  using Full::components;
  using Full::plane;
  using Full::poisson;
  using Full::young;

  /// The pointwise part for device kernels.
  ReducedElasticityKernel<Dimension> kernel() const { return {Full::kernel()}; }
};

/// The same of `AnisotropicElasticity`, on hexahedra of order two.
class ReducedAnisotropicElasticity : AnisotropicElasticity {
public:
  using AnisotropicElasticity::body_force;
  using AnisotropicElasticity::check;
  using AnisotropicElasticity::components;
  using AnisotropicElasticity::stiffness;

  /// The pointwise part for device kernels.
  ReducedKernel<AnisotropicElasticityKernel> kernel() const { return {AnisotropicElasticity::kernel()}; }
};

} // namespace tessera

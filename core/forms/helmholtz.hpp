// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The scalar form -div(sigma grad u) + lambda u = f, and heat conduction as its lambda = 0 case.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/forms/helmholtz_refinements.hpp>
#include <tessera/core/forms/tensor.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// Pointwise part of `Helmholtz` as kernels use it. Template parameters are the coefficients' device twins.
template <class Sigma, class Lambda, class Source>
struct HelmholtzKernel {
  Sigma sigma;
  Lambda lambda;
  Source source;

  static constexpr int components = 1;
  static constexpr bool symmetric = !std::is_same_v<Sigma, GeneralTensor<tensor_dimension_v<Sigma>>>;
  static constexpr bool cell_constant =
      is_field_kernel_v<Sigma> && is_field_kernel_v<Lambda> && is_field_kernel_v<Source>;

  /// Exact for constant coefficients on affine elements: the mass term has twice the element's order.
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  /// The integrand at one quadrature point, its coefficients evaluated.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real lambda, source;
    TensorOrValue<Sigma, Real> sigma;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      Matrix<Real, 1> k;
      k(0, 0) = gradients_through(sigma, point, i, j);
      k(0, 0) += lambda * value_type_t<Real>(point.value(i) * point.value(j));
      return k;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = source * point.value(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point, admissible_or_nan(coefficient_at(lambda, point), NotNegative()),
            coefficient_at(source, point), tensor_at(sigma, point)};
  }

  /// False if the term without derivatives is known to vanish, so that operators need no values.
  KOKKOS_FORCEINLINE_FUNCTION bool reacts() const { return !known_to_vanish(lambda); }

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION HelmholtzAction<Real> action(const Cell<Element, Real>& cell) const {
    return {admissible_or_nan(sigma.template in<Real>(cell), Positive()),
            admissible_or_nan(lambda.template in<Real>(cell), NotNegative())};
  }

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION HelmholtzOnSimplex<Element, Real>
  over(const Simplex<Element, Real>& simplex) const {
    const HelmholtzAction<Real> known = action(simplex.cell());
    return {simplex, known.sigma, known.lambda, source.template in<Real>(simplex.cell())};
  }

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION HelmholtzOnAffineCell<Element, Real>
  over(const AffineCell<Element, Real>& cell) const {
    const HelmholtzAction<Real> known = action(cell.cell);
    return {cell.geometry, known.sigma, known.lambda, source.template in<Real>(cell.cell)};
  }

  /// The kernel with its coefficients' values in an element.
  template <class AnyCell>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION HelmholtzKernel in_element(const AnyCell& cell) const {
    return {fetched(sigma, cell), fetched(lambda, cell), fetched(source, cell)};
  }

  /// \name Where they all are `CellField`s: the coefficients, those that vary most often first, and the
  /// kernel with others in their place, as values that were fetched beforehand.
  ///@{
  static constexpr bool by_cell = std::is_same_v<Sigma, CellFieldKernel> &&
                                  std::is_same_v<Lambda, CellFieldKernel> &&
                                  std::is_same_v<Source, CellFieldKernel>;
  static constexpr int cell_fields()
    requires by_cell
  {
    return 3;
  }
  KOKKOS_FORCEINLINE_FUNCTION const CellFieldKernel& field(int i) const
    requires by_cell
  {
    return i == 0 ? sigma : i == 1 ? lambda : source;
  }
  template <class Field>
  KOKKOS_FORCEINLINE_FUNCTION HelmholtzKernel<Field, Field, Field>
  with_fields(const Field (&fields)[3]) const {
    return {fields[0], fields[1], fields[2]};
  }
  ///@}
};

/// -div(sigma grad u) + lambda u = f as a weak form: sigma is field 0, lambda field 1, f field 2.
struct DiffusionReaction {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  /// As `Helmholtz`.
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point& p) const {
    return p.template a<1>() * p.u - p.template a<2>();
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
};

/// -div(sigma grad u) + lambda u = f with one unknown per node.
///
/// sigma: a number, `CellField` (per material or element), `SymmetricTensor`, `GeneralTensor`, or a callable
/// of the position; lambda >= 0 and f: a number, `CellField` or callable. Natural boundary data is the flux
/// n . sigma grad u.
template <class Sigma = CellField, class Lambda = CellField, class Source = CellField>
struct Helmholtz {
  Sigma sigma = default_coefficient<Sigma>(1.0);
  Lambda lambda = default_coefficient<Lambda>(0.0);
  Source source = default_coefficient<Source>(0.0);

  static constexpr int components = 1;

  /// The pointwise part for device kernels.
  auto kernel() const {
    using Kernel = HelmholtzKernel<decltype(coefficient_kernel(sigma)), decltype(coefficient_kernel(lambda)),
                                   decltype(coefficient_kernel(source))>;
    return Kernel{coefficient_kernel(sigma), coefficient_kernel(lambda), coefficient_kernel(source)};
  }

  /// The same by f0 and f1, for residuals K u - f; sigma is no tensor.
  auto weak() const { return weak_form(DiffusionReaction(), sigma, lambda, source); }

  /// \throws FormError for sigma <= 0, a tensor that is not positive definite, lambda < 0, or values that are
  ///   not finite; ArgumentError for values in memory that `ExecutionSpace` cannot read or too few of them.
  template <class ExecutionSpace>
  void check(std::size_t materials, std::size_t elements) const {
    check_scalar_coefficient<ExecutionSpace>(sigma, "Helmholtz::sigma", materials, elements, "positive",
                                             Positive());
    check_scalar_coefficient<ExecutionSpace>(lambda, "Helmholtz::lambda", materials, elements, "at least 0",
                                             NotNegative());
    check_scalar_coefficient<ExecutionSpace>(source, "Helmholtz::source", materials, elements, "finite",
                                             [](double) { return true; });
  }
};

/// Heat conduction, the lambda = 0 case of `Helmholtz`: conductivity sigma, heat source f.
using Heat = Helmholtz<>;

} // namespace tessera

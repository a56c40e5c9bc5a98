// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tensors as coefficients, and the check of a coefficient of any kind.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/fields/coefficient.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tessera {

/// A constant symmetric positive definite tensor coefficient, by rows. Symmetric to rounding, as a rotated
/// one, R D Rᵀ, is: its symmetric part is taken.
template <int Dimension>
struct SymmetricTensor {
  double entry[Dimension][Dimension];
};

/// A constant tensor coefficient that need not be symmetric (advection-like rotated conduction): the matrix
/// that it gives is not symmetric, and strategies that rely on symmetry refuse it.
template <int Dimension>
struct GeneralTensor {
  double entry[Dimension][Dimension];
};

template <class T>
inline constexpr int tensor_dimension_v = 0;
template <int Dimension>
inline constexpr int tensor_dimension_v<SymmetricTensor<Dimension>> = Dimension;
template <int Dimension>
inline constexpr int tensor_dimension_v<GeneralTensor<Dimension>> = Dimension;

template <int Dimension>
SymmetricTensor<Dimension> coefficient_kernel(const SymmetricTensor<Dimension>& t) {
  SymmetricTensor<Dimension> part;
  for (int a = 0; a < Dimension; ++a)
    for (int b = 0; b < Dimension; ++b) part.entry[a][b] = 0.5 * (t.entry[a][b] + t.entry[b][a]);
  return part;
}
template <int Dimension>
GeneralTensor<Dimension> coefficient_kernel(const GeneralTensor<Dimension>& t) {
  return t;
}

/// What a coefficient that may be a tensor is at a point: its value if that is positive, else NaN; or the
/// tensor.
template <class Coefficient, class Real>
using TensorOrValue = std::conditional_t<tensor_dimension_v<Coefficient> == 0, Real, const Coefficient*>;

template <class Coefficient, class Point>
KOKKOS_FORCEINLINE_FUNCTION TensorOrValue<Coefficient, typename Point::real_type>
tensor_at(const Coefficient& coefficient, const Point& point) {
  if constexpr (tensor_dimension_v<Coefficient> == 0)
    return admissible_or_nan(coefficient_at(coefficient, point), Positive());
  else
    return &coefficient;
}

/// grad phi_i . sigma grad phi_j for a number sigma ...
template <class Real, class Point>
  requires(!std::is_pointer_v<Real>)
KOKKOS_FORCEINLINE_FUNCTION Real gradients_through(const Real& sigma, const Point& point, int i, int j) {
  return sigma * gradient_product(point, i, j);
}
/// ... and for a tensor.
template <class Tensor, class Point>
KOKKOS_FORCEINLINE_FUNCTION typename Point::real_type gradients_through(const Tensor* sigma,
                                                                        const Point& point, int i, int j) {
  using Real = typename Point::real_type;
  static_assert(tensor_dimension_v<Tensor> == Point::dimension, "a tensor of another dimension");
  Real product = Real(value_type_t<Real>(0));
  for (int a = 0; a < Point::dimension; ++a)
    for (int b = 0; b < Point::dimension; ++b)
      product += point.gradient(i, a) * point.gradient(j, b) * value_type_t<Real>(sigma->entry[a][b]);
  return product;
}

/// The share of its largest entry by which a symmetric tensor's two entries may differ.
inline constexpr double tensor_rounding = 1e-12;

/// Positive definiteness of the symmetric part by its leading minors (Sylvester's criterion), and symmetry.
template <class Tensor>
void check_tensor(const Tensor& t, const std::string& name) {
  constexpr int d = tensor_dimension_v<Tensor>;
  Matrix<double, d> s;
  double largest = 0;
  for (const auto& row : t.entry)
    for (const double entry : row) largest = std::max(largest, std::abs(entry));
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < d; ++b) {
      if (std::is_same_v<Tensor, SymmetricTensor<d>> &&
          !(std::abs(t.entry[a][b] - t.entry[b][a]) <= tensor_rounding * largest))
        throw FormError(name + ": a SymmetricTensor must be symmetric");
      s(a, b) = 0.5 * (t.entry[a][b] + t.entry[b][a]);
    }
  const bool definite = s(0, 0) > 0 && s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0) > 0 && determinant(s) > 0;
  if (!definite) throw FormError(name + " must be positive definite");
}

/// Checks a number, a field or a tensor on the host; callables are checked where they are called.
/// \throws as `check_cell_field` and `check_tensor`
template <class ExecutionSpace, class Coefficient, class Admissible>
void check_scalar_coefficient(const Coefficient& c, const std::string& name, std::size_t materials,
                              std::size_t elements, const std::string& requirement,
                              const Admissible& admissible) {
  if constexpr (is_cell_constant_v<Coefficient>)
    check_cell_field<ExecutionSpace>(c, name, materials, elements, requirement, admissible);
  else if constexpr (tensor_dimension_v<Coefficient> != 0)
    check_tensor(c, name);
}

} // namespace tessera

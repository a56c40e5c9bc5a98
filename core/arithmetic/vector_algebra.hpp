// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Arithmetic of small vectors and matrices, as weak forms are written: sums, multiples, products,
/// transposes, inverses. Operands may differ in their scalars (numbers, packs, dual numbers).

#include <tessera/core/arithmetic/real_functions.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

namespace detail {

template <class T>
struct IsSmall : std::false_type {};
template <class Real, int Size>
struct IsSmall<Vector<Real, Size>> : std::true_type {};
template <class Real, int Rows, int Columns>
struct IsSmall<Matrix<Real, Rows, Columns>> : std::true_type {};

/// The number that a result stands for: specialised for libraries whose operators return expressions.
template <class Result>
struct Evaluated {
  using type = Result;
};
template <class Result>
using evaluated_t = typename Evaluated<std::remove_cvref_t<Result>>::type;

template <class A, class B>
using product_t = evaluated_t<decltype(std::declval<A>() * std::declval<B>())>;

/// A factor for entries of type `Real`: plain numbers take its precision, whatever theirs is.
template <class Real, class Factor>
KOKKOS_FORCEINLINE_FUNCTION auto factor_for(const Factor& factor) {
  if constexpr (std::is_arithmetic_v<Factor>)
    return static_cast<value_type_t<Real>>(factor);
  else
    return factor;
}

template <class A, class B>
using quotient_t = evaluated_t<decltype(std::declval<A>() / std::declval<B>())>;

template <class Real, class Factor>
using multiple_t = product_t<decltype(factor_for<Real>(std::declval<Factor>())), Real>;

} // namespace detail

/// Factors of vectors and matrices: anything but vectors and matrices.
template <class T>
concept ScalarFactor = !detail::IsSmall<T>::value &&
                       (std::is_arithmetic_v<T> || requires { typename RealTraits<T>::value_type; });

/// \name Vectors.
///@{
template <class A, class B, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto operator+(const Vector<A, Size>& a, const Vector<B, Size>& b) {
  Vector<detail::product_t<A, B>, Size> sum;
  for (int i = 0; i < Size; ++i) sum(i) = a(i) + b(i);
  return sum;
}
template <class A, class B, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(const Vector<A, Size>& a, const Vector<B, Size>& b) {
  Vector<detail::product_t<A, B>, Size> difference;
  for (int i = 0; i < Size; ++i) difference(i) = a(i) - b(i);
  return difference;
}
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(const Vector<Real, Size>& a) {
  Vector<Real, Size> negative;
  for (int i = 0; i < Size; ++i) negative(i) = -a(i);
  return negative;
}
template <ScalarFactor Factor, class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Factor& factor, const Vector<Real, Size>& v) {
  const auto f = detail::factor_for<Real>(factor);
  Vector<detail::multiple_t<Real, Factor>, Size> multiple;
  for (int i = 0; i < Size; ++i) multiple(i) = f * v(i);
  return multiple;
}
template <class Real, int Size, ScalarFactor Factor>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Vector<Real, Size>& v, const Factor& factor) {
  return factor * v;
}
template <class Real, int Size, ScalarFactor Divisor>
KOKKOS_FORCEINLINE_FUNCTION auto operator/(const Vector<Real, Size>& v, const Divisor& divisor) {
  const auto d = detail::factor_for<Real>(divisor);
  Vector<detail::quotient_t<Real, decltype(d)>, Size> quotient;
  for (int i = 0; i < Size; ++i) quotient(i) = v(i) / d;
  return quotient;
}
template <class A, class B, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto dot(const Vector<A, Size>& a, const Vector<B, Size>& b) {
  detail::product_t<A, B> sum = a(0) * b(0);
  for (int i = 1; i < Size; ++i) sum += a(i) * b(i);
  return sum;
}
///@}

/// \name Matrices.
///@{
template <class A, class B, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator+(const Matrix<A, Rows, Columns>& a,
                                           const Matrix<B, Rows, Columns>& b) {
  Matrix<detail::product_t<A, B>, Rows, Columns> sum;
  for (int i = 0; i < Rows * Columns; ++i) sum.entry[i] = a.entry[i] + b.entry[i];
  return sum;
}
template <class A, class B, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(const Matrix<A, Rows, Columns>& a,
                                           const Matrix<B, Rows, Columns>& b) {
  Matrix<detail::product_t<A, B>, Rows, Columns> difference;
  for (int i = 0; i < Rows * Columns; ++i) difference.entry[i] = a.entry[i] - b.entry[i];
  return difference;
}
template <class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator-(const Matrix<Real, Rows, Columns>& a) {
  Matrix<Real, Rows, Columns> negative;
  for (int i = 0; i < Rows * Columns; ++i) negative.entry[i] = -a.entry[i];
  return negative;
}
template <ScalarFactor Factor, class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Factor& factor, const Matrix<Real, Rows, Columns>& m) {
  const auto f = detail::factor_for<Real>(factor);
  Matrix<detail::multiple_t<Real, Factor>, Rows, Columns> multiple;
  for (int i = 0; i < Rows * Columns; ++i) multiple.entry[i] = f * m.entry[i];
  return multiple;
}
template <class Real, int Rows, int Columns, ScalarFactor Factor>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Matrix<Real, Rows, Columns>& m, const Factor& factor) {
  return factor * m;
}
template <class Real, int Rows, int Columns, ScalarFactor Divisor>
KOKKOS_FORCEINLINE_FUNCTION auto operator/(const Matrix<Real, Rows, Columns>& m, const Divisor& divisor) {
  const auto d = detail::factor_for<Real>(divisor);
  Matrix<detail::quotient_t<Real, decltype(d)>, Rows, Columns> quotient;
  for (int i = 0; i < Rows * Columns; ++i) quotient.entry[i] = m.entry[i] / d;
  return quotient;
}
template <class A, class B, int Rows, int Inner, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Matrix<A, Rows, Inner>& a,
                                           const Matrix<B, Inner, Columns>& b) {
  Matrix<detail::product_t<A, B>, Rows, Columns> product;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) {
      product(i, j) = a(i, 0) * b(0, j);
      for (int k = 1; k < Inner; ++k) product(i, j) += a(i, k) * b(k, j);
    }
  return product;
}
template <class A, class B, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto operator*(const Matrix<A, Rows, Columns>& a, const Vector<B, Columns>& b) {
  Vector<detail::product_t<A, B>, Rows> product;
  for (int i = 0; i < Rows; ++i) {
    product(i) = a(i, 0) * b(0);
    for (int k = 1; k < Columns; ++k) product(i) += a(i, k) * b(k);
  }
  return product;
}
/// Sum of the products of equal places, A : B.
template <class A, class B, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto dot(const Matrix<A, Rows, Columns>& a, const Matrix<B, Rows, Columns>& b) {
  detail::product_t<A, B> sum = a.entry[0] * b.entry[0];
  for (int i = 1; i < Rows * Columns; ++i) sum += a.entry[i] * b.entry[i];
  return sum;
}
template <class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION auto transpose(const Matrix<Real, Rows, Columns>& m) {
  Matrix<Real, Columns, Rows> transposed;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) transposed(j, i) = m(i, j);
  return transposed;
}
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION Real trace(const Matrix<Real, Size>& m) {
  Real sum = m(0, 0);
  for (int i = 1; i < Size; ++i) sum += m(i, i);
  return sum;
}
/// The identity of a matrix's size, in plain numbers.
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto identity(const Matrix<Real, Size>&) {
  Matrix<value_type_t<Real>, Size> one;
  for (int i = 0; i < Size; ++i) one(i, i) = 1;
  return one;
}
/// m^-T; infinite or not a number where the determinant is zero.
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION auto inverse_transposed(const Matrix<Real, Size>& m) {
  return (number<Real>(1) / determinant(m)) * transpose(adjugate(m));
}
///@}

} // namespace tessera

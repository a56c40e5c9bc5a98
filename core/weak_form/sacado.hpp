// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Weak forms differentiated by Sacado's numbers (E. Phipps, R. Pawlowski, "Efficient expression templates
/// for operator overloading-based automatic differentiation", 2012) in the place of dual numbers, for physics
/// that is written for them. Needs Trilinos' Sacado and is included before the physics, which says
///
///     template <class Real, int Directions>
///     using Differentiated = Sacado::Fad::SFad<Real, Directions>;
///
/// `Real` may be several elements side by side, a `Pack`: conditions are written by `tessera::select`, and
/// what returns a number states its type, `typename Point::number_type`, for operators return expressions
/// that refer to their operands. Derivatives with respect to parameters stay dual numbers.

#include <tessera/core/arithmetic/dual.hpp>
#include <tessera/core/arithmetic/vector_algebra.hpp>

#include <Kokkos_Core.hpp>

#include <Sacado.hpp>

namespace Sacado {

template <class T, int Lanes>
struct ScalarType<tessera::Pack<T, Lanes>> {
  using type = T;
};
/// Conditions have a truth value for each lane.
template <class T, int Lanes>
struct IsSimdType<tessera::Pack<T, Lanes>> {
  static const bool value = true;
};

} // namespace Sacado

namespace tessera {

namespace detail {

/// A number of Sacado's, or an expression of some.
template <class T>
concept SacadoExpression = Sacado::IsExpr<T>::value || Sacado::IsFad<T>::value || Sacado::IsADType<T>::value;

template <SacadoExpression T>
struct Evaluated<T> {
  using type = typename Sacado::BaseExprType<T>::type;
};

} // namespace detail

template <detail::SacadoExpression T>
struct RealTraits<T> {
  using value_type = value_type_t<typename Sacado::ValueType<T>::type>;
  static constexpr int lanes = lanes_v<typename Sacado::ValueType<T>::type>;
};

template <class Real, int Directions>
struct DerivativeTraits<Sacado::Fad::SFad<Real, Directions>> {
  using Number = Sacado::Fad::SFad<Real, Directions>;

  KOKKOS_FORCEINLINE_FUNCTION static Number variable(const Real& x, int direction) {
    return Number(Directions, direction, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION static const Real& value(const Number& x) { return x.val(); }
  KOKKOS_FORCEINLINE_FUNCTION static const Real& derivative(const Number& x, int direction) {
    return x.fastAccessDx(direction);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Number chain(const Real& f, const Real& slope, const Number& x) {
    Number result(f);
    for (int k = 0; k < Directions; ++k) result.fastAccessDx(k) = slope * x.fastAccessDx(k);
    return result;
  }
};

/// See `real_functions.hpp`: values and derivatives where the condition holds, and where not.
template <class Condition, class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Sacado::Fad::SFad<Real, Directions>
select(const Condition& condition, const Sacado::Fad::SFad<Real, Directions>& a,
       const Sacado::Fad::SFad<Real, Directions>& b) {
  Sacado::Fad::SFad<Real, Directions> result(select(condition, a.val(), b.val()));
  for (int k = 0; k < Directions; ++k)
    result.fastAccessDx(k) = select(condition, a.fastAccessDx(k), b.fastAccessDx(k));
  return result;
}

/// What Sacado asks of packs, found by their namespace.
template <class T, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> if_then_else(const Mask<Lanes>& condition, const Pack<T, Lanes>& a,
                                                        const Pack<T, Lanes>& b) {
  return select(condition, a, b);
}

/// \name Sacado's functions by the library's names, as physics calls them.
///@{
using Sacado::Fad::Exp::abs;
using Sacado::Fad::Exp::acos;
using Sacado::Fad::Exp::asin;
using Sacado::Fad::Exp::atan;
using Sacado::Fad::Exp::cbrt;
using Sacado::Fad::Exp::cos;
using Sacado::Fad::Exp::cosh;
using Sacado::Fad::Exp::exp;
using Sacado::Fad::Exp::log;
using Sacado::Fad::Exp::log10;
using Sacado::Fad::Exp::max;
using Sacado::Fad::Exp::min;
using Sacado::Fad::Exp::pow;
using Sacado::Fad::Exp::sin;
using Sacado::Fad::Exp::sinh;
using Sacado::Fad::Exp::sqrt;
using Sacado::Fad::Exp::tan;
using Sacado::Fad::Exp::tanh;
///@}

} // namespace tessera

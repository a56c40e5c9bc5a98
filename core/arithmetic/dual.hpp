// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Forward differentiation (R. E. Wengert 1964): numbers that carry their derivatives along. Made for the
/// quadrature point, where a weak form has few unknowns: one direction per component of the unknown's value
/// and gradient.

#include <tessera/core/arithmetic/real_functions.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace tessera {

/// A number of type `Real` (a floating point number or a pack) and its derivatives in `Directions`
/// directions.
template <class Real, int Directions>
struct Dual {
  Real value;
  Real derivative[Directions];

  Dual() = default;
  /// A constant.
  KOKKOS_FORCEINLINE_FUNCTION Dual(const Real& constant) : value(constant) {
    for (int k = 0; k < Directions; ++k) derivative[k] = number<Real>(0);
  }
  template <class Number>
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, Real>)
  KOKKOS_FORCEINLINE_FUNCTION Dual(Number constant) : Dual(number<Real>(static_cast<double>(constant))) {}
  /// The independent variable of one direction.
  KOKKOS_FORCEINLINE_FUNCTION Dual(const Real& variable, int direction) : Dual(variable) {
    derivative[direction] = number<Real>(1);
  }

  /// f(x) from f's value and derivative at x.value.
  KOKKOS_FORCEINLINE_FUNCTION static Dual chain(const Real& f, const Real& slope, const Dual& x) {
    Dual result;
    result.value = f;
    for (int k = 0; k < Directions; ++k) result.derivative[k] = slope * x.derivative[k];
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION Dual operator-() const {
    Dual result;
    result.value = -value;
    for (int k = 0; k < Directions; ++k) result.derivative[k] = -derivative[k];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator+(const Dual& a, const Dual& b) {
    Dual result;
    result.value = a.value + b.value;
    for (int k = 0; k < Directions; ++k) result.derivative[k] = a.derivative[k] + b.derivative[k];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator-(const Dual& a, const Dual& b) {
    Dual result;
    result.value = a.value - b.value;
    for (int k = 0; k < Directions; ++k) result.derivative[k] = a.derivative[k] - b.derivative[k];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator*(const Dual& a, const Dual& b) {
    Dual result;
    result.value = a.value * b.value;
    for (int k = 0; k < Directions; ++k)
      result.derivative[k] = a.derivative[k] * b.value + a.value * b.derivative[k];
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator/(const Dual& a, const Dual& b) {
    const Real inverse = number<Real>(1) / b.value;
    Dual result;
    result.value = a.value * inverse;
    for (int k = 0; k < Directions; ++k)
      result.derivative[k] = (a.derivative[k] - result.value * b.derivative[k]) * inverse;
    return result;
  }

  /// \name With constants: no derivative is multiplied by zero.
  ///@{
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator+(Dual a, const Real& b) {
    a.value += b;
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator+(const Real& a, const Dual& b) { return b + a; }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator-(Dual a, const Real& b) {
    a.value -= b;
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator-(const Real& a, const Dual& b) { return -b + a; }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator*(const Dual& a, const Real& b) {
    return chain(a.value * b, b, a);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator*(const Real& a, const Dual& b) { return b * a; }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator/(const Dual& a, const Real& b) {
    return a * (number<Real>(1) / b);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator/(const Real& a, const Dual& b) {
    const Real quotient = a / b.value;
    return chain(quotient, -quotient / b.value, b);
  }
#define TESSERA_DUAL_WITH_NUMBER(op)                                                                         \
  template <class Number>                                                                                    \
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, Real>)                                  \
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator op(const Dual& a, Number b) {                             \
    return a op number<Real>(static_cast<double>(b));                                                        \
  }                                                                                                          \
  template <class Number>                                                                                    \
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, Real>)                                  \
  KOKKOS_FORCEINLINE_FUNCTION friend Dual operator op(Number a, const Dual& b) {                             \
    return number<Real>(static_cast<double>(a)) op b;                                                        \
  }
  TESSERA_DUAL_WITH_NUMBER(+)
  TESSERA_DUAL_WITH_NUMBER(-)
  TESSERA_DUAL_WITH_NUMBER(*)
  TESSERA_DUAL_WITH_NUMBER(/)
#undef TESSERA_DUAL_WITH_NUMBER
  ///@}

  KOKKOS_FORCEINLINE_FUNCTION Dual& operator+=(const Dual& b) { return *this = *this + b; }
  KOKKOS_FORCEINLINE_FUNCTION Dual& operator-=(const Dual& b) { return *this = *this - b; }
  KOKKOS_FORCEINLINE_FUNCTION Dual& operator*=(const Dual& b) { return *this = *this * b; }
  KOKKOS_FORCEINLINE_FUNCTION Dual& operator/=(const Dual& b) { return *this = *this / b; }

  /// \name Comparisons look at the values.
  ///@{
#define TESSERA_COMPARE_DUALS(op)                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION friend auto operator op(const Dual& a, const Dual& b) {                        \
    return a.value op b.value;                                                                               \
  }                                                                                                          \
  template <class Constant>                                                                                  \
    requires(std::is_arithmetic_v<Constant> || std::is_same_v<Constant, Real>)                               \
  KOKKOS_FORCEINLINE_FUNCTION friend auto operator op(const Dual& a, const Constant& b) {                    \
    return a.value op b;                                                                                     \
  }                                                                                                          \
  template <class Constant>                                                                                  \
    requires(std::is_arithmetic_v<Constant> || std::is_same_v<Constant, Real>)                               \
  KOKKOS_FORCEINLINE_FUNCTION friend auto operator op(const Constant& a, const Dual& b) {                    \
    return a op b.value;                                                                                     \
  }
  TESSERA_COMPARE_DUALS(<)
  TESSERA_COMPARE_DUALS(<=)
  TESSERA_COMPARE_DUALS(>)
  TESSERA_COMPARE_DUALS(>=)
#undef TESSERA_COMPARE_DUALS
  ///@}
};

/// What differentiation asks of numbers with derivatives: specialised for those of other libraries
/// (`weak_form/sacado.hpp`), which a physics chooses by its member `Differentiated`.
template <class Number>
struct DerivativeTraits;
template <class Real, int Directions>
struct DerivativeTraits<Dual<Real, Directions>> {
  using Number = Dual<Real, Directions>;

  /// The independent variable of one direction.
  KOKKOS_FORCEINLINE_FUNCTION static Number variable(const Real& x, int direction) { return {x, direction}; }
  KOKKOS_FORCEINLINE_FUNCTION static const Real& value(const Number& x) { return x.value; }
  KOKKOS_FORCEINLINE_FUNCTION static const Real& derivative(const Number& x, int direction) {
    return x.derivative[direction];
  }
  /// f(x) from f's value and derivative at the value of x.
  KOKKOS_FORCEINLINE_FUNCTION static Number chain(const Real& f, const Real& slope, const Number& x) {
    return Number::chain(f, slope, x);
  }
};

template <class Real, int Directions>
struct RealTraits<Dual<Real, Directions>> {
  using value_type = value_type_t<Real>;
  static constexpr int lanes = lanes_v<Real>;
};

template <class Condition, class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions>
select(const Condition& condition, const Dual<Real, Directions>& a, const Dual<Real, Directions>& b) {
  Dual<Real, Directions> result;
  result.value = select(condition, a.value, b.value);
  for (int k = 0; k < Directions; ++k)
    result.derivative[k] = select(condition, a.derivative[k], b.derivative[k]);
  return result;
}

template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> sqrt(const Dual<Real, Directions>& x) {
  const Real root = sqrt(x.value);
  return Dual<Real, Directions>::chain(root, number<Real>(0.5) / root, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> exp(const Dual<Real, Directions>& x) {
  const Real power = exp(x.value);
  return Dual<Real, Directions>::chain(power, power, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> log(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(log(x.value), number<Real>(1) / x.value, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> sin(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(sin(x.value), cos(x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> cos(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(cos(x.value), -sin(x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> cbrt(const Dual<Real, Directions>& x) {
  const Real root = cbrt(x.value);
  return Dual<Real, Directions>::chain(root, number<Real>(1) / (number<Real>(3) * root * root), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> expm1(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(expm1(x.value), exp(x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> log1p(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(log1p(x.value), number<Real>(1) / (number<Real>(1) + x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> log10(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(log10(x.value), number<Real>(1 / Kokkos::numbers::ln10) / x.value, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> tan(const Dual<Real, Directions>& x) {
  const Real tangent = tan(x.value);
  return Dual<Real, Directions>::chain(tangent, number<Real>(1) + tangent * tangent, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> asin(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(asin(x.value),
                                       number<Real>(1) / sqrt(number<Real>(1) - x.value * x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> acos(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(acos(x.value),
                                       number<Real>(-1) / sqrt(number<Real>(1) - x.value * x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> atan(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(atan(x.value), number<Real>(1) / (number<Real>(1) + x.value * x.value),
                                       x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> sinh(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(sinh(x.value), cosh(x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> cosh(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(cosh(x.value), sinh(x.value), x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> tanh(const Dual<Real, Directions>& x) {
  const Real tangent = tanh(x.value);
  return Dual<Real, Directions>::chain(tangent, number<Real>(1) - tangent * tangent, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> erf(const Dual<Real, Directions>& x) {
  return Dual<Real, Directions>::chain(
      erf(x.value), number<Real>(2 * Kokkos::numbers::inv_sqrtpi) * exp(-(x.value * x.value)), x);
}
/// Not differentiable at zero, where the derivative from above is taken.
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> abs(const Dual<Real, Directions>& x) {
  return select(x.value < number<Real>(0), -x, x);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> pow(const Dual<Real, Directions>& x, double exponent) {
  using Value = value_type_t<Real>;
  return Dual<Real, Directions>::chain(
      pow(x.value, static_cast<Value>(exponent)),
      number<Real>(exponent) * pow(x.value, static_cast<Value>(exponent - 1)), x);
}
/// x^y = exp(y log x), of x > 0.
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> pow(const Dual<Real, Directions>& x,
                                                       const Dual<Real, Directions>& y) {
  return exp(y * log(x));
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions>
min(const Dual<Real, Directions>& a, const std::type_identity_t<Dual<Real, Directions>>& b) {
  return select(b.value < a.value, b, a);
}
template <class Real, int Directions>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions>
max(const Dual<Real, Directions>& a, const std::type_identity_t<Dual<Real, Directions>>& b) {
  return select(a.value < b.value, b, a);
}

} // namespace tessera

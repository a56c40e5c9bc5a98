// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Functions of the scalars of element kernels: numbers, packs, and (`dual.hpp`) dual numbers. A weak form
/// that calls them as `tessera::sqrt`, `tessera::select`, … runs on each of them.

#include <tessera/core/arithmetic/real.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace tessera {

/// What a comparison of packs gives: a truth value per lane.
template <int Lanes>
struct Mask {
  bool lane[Lanes];

  KOKKOS_FUNCTION friend Mask operator&&(const Mask& a, const Mask& b) {
    return each([&](int l) { return a.lane[l] && b.lane[l]; });
  }
  KOKKOS_FUNCTION friend Mask operator||(const Mask& a, const Mask& b) {
    return each([&](int l) { return a.lane[l] || b.lane[l]; });
  }
  KOKKOS_FUNCTION Mask operator!() const {
    return each([&](int l) { return !lane[l]; });
  }
  /// For `if`, `?:` and their like alone, to say in a sentence what takes their place.
  template <std::same_as<bool> Truth>
  KOKKOS_FUNCTION explicit operator Truth() const {
    static_assert(Lanes < 0,
                  "tessera: a comparison in a form has a truth value for each of several elements: "
                  "write tessera::select(condition, a, b) in place of if, ?: and std::max");
    return false;
  }
  template <class Truth>
  KOKKOS_FORCEINLINE_FUNCTION static Mask each(const Truth& truth) {
    Mask mask;
    for (int l = 0; l < Lanes; ++l) mask.lane[l] = truth(l);
    return mask;
  }
};

namespace detail {

template <class T, int Lanes, class Function>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> each_lane(const Function& function) {
  Pack<T, Lanes> result;
  for (int l = 0; l < Lanes; ++l) result.set(l, function(l));
  return result;
}

} // namespace detail

/// \name Comparisons of packs, and of packs with numbers.
///@{
// NOLINTBEGIN(bugprone-macro-parentheses): the argument is an operator.
#define TESSERA_COMPARE_PACKS(op)                                                                            \
  template <class T, int Lanes>                                                                              \
  KOKKOS_FORCEINLINE_FUNCTION Mask<Lanes> operator op(const Pack<T, Lanes>& a, const Pack<T, Lanes>& b) {    \
    return Mask<Lanes>::each([&](int l) { return a[l] op b[l]; });                                           \
  }                                                                                                          \
  template <class T, int Lanes, class Number>                                                                \
    requires std::is_arithmetic_v<Number>                                                                    \
  KOKKOS_FORCEINLINE_FUNCTION Mask<Lanes> operator op(const Pack<T, Lanes>& a, Number b) {                   \
    return Mask<Lanes>::each([&](int l) { return a[l] op static_cast<T>(b); });                              \
  }                                                                                                          \
  template <class T, int Lanes, class Number>                                                                \
    requires std::is_arithmetic_v<Number>                                                                    \
  KOKKOS_FORCEINLINE_FUNCTION Mask<Lanes> operator op(Number a, const Pack<T, Lanes>& b) {                   \
    return Mask<Lanes>::each([&](int l) { return static_cast<T>(a) op b[l]; });                              \
  }
TESSERA_COMPARE_PACKS(==)
TESSERA_COMPARE_PACKS(<)
TESSERA_COMPARE_PACKS(<=)
TESSERA_COMPARE_PACKS(>)
TESSERA_COMPARE_PACKS(>=)
#undef TESSERA_COMPARE_PACKS
// NOLINTEND(bugprone-macro-parentheses)
///@}

/// \name `a` where the condition holds, else `b`: both are evaluated, for lanes may differ.
///@{
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION T select(bool condition, T a, T b) {
  return condition ? a : b;
}
template <class T, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> select(const Mask<Lanes>& condition, const Pack<T, Lanes>& a,
                                                  const Pack<T, Lanes>& b) {
  return detail::each_lane<T, Lanes>([&](int l) { return condition.lane[l] ? a[l] : b[l]; });
}
///@}

#define TESSERA_FUNCTION_OF_REAL(name)                                                                       \
  template <std::floating_point T>                                                                           \
  KOKKOS_FORCEINLINE_FUNCTION T name(T x) {                                                                  \
    return Kokkos::name(x);                                                                                  \
  }                                                                                                          \
  template <class T, int Lanes>                                                                              \
  KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> name(const Pack<T, Lanes>& x) {                                 \
    return detail::each_lane<T, Lanes>([&](int l) { return Kokkos::name(x[l]); });                           \
  }
/// \name Functions of one number, lane by lane.
///@{
TESSERA_FUNCTION_OF_REAL(sqrt)
TESSERA_FUNCTION_OF_REAL(exp)
TESSERA_FUNCTION_OF_REAL(log)
TESSERA_FUNCTION_OF_REAL(sin)
TESSERA_FUNCTION_OF_REAL(cos)
TESSERA_FUNCTION_OF_REAL(abs)
TESSERA_FUNCTION_OF_REAL(cbrt)
TESSERA_FUNCTION_OF_REAL(expm1)
TESSERA_FUNCTION_OF_REAL(log1p)
TESSERA_FUNCTION_OF_REAL(log10)
TESSERA_FUNCTION_OF_REAL(tan)
TESSERA_FUNCTION_OF_REAL(asin)
TESSERA_FUNCTION_OF_REAL(acos)
TESSERA_FUNCTION_OF_REAL(atan)
TESSERA_FUNCTION_OF_REAL(sinh)
TESSERA_FUNCTION_OF_REAL(cosh)
TESSERA_FUNCTION_OF_REAL(tanh)
TESSERA_FUNCTION_OF_REAL(erf)
///@}
#undef TESSERA_FUNCTION_OF_REAL

/// \name The power to a constant exponent.
///@{
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION T pow(T x, std::type_identity_t<T> exponent) {
  return Kokkos::pow(x, exponent);
}
template <class T, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> pow(const Pack<T, Lanes>& x, std::type_identity_t<T> exponent) {
  return detail::each_lane<T, Lanes>([&](int l) { return Kokkos::pow(x[l], exponent); });
}
///@}

/// \name The smaller and the larger of two.
///@{
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION T min(T a, std::type_identity_t<T> b) {
  return b < a ? b : a;
}
template <std::floating_point T>
KOKKOS_FORCEINLINE_FUNCTION T max(T a, std::type_identity_t<T> b) {
  return a < b ? b : a;
}
template <class T, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> min(const Pack<T, Lanes>& a,
                                               const std::type_identity_t<Pack<T, Lanes>>& b) {
  return select(b < a, b, a);
}
template <class T, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, Lanes> max(const Pack<T, Lanes>& a,
                                               const std::type_identity_t<Pack<T, Lanes>>& b) {
  return select(a < b, b, a);
}
///@}

/// The number of `Real` for a number: constants of weak forms are double whatever the kernel's scalar is.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real number(double value) {
  return Real(static_cast<value_type_t<Real>>(value));
}

} // namespace tessera

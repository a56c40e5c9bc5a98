// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What weak forms must not call, `std::sqrt` and its like, and `Kokkos::sqrt` too, on packs and dual
/// numbers: a sentence in place of a list of overloads that do not fit. Nothing that compiles calls these
/// functions.

#include <tessera/core/arithmetic/dual.hpp>
#include <tessera/core/arithmetic/real.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

template <class T>
inline constexpr bool is_number_of_forms = false;
template <class T, int Lanes>
inline constexpr bool is_number_of_forms<Pack<T, Lanes>> = true;
template <class Real, int Directions>
inline constexpr bool is_number_of_forms<Dual<Real, Directions>> = true;

/// A number of a weak form that is no floating point number.
template <class T>
concept NumberOfForms = is_number_of_forms<T>;

} // namespace tessera::detail

#define TESSERA_REFUSE_FUNCTION(name)                                                                        \
  template <tessera::detail::NumberOfForms T>                                                                \
  KOKKOS_FUNCTION T name(const T& x) {                                                                       \
    static_assert(!tessera::detail::NumberOfForms<T>,                                                        \
                  "tessera: a form's numbers may be several elements side by side, or have derivatives: "    \
                  "write tessera::" #name " in place of std::" #name " and Kokkos::" #name);                 \
    return x;                                                                                                \
  }
#define TESSERA_REFUSE_FUNCTIONS                                                                             \
  TESSERA_REFUSE_FUNCTION(sqrt)                                                                              \
  TESSERA_REFUSE_FUNCTION(exp)                                                                               \
  TESSERA_REFUSE_FUNCTION(log)                                                                               \
  TESSERA_REFUSE_FUNCTION(sin)                                                                               \
  TESSERA_REFUSE_FUNCTION(cos)                                                                               \
  TESSERA_REFUSE_FUNCTION(abs)                                                                               \
  TESSERA_REFUSE_FUNCTION(cbrt)                                                                              \
  TESSERA_REFUSE_FUNCTION(expm1)                                                                             \
  TESSERA_REFUSE_FUNCTION(log1p)                                                                             \
  TESSERA_REFUSE_FUNCTION(log10)                                                                             \
  TESSERA_REFUSE_FUNCTION(tan)                                                                               \
  TESSERA_REFUSE_FUNCTION(asin)                                                                              \
  TESSERA_REFUSE_FUNCTION(acos)                                                                              \
  TESSERA_REFUSE_FUNCTION(atan)                                                                              \
  TESSERA_REFUSE_FUNCTION(sinh)                                                                              \
  TESSERA_REFUSE_FUNCTION(cosh)                                                                              \
  TESSERA_REFUSE_FUNCTION(tanh)                                                                              \
  TESSERA_REFUSE_FUNCTION(erf)                                                                               \
  template <tessera::detail::NumberOfForms T, class Exponent>                                                \
  KOKKOS_FUNCTION T pow(const T& x, const Exponent&) {                                                       \
    static_assert(!tessera::detail::NumberOfForms<T>,                                                        \
                  "tessera: a form's numbers may be several elements side by side, or have derivatives: "    \
                  "write tessera::pow in place of std::pow and Kokkos::pow");                                \
    return x;                                                                                                \
  }

// Where a qualified call looks for them, as other libraries of numbers with derivatives add theirs there.
namespace std { // NOLINT(bugprone-std-namespace-modification,cert-dcl58-cpp)
TESSERA_REFUSE_FUNCTIONS
} // namespace std
namespace Kokkos {
TESSERA_REFUSE_FUNCTIONS
} // namespace Kokkos
#undef TESSERA_REFUSE_FUNCTIONS
#undef TESSERA_REFUSE_FUNCTION

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Functions of the position that users write: coefficients, loads, prescribed values.

#include <tessera/core/arithmetic/small_matrix.hpp>

#include <concepts>

namespace tessera {

/// Gives a number at a position. What kernels call is a KOKKOS_FUNCTION.
template <class Function, int Dimension>
concept NumberAtPosition = requires(const Function& f, const Vector<double, Dimension>& x) {
  { f(x) } -> std::convertible_to<double>;
};

/// Gives a `Vector`, or what is indexed like one, at a position. What kernels call is a KOKKOS_FUNCTION.
template <class Function, int Dimension>
concept VectorAtPosition = requires(const Function& f, const Vector<double, Dimension>& x) {
  { f(x)(0) } -> std::convertible_to<double>;
};

/// Gives a number, or several by `operator[]` or `operator()`, at a position.
template <class Function, int Dimension>
concept ValuesAtPosition = NumberAtPosition<Function, Dimension> || VectorAtPosition<Function, Dimension> ||
                           requires(const Function& f, const Vector<double, Dimension>& x) {
                             { f(x)[0] } -> std::convertible_to<double>;
                           };

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Dense vectors and matrices of compile-time size that live in registers.

#include <Kokkos_Core.hpp>

namespace tessera {

/// A vector of `Size` entries of type `Real`, usable on every device.
template <class Real, int Size>
struct Vector {
  Real entry[Size] = {};

  KOKKOS_FUNCTION Real& operator()(int a) { return entry[a]; }
  KOKKOS_FUNCTION const Real& operator()(int a) const { return entry[a]; }
};

/// A matrix of `Rows` x `Columns` entries of type `Real`, stored by rows, usable on every device.
template <class Real, int Rows, int Columns = Rows>
struct Matrix {
  Real entry[Rows * Columns] = {};

  KOKKOS_FUNCTION Real& operator()(int a, int b) { return entry[a * Columns + b]; }
  KOKKOS_FUNCTION const Real& operator()(int a, int b) const { return entry[a * Columns + b]; }
};

/// Sum of the entries: not finite if one of them is not.
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION Real sum_of_entries(const Vector<Real, Size>& v) {
  Real sum = v.entry[0];
  for (int i = 1; i < Size; ++i) sum += v.entry[i];
  return sum;
}
template <class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION Real sum_of_entries(const Matrix<Real, Rows, Columns>& m) {
  Real sum = m.entry[0];
  for (int i = 1; i < Rows * Columns; ++i) sum += m.entry[i];
  return sum;
}

/// Determinant of a 1x1, 2x2 or 3x3 matrix.
template <class Real, int Size>
KOKKOS_FUNCTION Real determinant(const Matrix<Real, Size>& m) {
  static_assert(Size >= 1 && Size <= 3, "determinant: sizes 1 to 3");
  if constexpr (Size == 1)
    return m(0, 0);
  else if constexpr (Size == 2)
    return m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
  else
    return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
           m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
           m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
}

/// Adjugate of a 1x1, 2x2 or 3x3 matrix: the inverse times the determinant.
template <class Real, int Size>
KOKKOS_FUNCTION Matrix<Real, Size> adjugate(const Matrix<Real, Size>& m) {
  static_assert(Size >= 1 && Size <= 3, "adjugate: sizes 1 to 3");
  Matrix<Real, Size> adj;
  if constexpr (Size == 1) {
    adj(0, 0) = Real(1);
  } else if constexpr (Size == 2) {
    adj(0, 0) = m(1, 1);
    adj(0, 1) = -m(0, 1);
    adj(1, 0) = -m(1, 0);
    adj(1, 1) = m(0, 0);
  } else {
    adj(0, 0) = m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1);
    adj(0, 1) = m(0, 2) * m(2, 1) - m(0, 1) * m(2, 2);
    adj(0, 2) = m(0, 1) * m(1, 2) - m(0, 2) * m(1, 1);
    adj(1, 0) = m(1, 2) * m(2, 0) - m(1, 0) * m(2, 2);
    adj(1, 1) = m(0, 0) * m(2, 2) - m(0, 2) * m(2, 0);
    adj(1, 2) = m(0, 2) * m(1, 0) - m(0, 0) * m(1, 2);
    adj(2, 0) = m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0);
    adj(2, 1) = m(0, 1) * m(2, 0) - m(0, 0) * m(2, 1);
    adj(2, 2) = m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
  }
  return adj;
}

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Basis functions at quadrature points, derivatives and value side by side.

#include <tessera/core/elements/tabulation.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace tessera::detail {

/// A basis function at a point: its derivatives along the reference axes, then its value, then nothing; so
/// that a thread reads them by two loads of 16 bytes in double precision.
template <class Scalar>
struct alignas(16) BasisRow {
  Scalar entry[4];
};

/// The basis functions of an element at the points of a rule; see `Tabulation`.
template <class Element, int Degree>
struct BasisRows {
  using table = Tabulation<Element, Degree>;
  static constexpr int dimension = Element::dimension;

  template <class Scalar>
  struct Table {
    BasisRow<Scalar> entries[table::points][Element::nodes];
  };

  /// Basis function n at point q.
  template <std::floating_point Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static const BasisRow<Scalar>& at(int q, int n) {
    static constexpr auto rows = make<Scalar>();
    return rows.entries[q][n];
  }

private:
  // Compilers limit what one constant takes: each of the two has a constant of its own.
  template <class Scalar>
  static constexpr auto gradients_of = table::template gradients<Scalar>();
  template <class Scalar>
  static constexpr auto values_of = table::template values<Scalar>();

  template <class Scalar>
  static constexpr Table<Scalar> make() {
    const auto& gradients = gradients_of<Scalar>;
    const auto& values = values_of<Scalar>;
    Table<Scalar> rows{};
    for (int q = 0; q < table::points; ++q)
      for (int n = 0; n < Element::nodes; ++n) {
        for (int d = 0; d < dimension; ++d) rows.entries[q][n].entry[d] = gradients.entries[q][n][d];
        rows.entries[q][n].entry[dimension] = values.entries[q][n];
      }
    return rows;
  }
};

} // namespace tessera::detail

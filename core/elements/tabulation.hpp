// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Basis values and gradients at the points of a quadrature rule, computed by the compiler and readable in
/// kernels.

#include <tessera/core/elements/element.hpp>
#include <tessera/core/elements/quadrature.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace tessera {

/// The tables of `ElementType` at the points of `Quadrature<ElementType::shape, Degree>`.
///
/// The accessors can be called on host and device and return `Scalar` (float or double) read from a table of
/// that type, so that a kernel in single precision holds no double. With indices known to the compiler
/// (unrolled loops) a call is a constant in the instruction; otherwise it is one read-only load from a table
/// in global memory, never from the stack. Ranges of the indices are not checked: q in 0..points-1, i in
/// 0..nodes-1, d in 0..dimension-1.
template <ReferenceElement ElementType, int Degree>
struct Tabulation {
  using Element = ElementType;
  using Rule = Quadrature<Element::shape, Degree>;

  static constexpr int points = Rule::points;
  static constexpr int nodes = Element::nodes;
  static constexpr int dimension = Element::dimension;

  // The tables are static variables of the functions: nvcc places such a constant in device memory when
  // indices come at run time and folds it when they are known. It would copy a non-static constant to the
  // stack of each thread, and cannot index a static member or namespace-scope array in device code at all.

  /// Weight of point q on the reference domain.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar weight(int q) {
    static constexpr auto table = weights<Scalar>();
    return table.entries[q];
  }

  /// Reference coordinate of point q in direction d.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar coordinate(int q, int d) {
    static constexpr auto table = coordinates<Scalar>();
    return table.entries[q][d];
  }

  /// Basis function i at point q.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar value(int q, int i) {
    static constexpr auto table = values<Scalar>();
    return table.entries[q][i];
  }

  /// Derivative of basis function i in reference direction d at point q.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar gradient(int q, int i, int d) {
    static constexpr auto table = gradients<Scalar>();
    return table.entries[q][i][d];
  }

  /// \name C arrays that a function can return.
  ///@{
  template <class Scalar>
  struct Weights {
    Scalar entries[points];
  };
  template <class Scalar>
  struct Coordinates {
    Scalar entries[points][dimension];
  };
  template <class Scalar>
  struct Values {
    Scalar entries[points][nodes];
  };
  template <class Scalar>
  struct Gradients {
    Scalar entries[points][nodes][dimension];
  };
  ///@}

  /// \name The whole tables, for the host and for constant expressions; computed in double, then rounded.
  ///@{
  template <std::floating_point Scalar = double>
  static constexpr Weights<Scalar> weights() {
    Weights<Scalar> table{};
    for (int q = 0; q < points; ++q) table.entries[q] = static_cast<Scalar>(Rule::weights[q]);
    return table;
  }

  template <std::floating_point Scalar = double>
  static constexpr Coordinates<Scalar> coordinates() {
    Coordinates<Scalar> table{};
    for (int q = 0; q < points; ++q)
      for (int d = 0; d < dimension; ++d) table.entries[q][d] = static_cast<Scalar>(Rule::coordinates[q][d]);
    return table;
  }

  template <std::floating_point Scalar = double>
  static constexpr Values<Scalar> values() {
    Values<Scalar> table{};
    for (int q = 0; q < points; ++q) {
      const auto at_point = Element::values(Rule::coordinates[q]);
      for (int i = 0; i < nodes; ++i) table.entries[q][i] = static_cast<Scalar>(at_point[i]);
    }
    return table;
  }

  template <std::floating_point Scalar = double>
  static constexpr Gradients<Scalar> gradients() {
    Gradients<Scalar> table{};
    for (int q = 0; q < points; ++q) {
      const auto at_point = Element::gradients(Rule::coordinates[q]);
      for (int i = 0; i < nodes; ++i)
        for (int d = 0; d < dimension; ++d) table.entries[q][i][d] = static_cast<Scalar>(at_point[i][d]);
    }
    return table;
  }
  ///@}
};

} // namespace tessera

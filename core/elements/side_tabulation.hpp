// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Basis values and gradients of an element at the quadrature points of its sides.

#include <tessera/core/elements/tabulation.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <utility>

namespace tessera {

/// The tables of all functions of an element, those of nodes beside a side too, at the points of
/// `Quadrature<Side::shape, Degree>` on its sides of one kind. Sides of other kinds have zeros.
template <class Element, int Kind, int Degree>
struct SideTabulation {
  using Kinds = detail::SidesOf<Element>;
  using Side = typename Kinds::template Side<Kind>;
  using OnSide = Tabulation<Side, Degree>;
  static constexpr int points = OnSide::points, nodes = Element::nodes, dimension = Element::dimension;

  /// Basis function n at point q of a side.
  KOKKOS_FORCEINLINE_FUNCTION static double value(int side, int q, int n) {
    static constexpr auto table = all_values(Sides());
    return table.of_side[side].entries[q][n];
  }
  /// Its derivative in reference direction d.
  KOKKOS_FORCEINLINE_FUNCTION static double gradient(int side, int q, int n, int d) {
    static constexpr auto table = all_gradients(Sides());
    return table.of_side[side].entries[q][n][d];
  }

  /// \name C arrays that a function can return.
  ///@{
  struct Values {
    double entries[points][nodes];
  };
  struct Gradients {
    double entries[points][nodes][dimension];
  };
  struct AllValues {
    Values of_side[Element::sides];
  };
  struct AllGradients {
    Gradients of_side[Element::sides];
  };
  ///@}

private:
  using Sides = std::make_integer_sequence<int, Element::sides>;
  using Coordinates = std::array<typename Element::Point, points>;

  /// Reference coordinates of a side's points.
  static constexpr Coordinates coordinates(int side) {
    const auto x = Element::node_coordinates();
    const auto local_nodes = Element::side_nodes();
    const auto basis = OnSide::values();
    Coordinates at{};
    for (int q = 0; q < points; ++q)
      for (int a = 0; a < Side::nodes; ++a)
        for (int d = 0; d < dimension; ++d) at[q][d] += basis.entries[q][a] * x[local_nodes[side][a]][d];
    return at;
  }
  static constexpr Values make_values(int side) {
    Values table{};
    if (Kinds::kind(side) != Kind) return table;
    const auto at = coordinates(side);
    for (int q = 0; q < points; ++q) {
      const auto at_point = Element::values(at[q]);
      for (int n = 0; n < nodes; ++n) table.entries[q][n] = at_point[n];
    }
    return table;
  }
  static constexpr Gradients make_gradients(int side) {
    Gradients table{};
    if (Kinds::kind(side) != Kind) return table;
    const auto at = coordinates(side);
    for (int q = 0; q < points; ++q) {
      const auto at_point = Element::gradients(at[q]);
      for (int n = 0; n < nodes; ++n)
        for (int d = 0; d < dimension; ++d) table.entries[q][n][d] = at_point[n][d];
    }
    return table;
  }

  // A constant for each side: compilers limit the steps that they take for one.
  template <int side>
  static constexpr Values values_of = make_values(side);
  template <int side>
  static constexpr Gradients gradients_of = make_gradients(side);
  template <int... side>
  static constexpr AllValues all_values(std::integer_sequence<int, side...>) {
    return {{values_of<side>...}};
  }
  template <int... side>
  static constexpr AllGradients all_gradients(std::integer_sequence<int, side...>) {
    return {{gradients_of<side>...}};
  }
};

} // namespace tessera

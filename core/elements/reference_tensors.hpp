// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Integrals over the reference element, computed by the compiler: what the matrix of an affine element with
/// constant coefficients is made of (R. C. Kirby and A. Logg, "A compiler for variational forms", ACM Trans.
/// Math. Softw. 32, 2006, section 3, call them reference tensors).

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/elements/tabulation.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace tessera {

namespace detail {

template <int nodes>
struct PairTable {
  double entries[nodes][nodes];
};

/// Entries that vanish but for rounding become zeros.
template <int nodes>
constexpr PairTable<nodes> without_rounding(PairTable<nodes> pairs) {
  constexpr double rounding = 1e-13;
  for (auto& row : pairs.entries)
    for (double& entry : row)
      if (-rounding < entry && entry < rounding) entry = 0;
  return pairs;
}

/// The rule that is exact for products of two basis functions.
template <ReferenceElement Element>
using ProductRule = Tabulation<Element, 2 * Element::order>;
template <ReferenceElement Element>
inline constexpr auto product_weights = ProductRule<Element>::weights();
template <ReferenceElement Element>
inline constexpr auto product_values = ProductRule<Element>::values();
template <ReferenceElement Element>
inline constexpr auto product_gradients = ProductRule<Element>::gradients();

/// The integrals of d phi_i / d xi_a times d phi_j / d xi_b: a table for each pair of directions, or the
/// largest elements would go beyond what compilers evaluate for one constant.
template <ReferenceElement Element, int a, int b>
inline constexpr auto derivative_products = [] {
  PairTable<Element::nodes> pairs{};
  if constexpr (a > b) {
    for (int i = 0; i < Element::nodes; ++i)
      for (int j = 0; j < Element::nodes; ++j)
        pairs.entries[i][j] = derivative_products<Element, b, a>.entries[j][i];
    return pairs;
  }
  for (int q = 0; q < ProductRule<Element>::points; ++q)
    for (int i = 0; i < Element::nodes; ++i) {
      const double weighted =
          product_weights<Element>.entries[q] * product_gradients<Element>.entries[q][i][a];
      for (int j = 0; j < Element::nodes; ++j)
        pairs.entries[i][j] += weighted * product_gradients<Element>.entries[q][j][b];
    }
  return without_rounding(pairs);
}();

template <ReferenceElement Element>
inline constexpr auto value_products = [] {
  PairTable<Element::nodes> pairs{};
  for (int q = 0; q < ProductRule<Element>::points; ++q)
    for (int i = 0; i < Element::nodes; ++i)
      for (int j = 0; j < Element::nodes; ++j)
        pairs.entries[i][j] += product_weights<Element>.entries[q] * product_values<Element>.entries[q][i] *
                               product_values<Element>.entries[q][j];
  return without_rounding(pairs);
}();

} // namespace detail

/// How many copies of a loop over an element's nodes make its tensors' entries constants, of which zeros are
/// left out; 1 where the code would not fit into the instruction cache, or a register not hold what belongs
/// to it.
template <class Element, class Real>
inline constexpr int unroll_tensors = Element::nodes <= (lanes_v<Real> == 1 ? 21 : 8) ? Element::nodes : 1;

/// The tables of an element, readable in kernels as those of `Tabulation` are: constants where indices are
/// known to the compiler. Nodes i and j in 0..nodes-1, directions a and b in 0..dimension-1; ranges are not
/// checked.
template <ReferenceElement Element>
struct ReferenceTensors {
  static constexpr int dimension = Element::dimension, nodes = Element::nodes;
  /// Pairs of directions a <= b.
  static constexpr int direction_pairs = dimension * (dimension + 1) / 2;

  /// The integral of d phi_i / d xi_a times d phi_j / d xi_b.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar derivatives(int i, int j, int a, int b) {
    static constexpr auto table = by_directions<Scalar>();
    return table.entries[i][a * dimension + b][j];
  }

  /// The factor of M_ab in the sum over a and b of M_ab `derivatives(i, j, a, b)` for symmetric M, a <= b.
  /// \param pair  a + b (b + 1) / 2
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar symmetric_derivatives(int i, int j, int pair) {
    return of_pair<Scalar>(i, j, pair);
  }

  /// The integral of phi_i times phi_j.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar values(int i, int j) {
    return of_pair<Scalar>(i, j, direction_pairs);
  }

  /// The integral of phi_i.
  template <std::floating_point Scalar = double>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar value(int i) {
    static constexpr auto table = of_value<Scalar>();
    return table.entries[i];
  }

  /// `derivatives` without its zeros, for pairs of nodes one after the other.
  template <class Scalar, int pairs>
  struct DerivativeTerms {
    int first[pairs + 1];                          ///< pair (+1): its first term
    int directions[pairs * dimension * dimension]; ///< term: a * dimension + b
    Scalar factor[pairs * dimension * dimension];
  };

  /// The terms of the pairs (i, j), of symmetric matrices those with i >= j, by i; one at least of each.
  template <std::floating_point Scalar, bool symmetric>
  static constexpr auto derivative_terms() {
    constexpr auto table = by_directions<Scalar>();
    DerivativeTerms<Scalar, symmetric ? nodes*(nodes + 1) / 2 : nodes * nodes> terms{};
    int pair = 0, term = 0;
    const auto append = [&](int directions, Scalar factor) {
      terms.directions[term] = directions;
      terms.factor[term++] = factor;
    };
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < (symmetric ? i + 1 : nodes); ++j) {
        for (int ab = 0; ab < dimension * dimension; ++ab)
          if (table.entries[i][ab][j] != 0) append(ab, table.entries[i][ab][j]);
        if (term == terms.first[pair]) append(0, 0);
        terms.first[++pair] = term;
      }
    return terms;
  }

private:
  /// [i][number][j]: lanes that take a node j each read numbers side by side.
  template <class Scalar, int count>
  struct Pairs {
    Scalar entries[nodes][count][nodes];
  };
  template <class Scalar>
  struct Value {
    Scalar entries[nodes];
  };

  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static Scalar of_pair(int i, int j, int k) {
    static constexpr auto table = by_direction_pairs<Scalar>();
    return table.entries[i][k][j];
  }

  /// Calls visit(a, b) with constants for all pairs of directions.
  template <class Visit, int k = 0>
  static constexpr void for_each_direction_pair(const Visit& visit) {
    if constexpr (k < dimension * dimension) {
      visit.template operator()<k / dimension, k % dimension>();
      for_each_direction_pair<Visit, k + 1>(visit);
    }
  }

  template <class Scalar>
  static constexpr auto by_directions() {
    Pairs<Scalar, dimension * dimension> table{};
    for_each_direction_pair([&]<int a, int b>() {
      for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
          table.entries[i][a * dimension + b][j] =
              static_cast<Scalar>(detail::derivative_products<Element, a, b>.entries[i][j]);
    });
    return table;
  }

  /// Symmetric derivatives, then the product of values.
  template <class Scalar>
  static constexpr auto by_direction_pairs() {
    Pairs<Scalar, direction_pairs + 1> table{};
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j)
        table.entries[i][direction_pairs][j] =
            static_cast<Scalar>(detail::value_products<Element>.entries[i][j]);
    for_each_direction_pair([&]<int a, int b>() {
      constexpr int pair = a <= b ? a + b * (b + 1) / 2 : b + a * (a + 1) / 2;
      for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
          table.entries[i][pair][j] +=
              static_cast<Scalar>(detail::derivative_products<Element, a, b>.entries[i][j]);
    });
    return table;
  }

  template <class Scalar>
  static constexpr auto of_value() {
    Value<Scalar> table{};
    for (int i = 0; i < nodes; ++i) {
      double sum = 0; // the basis functions add up to one
      for (int j = 0; j < nodes; ++j) sum += detail::value_products<Element>.entries[i][j];
      table.entries[i] = static_cast<Scalar>(-1e-13 < sum && sum < 1e-13 ? 0 : sum);
    }
    return table;
  }
};

} // namespace tessera

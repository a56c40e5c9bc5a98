// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the Lagrange elements of core/elements/element.hpp have in common: their basis, and the nodes of their
// sides.

#include <tessera/core/elements/detail/lattice.hpp>
#include <tessera/core/elements/shape.hpp>
#include <tessera/core/types.hpp>

#include <array>

namespace tessera {

namespace detail {

/// Values and first derivatives of one-dimensional factors: entry n belongs to lattice coordinate n.
template <int order>
struct Factors {
  double values[order + 1];
  double derivatives[order + 1];
};

/// R_n(l) = prod_{m<n} (P l - m) / (m + 1), the factor of a simplex basis for one barycentric coordinate l.
template <int order>
constexpr Factors<order> barycentric_factors(double l) {
  Factors<order> r{};
  r.values[0] = 1;
  r.derivatives[0] = 0;
  for (int n = 0; n < order; ++n) {
    const double factor = (order * l - n) / (n + 1);
    r.values[n + 1] = r.values[n] * factor;
    r.derivatives[n + 1] = r.derivatives[n] * factor + r.values[n] * order / (n + 1);
  }
  return r;
}

/// The Lagrange basis on the P + 1 equispaced points of [-1,1].
template <int order>
constexpr Factors<order> interval_factors(double x) {
  const double s = (x + 1) / 2 * order;
  Factors<order> l{};
  for (int n = 0; n <= order; ++n) {
    double value = 1, derivative = 0;
    for (int m = 0; m <= order; ++m) {
      if (m == n) continue;
      derivative = (derivative * (s - m) + value) / (n - m);
      value = value * (s - m) / (n - m);
    }
    l.values[n] = value;
    l.derivatives[n] = derivative * order / 2;
  }
  return l;
}

/// One factor per direction, and for a simplex one more for the last barycentric coordinate.
constexpr int factors_of(Shape shape) {
  return is_cube(shape) ? dimension_of(shape) : dimension_of(shape) + 1;
}

/// Which factors make up each basis function: entry [node][coordinate] is the number of the factor.
template <Shape shape, int order>
struct FactorNumbers {
  int entries[lattice_size(shape, order)][factors_of(shape)];
};

template <Shape shape, int order>
constexpr FactorNumbers<shape, order> make_factor_numbers() {
  const auto lattice = make_lattice<shape, order>();
  FactorNumbers<shape, order> numbers{};
  for (int i = 0; i < lattice_size(shape, order); ++i) {
    int rest = order;
    for (int d = 0; d < dimension_of(shape); ++d) {
      numbers.entries[i][d] = lattice[i][d];
      if (!is_interval(shape, d)) rest -= lattice[i][d];
    }
    if (!is_cube(shape)) numbers.entries[i][factors_of(shape) - 1] = rest;
  }
  return numbers;
}

/// Evaluated once per element, which keeps large tabulations within the compilers' limits.
template <Shape shape, int order>
inline constexpr FactorNumbers<shape, order> factor_numbers = make_factor_numbers<shape, order>();

/// What all Lagrange elements share; the public structs below add the names of their relatives.
template <Shape shape_, int order_>
struct LagrangeElement {
  static_assert(order_ >= 1, "An element has order 1 or more");

  static constexpr Shape shape = shape_;
  static constexpr int order = order_;
  static constexpr int dimension = dimension_of(shape);
  static constexpr int nodes = lattice_size(shape, order);
  static constexpr int vertices = vertices_of(shape); ///< corner nodes; they have the lowest numbers
  static constexpr int sides = sides_of(shape);       ///< facets
  /// Whether gradients and Jacobian are constant over every element: straight-sided linear simplex.
  static constexpr bool affine_simplex = is_simplex(shape) && order == 1;

  using Point = std::array<double, dimension>;

  /// Integer coordinates 0..order of the nodes.
  static constexpr Lattice<shape, order> lattice() { return make_lattice<shape, order>(); }

  /// Reference coordinates of the nodes.
  static constexpr std::array<Point, nodes> node_coordinates() {
    return reference_coordinates<shape, order>(lattice());
  }

  /// Values of all basis functions at reference point `xi`.
  static constexpr std::array<double, nodes> values(Point xi) {
    const auto& numbers = factor_numbers<shape, order>;
    const auto f = factors(xi);
    std::array<double, nodes> result{};
    for (int i = 0; i < nodes; ++i) {
      double product = 1;
      for (int b = 0; b < factor_count; ++b) product *= f.entries[b].values[numbers.entries[i][b]];
      result[i] = product;
    }
    return result;
  }

  /// Derivatives of all basis functions at reference point `xi`: [node][reference direction].
  static constexpr std::array<Point, nodes> gradients(Point xi) {
    const auto& numbers = factor_numbers<shape, order>;
    const auto f = factors(xi);
    std::array<Point, nodes> result{};
    for (int i = 0; i < nodes; ++i) {
      const auto& number = numbers.entries[i];
      double partial[factor_count]{};
      for (int b = 0; b < factor_count; ++b) {
        partial[b] = f.entries[b].derivatives[number[b]];
        for (int c = 0; c < factor_count; ++c)
          if (c != b) partial[b] *= f.entries[c].values[number[c]];
      }
      // The last barycentric coordinate is one minus the sum of the others.
      for (int d = 0; d < dimension; ++d)
        result[i][d] = is_interval(shape, d) ? partial[d] : partial[d] - partial[factor_count - 1];
    }
    return result;
  }

private:
  static constexpr int factor_count = factors_of(shape);

  struct AllFactors {
    Factors<order> entries[factor_count];
  };

  static constexpr AllFactors factors(const Point& xi) {
    AllFactors result{};
    double rest = 1;
    for (int d = 0; d < dimension; ++d) {
      result.entries[d] =
          is_interval(shape, d) ? interval_factors<order>(xi[d]) : barycentric_factors<order>(xi[d]);
      if (!is_interval(shape, d)) rest -= xi[d];
    }
    if (!is_cube(shape)) result.entries[factor_count - 1] = barycentric_factors<order>(rest);
    return result;
  }
};

/// Name of an element, e.g. "tet2".
template <Shape shape, int order>
struct ElementName {
  static_assert(order < 10, "Element names hold one digit");
  static constexpr auto characters = [] {
    std::array<char, 12> text{};
    int length = 0;
    for (const char* c = short_name(shape); *c != '\0'; ++c) text[to_size(length++)] = *c;
    text[length] = static_cast<char>('0' + order);
    return text;
  }();
};

/// Node numbers of sides of `ElementType` in the numbering of `Side`. Each row of `corners` lists the
/// vertices of a side that are the origin and the ends of the axes of the side's reference domain.
template <class ElementType, class Side, int count>
constexpr auto make_side_nodes(const int (&corners)[count][Side::dimension + 1]) {
  constexpr auto points = ElementType::lattice();
  constexpr auto side_points = Side::lattice();
  std::array<std::array<int, Side::nodes>, count> result{};
  for (std::size_t s = 0; s < to_size(count); ++s)
    for (std::size_t n = 0; n < side_points.size(); ++n) {
      const auto& origin = points[to_size(corners[s][0])];
      auto point = origin;
      for (std::size_t axis = 0; axis < to_size(Side::dimension); ++axis)
        for (std::size_t d = 0; d < point.size(); ++d)
          point[d] += (points[to_size(corners[s][axis + 1])][d] - origin[d]) / ElementType::order *
                      side_points[n][axis];
      std::size_t node = 0;
      while (points[node] != point) ++node;
      result[s][n] = static_cast<int>(node);
    }
  return result;
}

} // namespace detail

} // namespace tessera

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/quadrature.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace core_elements_quadrature {

using namespace tessera;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Integral of prod x_d^e_d over the reference domain: that over intervals times prod e_d! / (sum e_d + d)!
/// over the d directions of a simplex. Over the pyramid, the base's times that of z^c (1 - z)^(a + b + 2).
template <Shape shape, std::size_t dimension>
double exact_integral(const std::array<int, dimension>& e) {
  if constexpr (shape == Shape::pyramid)
    return std::tgamma(e[0] + e[1] + 3.0) * std::tgamma(e[2] + 1.0) / std::tgamma(e[0] + e[1] + e[2] + 4.0) /
           (e[0] + 1) / (e[1] + 1);
  double integral = 1;
  int total = 0;
  for (std::size_t d = 0; d < dimension; ++d)
    if (is_interval(shape, static_cast<int>(d))) {
      integral *= e[d] % 2 == 0 ? 2.0 / (e[d] + 1) : 0.0;
    } else {
      total += e[d] + 1;
      integral *= std::tgamma(e[d] + 1.0);
    }
  return integral / std::tgamma(total + 1.0);
}

template <class Rule, std::size_t dimension>
double integrate(const std::array<int, dimension>& e) {
  double sum = 0;
  for (int q = 0; q < Rule::points; ++q) {
    double value = Rule::weights[q];
    for (std::size_t d = 0; d < dimension; ++d) value *= std::pow(Rule::coordinates[q][d], e[d]);
    sum += value;
  }
  return sum;
}

/// Largest error over the monomials whose degree (total, or the largest of all directions) is exactly
/// `degree`, relative to the largest value that such an integral can have.
template <class Rule, Shape shape>
double worst_error(int degree) {
  constexpr int dimension = dimension_of(shape);
  double worst = 0;
  std::array<int, dimension> e{};
  while (true) {
    int reached = 0, total = 0; // along intervals the largest, over a simplex the sum
    auto even = e;
    for (int d = 0; d < dimension; ++d)
      if (is_interval(shape, d)) {
        reached = std::max(reached, e[d]);
        even[d] = 0;
      } else {
        total += e[d];
      }
    if (std::max(reached, total) == degree) {
      const double scale = std::max(exact_integral<shape>(even), 1e-300);
      worst = std::max(worst, std::abs(integrate<Rule>(e) - exact_integral<shape>(e)) / scale);
    }
    int d = 0;
    while (d < dimension && e[d] == degree) e[d++] = 0;
    if (d == dimension) return worst;
    ++e[d];
  }
}

template <Shape shape, int degree>
void check_rule() {
  using Rule = Quadrature<shape, degree>;
  SCOPED_TRACE(testing::Message() << "shape " << static_cast<int>(shape) << ", degree " << degree);
  double sum = 0;
  for (int q = 0; q < Rule::points; ++q) {
    EXPECT_GT(Rule::weights[q], 0) << "point " << q;
    sum += Rule::weights[q];
    double coordinate_sum = 0; // on a pyramid, of the larger one of x and y and of z
    for (int d = 0; d < Rule::dimension; ++d) {
      const double c = Rule::coordinates[q][d];
      EXPECT_GT(c, is_interval(shape, d) ? -1 : 0) << "point " << q;
      EXPECT_LT(c, 1) << "point " << q;
      if (shape == Shape::pyramid && d == 1)
        coordinate_sum = std::max(coordinate_sum, c);
      else
        coordinate_sum += is_interval(shape, d) ? 0 : c;
    }
    EXPECT_LT(coordinate_sum, 1) << "point " << q;
  }
  // Of up to 512 points, which round as often.
  EXPECT_NEAR(sum, reference_measure(shape),
              std::max(8, Rule::points / 16) * epsilon * reference_measure(shape));
  EXPECT_GE(Rule::exactness, degree);
  // Relative to the integral itself, which on simplices is small against the integrand: a rounding error of a
  // coordinate counts as often as the degree.
  for (int k = 0; k <= Rule::exactness; ++k)
    EXPECT_LT((worst_error<Rule, shape>(k)), 16 * (k + 1) * epsilon) << "monomials of degree " << k;
  EXPECT_GT((worst_error<Rule, shape>(Rule::exactness + 1)), 1e-8) << "the rule is better than it says";
}

template <Shape shape>
void check_all_degrees() {
  [&]<int... degrees>(std::integer_sequence<int, degrees...>) {
    (check_rule<shape, degrees>(), ...);
  }(std::make_integer_sequence<int, max_quadrature_degree(shape) + 1>{});
}

TEST(Quadrature, LineIsExactToItsDegreeOnly) { check_all_degrees<Shape::line>(); }
TEST(Quadrature, TriangleIsExactToItsDegreeOnly) { check_all_degrees<Shape::triangle>(); }
TEST(Quadrature, TetrahedronIsExactToItsDegreeOnly) { check_all_degrees<Shape::tetrahedron>(); }
TEST(Quadrature, QuadrilateralIsExactToItsDegreeOnly) { check_all_degrees<Shape::quadrilateral>(); }
TEST(Quadrature, WedgeIsExactToItsDegreeOnly) { check_all_degrees<Shape::wedge>(); }
TEST(Quadrature, PyramidIsExactToItsDegreeOnly) { check_all_degrees<Shape::pyramid>(); }

/// A triangle's rule times one on the line: x^a z^b is integrated as each for itself.
template <int on_triangle, int along_z>
void check_wedge_of_two_degrees(int points) {
  using Rule = Quadrature<Shape::wedge, wedge_degree(on_triangle, along_z)>;
  using Triangle = Quadrature<Shape::triangle, on_triangle>;
  using Line = Quadrature<Shape::line, along_z>;
  EXPECT_EQ(Rule::points, points);
  EXPECT_EQ(Rule::exactness, wedge_degree(Triangle::exactness, Line::exactness));
  for (int a = 0; a <= Triangle::exactness + 1; ++a)
    for (int b = 0; b <= Line::exactness + 1; ++b) {
      const std::array<int, 2> on{a, 0};
      const std::array<int, 1> along{b};
      const double product = integrate<Triangle>(on) * integrate<Line>(along);
      const std::array<int, 3> both{a, 0, b};
      EXPECT_NEAR(integrate<Rule>(both), product, 16 * epsilon) << a << ' ' << b;
    }
}

TEST(Quadrature, WedgesHaveADegreeOnTheTriangleAndOneAlongIt) {
  check_wedge_of_two_degrees<1, 2>(2);
  check_wedge_of_two_degrees<2, 4>(9);
  check_wedge_of_two_degrees<12, 15>(33 * 8);
  static_assert(higher_degree(Shape::wedge, wedge_degree(1, 3), 2) == wedge_degree(2, 3));
  static_assert(higher_degree(Shape::wedge, wedge_degree(1, 3), 4) == 4);
  static_assert(higher_degree(Shape::hexahedron, 3, 4) == 4);
}

/// The products of the pyramid's functions, x = (1 - z) a, y = (1 - z) b, of degree 2 in each of a, b and z.
TEST(Quadrature, OnPyramidsIsExactForProductsOfRationalFunctions) {
  using Rule = Quadrature<Shape::pyramid, 2>;
  static_assert(Rule::points == 8);
  for (int i = 0; i < 27; ++i) {
    const std::array e{i % 3, i / 3 % 3, i / 9};
    double sum = 0;
    for (int q = 0; q < Rule::points; ++q) {
      const auto [x, y, z] = Rule::coordinates[q];
      sum += Rule::weights[q] * std::pow(x / (1 - z), e[0]) * std::pow(y / (1 - z), e[1]) * std::pow(z, e[2]);
    }
    const double height = 2.0 / ((e[2] + 1) * (e[2] + 2) * (e[2] + 3)); // of z^c (1 - z)^2
    EXPECT_NEAR(sum, height / ((e[0] + 1) * (e[1] + 1)), 8 * epsilon * sum) << i;
  }
}

TEST(Quadrature, HexahedronIsExactToItsDegreeOnly) {
  check_rule<Shape::hexahedron, 0>();
  check_rule<Shape::hexahedron, 2>();
  check_rule<Shape::hexahedron, 5>();
  check_rule<Shape::hexahedron, 6>();
}

template <Shape shape, int... degrees>
std::array<int, sizeof...(degrees)> point_counts(std::integer_sequence<int, degrees...>) {
  return {Quadrature<shape, degrees>::points...};
}

TEST(Quadrature, HasTheDocumentedNumberOfPoints) {
  EXPECT_EQ(point_counts<Shape::triangle>(std::make_integer_sequence<int, 13>{}),
            (std::array{1, 1, 3, 6, 6, 7, 12, 15, 16, 19, 25, 28, 33}));
  EXPECT_EQ(point_counts<Shape::tetrahedron>(std::make_integer_sequence<int, 9>{}),
            (std::array{1, 1, 4, 8, 14, 14, 24, 35, 46}));
  EXPECT_EQ(point_counts<Shape::hexahedron>(std::make_integer_sequence<int, 6>{}),
            (std::array{1, 1, 8, 8, 27, 27}));
  EXPECT_EQ(point_counts<Shape::wedge>(std::make_integer_sequence<int, 6>{}),
            (std::array{1, 1, 6, 12, 18, 21}));
  EXPECT_EQ(point_counts<Shape::pyramid>(std::make_integer_sequence<int, 6>{}),
            (std::array{1, 1, 8, 8, 27, 27}));
}

/// Integral of an asymmetric function that no rule integrates exactly, with the simplex' vertices permuted.
template <class Rule>
double permuted_integral(const std::array<int, Rule::dimension + 1>& permutation) {
  double sum = 0;
  for (int q = 0; q < Rule::points; ++q) {
    std::array<double, Rule::dimension + 1> barycentric{1};
    for (int d = 0; d < Rule::dimension; ++d) {
      barycentric[d + 1] = Rule::coordinates[q][d];
      barycentric[0] -= Rule::coordinates[q][d];
    }
    double exponent = 0;
    for (int v = 0; v <= Rule::dimension; ++v) exponent += (v + 1) * (v + 1) * barycentric[permutation[v]];
    sum += Rule::weights[q] * std::exp(exponent);
  }
  return sum;
}

template <class Rule>
void check_symmetry() {
  std::array<int, Rule::dimension + 1> permutation;
  std::iota(permutation.begin(), permutation.end(), 0);
  const double reference = permuted_integral<Rule>(permutation);
  while (std::next_permutation(permutation.begin(), permutation.end()))
    EXPECT_NEAR(permuted_integral<Rule>(permutation), reference, 64 * epsilon * reference)
        << Rule::points << " points";
}

TEST(Quadrature, OnSimplicesDoesNotDependOnTheNumberingOfVertices) {
  [&]<int... degrees>(std::integer_sequence<int, degrees...>) {
    (check_symmetry<Quadrature<Shape::triangle, degrees>>(), ...);
  }(std::make_integer_sequence<int, 13>{});
  [&]<int... degrees>(std::integer_sequence<int, degrees...>) {
    (check_symmetry<Quadrature<Shape::tetrahedron, degrees>>(), ...);
  }(std::make_integer_sequence<int, 9>{});
}

} // namespace core_elements_quadrature

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/element.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

namespace core_elements_element {

using namespace tessera;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

template <int dimension>
using Exponents = std::array<int, dimension>;

template <class E>
constexpr bool is_pyramid = E::shape == Shape::pyramid;
template <class E>
constexpr bool edges_alone = std::is_same_v<E, Quad8> || std::is_same_v<E, Hex20> ||
                             std::is_same_v<E, Wedge15> || std::is_same_v<E, Pyramid13>;
/// Functions of pyramids besides, which are no polynomials.
template <class E>
constexpr int rational_functions = !is_pyramid<E>  ? 0
                                   : E::order == 1 ? 1
                                                   : 3;

/// Exponents of the monomials that span an element's polynomials: total degree on simplices, pyramids and
/// over the triangle of wedges, else per direction; of elements with nodes at corners and edges alone, those
/// along intervals are linear beside what is quadratic.
template <class E>
std::vector<Exponents<E::dimension>> monomials() {
  constexpr int dimension = E::dimension, degree = E::order;
  std::vector<Exponents<dimension>> result;
  Exponents<dimension> e{};
  while (true) {
    int total = 0, quadratic = 0;
    for (int d = 0; d < dimension; ++d)
      if (is_interval(E::shape, d))
        quadratic += e[d] == 2 ? 1 : 0;
      else
        total += e[d];
    quadratic += total == 2 ? 1 : 0;
    if (total <= degree && (!edges_alone<E> || quadratic <= 1)) result.push_back(e);
    int d = 0;
    while (d < dimension && e[d] == degree) e[d++] = 0;
    if (d == dimension) return result;
    ++e[d];
  }
}

template <int dimension>
double monomial(const Exponents<dimension>& e, const std::array<double, dimension>& x) {
  double value = 1;
  for (int d = 0; d < dimension; ++d) value *= std::pow(x[d], e[d]);
  return value;
}

template <int dimension>
double monomial_derivative(Exponents<dimension> e, const std::array<double, dimension>& x, int direction) {
  const int power = e[direction];
  if (power == 0) return 0;
  --e[direction];
  return power * monomial<dimension>(e, x);
}

/// Of coordinates that begin at 0, the sum; on pyramids the larger one of the base's two and that of the
/// height.
template <class E, class Point>
auto sum_of_coordinates(const Point& x) {
  if constexpr (is_pyramid<E>) return std::max(x[0], x[1]) + x[2];
  typename Point::value_type sum{};
  for (int d = 0; d < E::dimension; ++d)
    if (!is_interval(E::shape, d)) sum += x[d];
  return sum;
}

/// Points inside the reference domain, the same in every run.
template <class E>
std::vector<typename E::Point> sample_points() {
  std::mt19937 generator(20);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<typename E::Point> points;
  while (points.size() < 20) {
    typename E::Point x;
    for (int d = 0; d < E::dimension; ++d) {
      x[d] = unit(generator);
      if (is_interval(E::shape, d)) x[d] = 2 * x[d] - 1;
    }
    if (sum_of_coordinates<E>(x) <= 1) points.push_back(x);
  }
  return points;
}

template <class E>
class AnyElement : public testing::Test {};

using AllElements =
    testing::Types<Line<1>, Line<2>, Line<3>, Line<4>, Line<5>, Tri<1>, Tri<2>, Tri<3>, Tri<4>, Tri<5>,
                   Quad<1>, Quad<2>, Quad<3>, Quad<4>, Quad<5>, Tet<1>, Tet<2>, Tet<3>, Hex<1>, Hex<2>,
                   Hex<3>, Quad8, Hex20, Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(AnyElement, AllElements);

TYPED_TEST(AnyElement, IsTheConceptsModel) {
  using E = TypeParam;
  static_assert(ReferenceElement<E>);
  static_assert(Element<E> == (E::shape != Shape::line) && !Element<int>);
  static_assert(E::affine_simplex == (is_simplex(E::shape) && E::order == 1));
  static_assert(std::is_same_v<typename E::template of_order<E::order>, E>);
  int product = 1, factorial = 1;
  for (int d = 1; d <= E::dimension; ++d) {
    product *= is_interval(E::shape, d - 1) ? E::order + 1 : E::order + d;
    factorial *= is_interval(E::shape, d - 1) ? 1 : d;
  }
  if (edges_alone<E>) {
    constexpr int nodes[] = {0, 0, 8, 0, 20, 15, 13}; // by shape
    EXPECT_EQ(E::nodes, nodes[static_cast<int>(E::shape)]);
  } else {
    EXPECT_EQ(E::nodes, product / factorial + rational_functions<E>);
  }
  EXPECT_EQ(monomials<E>().size() + rational_functions<E>, static_cast<std::size_t>(E::nodes));
}

TYPED_TEST(AnyElement, NodesAreTheEquispacedPointsOnce) {
  using E = TypeParam;
  std::set<std::array<int, E::dimension>> seen;
  for (const auto& point : E::lattice()) {
    EXPECT_TRUE(seen.insert(point).second);
    for (int d = 0; d < E::dimension; ++d) {
      EXPECT_GE(point[d], 0);
      EXPECT_LE(point[d], E::order);
    }
    EXPECT_LE(sum_of_coordinates<E>(point), E::order);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(E::nodes));
}

TYPED_TEST(AnyElement, BasisIsOneAtItsNodeAndZeroAtTheOthers) {
  using E = TypeParam;
  const auto x = E::node_coordinates();
  for (int j = 0; j < E::nodes; ++j) {
    const auto value = E::values(x[j]);
    for (int i = 0; i < E::nodes; ++i)
      EXPECT_NEAR(value[i], i == j ? 1 : 0, 64 * epsilon) << "basis " << i << " at node " << j;
  }
}

TYPED_TEST(AnyElement, BasisSumsToOneAndGradientsToZero) {
  using E = TypeParam;
  for (const auto& x : sample_points<E>()) {
    double sum = 0, size = 0;
    for (double v : E::values(x)) {
      sum += v;
      size += std::abs(v);
    }
    EXPECT_NEAR(sum, 1, 32 * epsilon * size);
    const auto gradient = E::gradients(x);
    for (int d = 0; d < E::dimension; ++d) {
      double gradient_sum = 0, gradient_size = 0;
      for (int i = 0; i < E::nodes; ++i) {
        gradient_sum += gradient[i][d];
        gradient_size += std::abs(gradient[i][d]);
      }
      EXPECT_NEAR(gradient_sum, 0, 32 * epsilon * gradient_size) << "direction " << d;
    }
  }
}

// Tolerance: 32 rounding errors relative to the sum of the absolute values of what is added.
TYPED_TEST(AnyElement, ReproducesPolynomialsAndTheirDerivatives) {
  using E = TypeParam;
  constexpr int dim = E::dimension;
  const auto nodes = E::node_coordinates();
  for (const auto& e : monomials<E>())
    for (const auto& x : sample_points<E>()) {
      const auto value = E::values(x);
      const auto gradient = E::gradients(x);
      double sum = 0, size = 1;
      std::array<double, dim> slope{}, slope_size{};
      for (int i = 0; i < E::nodes; ++i) {
        const double at_node = monomial<dim>(e, nodes[i]);
        sum += value[i] * at_node;
        size += std::abs(value[i] * at_node);
        for (int d = 0; d < dim; ++d) {
          slope[d] += gradient[i][d] * at_node;
          slope_size[d] += std::abs(gradient[i][d]);
        }
      }
      EXPECT_NEAR(sum, monomial<dim>(e, x), 32 * epsilon * size);
      for (int d = 0; d < dim; ++d)
        EXPECT_NEAR(slope[d], monomial_derivative<dim>(e, x, d), 32 * epsilon * slope_size[d])
            << "direction " << d;
    }
}

TYPED_TEST(AnyElement, DoesNotReproduceTheNextDegree) {
  using E = TypeParam;
  constexpr int dim = E::dimension;
  Exponents<dim> e{};
  e[dim - 1] = E::order + 1;
  double worst = 0;
  const auto nodes = E::node_coordinates();
  for (const auto& x : sample_points<E>()) {
    double sum = 0;
    const auto value = E::values(x);
    for (int i = 0; i < E::nodes; ++i) sum += value[i] * monomial<dim>(e, nodes[i]);
    worst = std::max(worst, std::abs(sum - monomial<dim>(e, x)));
  }
  EXPECT_GT(worst, 1e-5);
}

// The function beside the linear ones, and that of a node on the sides: bilinear on the base, where it meets
// that of a quadrilateral, linear on the triangles.
TEST(Pyramid, HasTheRationalFunction) {
  using E = Pyramid<1>;
  for (const auto& x : sample_points<E>()) {
    const double r = 1 - x[2], product = x[0] * x[1];
    EXPECT_NEAR(E::values(x)[2], product / r, 4 * epsilon);
    const auto gradient = E::gradients(x)[2];
    EXPECT_NEAR(gradient[0], x[1] / r, 4 * epsilon);
    EXPECT_NEAR(gradient[1], x[0] / r, 4 * epsilon);
    EXPECT_NEAR(gradient[2], product / (r * r), 16 * epsilon);
  }
}

// The three functions beside the quadratic ones are products of two of the linear pyramid's that are opposite
// to each other on the base, x y / (1 - z), with 1, x and y; in the limit they vanish at the apex.
TEST(Pyramid13, HasTheRationalFunctions) {
  using E = Pyramid13;
  const auto nodes = E::node_coordinates();
  const std::array<int, 2> exponents[] = {{0, 0}, {1, 0}, {0, 1}};
  for (const auto& e : exponents) {
    const auto f = [&](double x, double y, double z) {
      return z < 1 ? std::pow(x, e[0]) * std::pow(y, e[1]) * x * y / (1 - z) : 0.0;
    };
    for (const auto& x : sample_points<E>()) {
      const double r = 1 - x[2], product = std::pow(x[0], e[0] + 1) * std::pow(x[1], e[1] + 1);
      const auto value = E::values(x);
      const auto gradient = E::gradients(x);
      double sum = 0;
      std::array<double, 3> slope{};
      for (int i = 0; i < E::nodes; ++i) {
        const double at_node = f(nodes[i][0], nodes[i][1], nodes[i][2]);
        sum += value[i] * at_node;
        for (int d = 0; d < 3; ++d) slope[d] += gradient[i][d] * at_node;
      }
      EXPECT_NEAR(sum, product / r, 64 * epsilon);
      EXPECT_NEAR(slope[0], (e[0] + 1) * product / (x[0] * r), 128 * epsilon);
      EXPECT_NEAR(slope[1], (e[1] + 1) * product / (x[1] * r), 128 * epsilon);
      EXPECT_NEAR(slope[2], product / (r * r), 128 * epsilon);
    }
  }
}

TYPED_TEST(AnyElement, HasTheFunctionsOfItsSidesThere) {
  using E = TypeParam;
  if constexpr (Element<E>)
    detail::for_each_side_kind<E>([&](auto kind) {
      constexpr int Kind = decltype(kind)::value;
      using Side = typename detail::SidesOf<E>::template Side<Kind>;
      const auto nodes = E::node_coordinates();
      for (int s = 0; s < E::sides; ++s) {
        if (detail::SidesOf<E>::kind(s) != Kind) continue;
        const auto side = E::side_nodes()[s];
        for (const auto& xi : sample_points<Side>()) {
          const auto expected = Side::values(xi);
          typename E::Point x{};
          for (int n = 0; n < Side::nodes; ++n)
            for (int d = 0; d < E::dimension; ++d) x[d] += expected[n] * nodes[side[n]][d];
          const auto value = E::values(x);
          double others = 0;
          for (int i = 0; i < E::nodes; ++i) others += std::abs(value[i]);
          for (int n = 0; n < Side::nodes; ++n) {
            EXPECT_NEAR(value[side[n]], expected[n], 256 * epsilon) << "side " << s << ", node " << n;
            others -= std::abs(value[side[n]]);
          }
          EXPECT_NEAR(others, 0, 256 * epsilon) << "side " << s;
        }
      }
    });
}

template <class E>
void expect_gradients_at_the_apex() {
  const auto apex = E::node_coordinates()[4];
  std::array<double, 3> sum{};
  for (const auto& gradient : E::gradients(apex))
    for (int d = 0; d < 3; ++d) sum[d] += gradient[d];
  EXPECT_EQ(sum, (std::array<double, 3>{}));
  // They are the limits along the line to the middle of the base.
  constexpr double r = 0x1p-20;
  const auto below = E::gradients({r / 2, r / 2, 1 - r}), there = E::gradients(apex);
  for (int i = 0; i < E::nodes; ++i)
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(there[i][d], below[i][d], 8 * r) << i;
}
TEST(Pyramid, HasFiniteGradientsAtTheApex) {
  expect_gradients_at_the_apex<Pyramid<1>>();
  expect_gradients_at_the_apex<Pyramid13>();
}

template <class E>
class ElementWithSides : public testing::Test {};

using VolumeElements = testing::Types<Tri<1>, Tri<2>, Tri<3>, Tri<4>, Tri<5>, Quad<1>, Quad<2>, Quad<3>,
                                      Quad<4>, Quad<5>, Tet<1>, Tet<2>, Tet<3>, Hex<1>, Hex<2>, Hex<3>, Quad8,
                                      Hex20, Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(ElementWithSides, VolumeElements);

// The side's first two (three) nodes span its line (plane). With the outward normal n of that plane, a node
// of the element is on the side exactly if n.(x - x0) = 0, and no node is outside.
TYPED_TEST(ElementWithSides, SideHoldsExactlyTheNodesOfItsPlaneAndIsOriented) {
  using E = TypeParam;
  const auto x = E::node_coordinates();
  const auto sides = E::side_nodes();
  std::set<std::set<int>> distinct;
  for (int s = 0; s < E::sides; ++s) {
    const auto& side = sides[s];
    const auto origin = x[side[0]];
    const int last_axis = detail::side_corners_of<E>(s) - 1;
    std::array<double, 3> a{}, b{0, 0, 1}, n{};
    for (int d = 0; d < E::dimension; ++d) {
      a[d] = x[side[1]][d] - origin[d];
      if (E::dimension == 3) b[d] = x[side[last_axis]][d] - origin[d];
    }
    for (int d = 0; d < 3; ++d) n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    const int count = detail::side_nodes_of<E>(s);
    const std::set<int> on_side(side.begin(), side.begin() + count);
    EXPECT_EQ(on_side.size(), static_cast<std::size_t>(count));
    for (std::size_t n = static_cast<std::size_t>(count); n < side.size(); ++n) EXPECT_EQ(side[n], -1);
    EXPECT_TRUE(distinct.insert(on_side).second);
    for (int i = 0; i < E::nodes; ++i) {
      double height = 0;
      for (int d = 0; d < E::dimension; ++d) height += n[d] * (x[i][d] - origin[d]);
      if (on_side.count(i) != 0)
        EXPECT_NEAR(height, 0, 16 * epsilon) << "node " << i;
      else
        EXPECT_LT(height, -0.1) << "node " << i;
    }
  }
}

TYPED_TEST(ElementWithSides, SideNodesFollowTheSidesOwnNumbering) {
  using E = TypeParam;
  const auto x = E::node_coordinates();
  const auto sides = E::side_nodes();
  int visited = 0;
  detail::for_each_side_kind<E>([&](auto kind) {
    constexpr int Kind = decltype(kind)::value;
    using Side = typename detail::SidesOf<E>::template Side<Kind>;
    const auto xi = Side::node_coordinates();
    for (int s = 0; s < E::sides; ++s) {
      if (detail::SidesOf<E>::kind(s) != Kind) continue;
      ++visited;
      for (int n = 0; n < Side::nodes; ++n) {
        const auto corner_weights = Side::template of_order<1>::values(xi[n]);
        for (int d = 0; d < E::dimension; ++d) {
          double expected = 0;
          for (int v = 0; v < Side::vertices; ++v) expected += corner_weights[v] * x[sides[s][v]][d];
          EXPECT_NEAR(x[sides[s][n]][d], expected, 16 * epsilon) << "side node " << n;
        }
      }
    }
  });
  EXPECT_EQ(visited, E::sides);
}

} // namespace core_elements_element

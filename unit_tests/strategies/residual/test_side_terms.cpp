// SPDX-License-Identifier: BSD-3-Clause
// Functions on sides: residuals against sums on the host, Jacobians against differences, Robin sides written
// as functions, and radiation against what is known of it.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace strategies_residual_side_terms {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Values = std::vector<double>;
using test::expect_throw_with;

template <int unknowns = 1>
struct Nothing {
  static constexpr int components = unknowns;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return 0.0 * p.grad_u;
  }
};

struct Wave {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return 1.5 + Kokkos::sin(3 * x(0)) * x(1);
  }
};

/// Looks at all that there is on a side: two unknowns, their gradients, the normal, the position, fields.
template <bool TestsGradient>
struct OnSide {
  static constexpr int components = 2;
  template <class Element>
  static constexpr int degree = 2 * Element::order + 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    f(0) = p.u(0) * p.u(0) * p.u(1) * p.template a<0>() + p.position(0);
    f(1) = p.template a<1>();
    for (int d = 0; d < Point::dimension; ++d) f(1) += p.grad_u(0, d) * p.normal(d) * p.u(1);
    return f;
  }
  template <class Point>
    requires(TestsGradient && Point::dimension > 0)
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) {
      f(0, d) = p.u(1) * p.normal(d) * p.template a<2>();
      f(1, d) = p.grad_u(0, d) * p.u(0);
    }
    return f;
  }
};

/// Two unknowns inside, coupled.
struct Inside {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    f(0) = p.u(0) * p.u(1);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u(0) * p.u(0)) * p.grad_u;
  }
};

/// A mesh, a state and fields that show what is mixed up.
template <class ElementType>
struct Problem {
  using Element = ElementType;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using View = Kokkos::View<double*, ExecutionSpace>;
  static constexpr int d = Element::dimension;

  MeshType mesh = test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  typename MeshType::SideSet sides = boundary_sides(mesh);
  Values nodal = waves(mesh.num_nodes(), 2), by_element = waves(mesh.num_elements(), 3);

  static Values waves(Ordinal count, int seed) {
    Values values(to_size(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(7 * i) + seed);
    return values;
  }
  Values state() const { return waves(2 * mesh.num_nodes(), 1); }

  template <bool TestsGradient>
  auto form() const {
    return weak_form(Inside{}).on_sides(
        sides, OnSide<TestsGradient>{}, CellField::per_element(test::to_device<ExecutionSpace>(by_element)),
        NodalField<1, ExecutionSpace>{test::to_device<ExecutionSpace>(nodal)}, Wave{});
  }

  template <class Form>
  Values residual(const Space& space, const Form& form, const Values& u) const {
    const View r("Tessera::Test::r", u.size());
    auto plan = tessera::residual::RecomputingResidual{}.plan(space);
    plan.integrate(form, test::to_device<ExecutionSpace>(u), r);
    return test::to_host(r);
  }
};

/// Sums over the sides on the host, from the functions of the reference elements: their values at points of a
/// rule on the linear side, mapped into the element.
template <class Problem>
class SideOracle {
  using Element = typename Problem::Element;
  static constexpr int d = Problem::d, nodes = Element::nodes;

public:
  explicit SideOracle(const Problem& problem) : problem_(problem) {}

  template <bool TestsGradient>
  Values residual(const Values& u) const {
    Values r(u.size(), 0.0);
    const auto sides = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem_.sides);
    tessera::detail::for_each_side_kind<Element>([&](auto kind) {
      constexpr int Kind = decltype(kind)::value;
      for (std::size_t s = 0; s < sides.extent(0); ++s)
        if (tessera::detail::SidesOf<Element>::kind(sides(s, 1)) == Kind)
          add_side<Kind, TestsGradient>(sides(s, 0), sides(s, 1), u, r);
    });
    return r;
  }

private:
  template <int Kind, bool TestsGradient>
  void add_side(Ordinal e, int side, const Values& u, Values& r) const {
    using Side = typename tessera::detail::SidesOf<Element>::template Side<Kind>;
    using Corners = typename Side::template of_order<1>;
    using Rule = Quadrature<Side::shape, 2 * Element::order + 1>;
    const auto corner = Element::node_coordinates();
    const auto local = Element::side_nodes();
    const auto connectivity = test_connectivity();
    for (int q = 0; q < Rule::points; ++q) {
      typename Element::Point xi{};
      double tangent[2][3] = {}; // on the reference element
      const auto value = Corners::values(Rule::coordinates[q]);
      const auto slope = Corners::gradients(Rule::coordinates[q]);
      for (int a = 0; a < Corners::nodes; ++a)
        for (int i = 0; i < d; ++i) {
          xi[i] += value[a] * corner[local[side][a]][i];
          for (int k = 0; k < d - 1; ++k) tangent[k][i] += slope[a][k] * corner[local[side][a]][i];
        }
      add_point<TestsGradient>(e, xi, tangent, Rule::weights[q], connectivity, u, r);
    }
  }

  template <bool TestsGradient, class Connectivity>
  void add_point(Ordinal e, const typename Element::Point& xi, const double (&reference)[2][3], double weight,
                 const Connectivity& connectivity, const Values& u, Values& r) const {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem_.mesh.coordinates());
    const auto phi = Element::values(xi);
    const auto slope = Element::gradients(xi);
    Matrix<double, d> jacobian;
    Vector<double, d> position;
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < d; ++i) {
        position(i) += phi[n] * x(connectivity(e, n), i);
        for (int k = 0; k < d; ++k) jacobian(i, k) += x(connectivity(e, n), i) * slope[n][k];
      }
    const auto adj = adjugate(jacobian);
    const double det = determinant(jacobian);
    double tangent[2][3] = {}, normal[3] = {};
    for (int k = 0; k < d - 1; ++k)
      for (int i = 0; i < d; ++i)
        for (int m = 0; m < d; ++m) tangent[k][i] += jacobian(i, m) * reference[k][m];
    if (d == 2) tangent[1][2] = 1;
    for (int i = 0; i < 3; ++i)
      normal[i] = tangent[0][(i + 1) % 3] * tangent[1][(i + 2) % 3] -
                  tangent[0][(i + 2) % 3] * tangent[1][(i + 1) % 3];
    const double area = std::hypot(normal[0], normal[1], normal[2]);
    double gradient[nodes][d] = {}, value[2] = {}, grad_u[2][d] = {}, field = 0;
    for (int n = 0; n < nodes; ++n) {
      field += phi[n] * problem_.nodal[connectivity(e, n)];
      for (int i = 0; i < d; ++i)
        for (int k = 0; k < d; ++k) gradient[n][i] += slope[n][k] * adj(k, i) / det;
      for (int c = 0; c < 2; ++c) {
        value[c] += phi[n] * u[2 * connectivity(e, n) + c];
        for (int i = 0; i < d; ++i) grad_u[c][i] += gradient[n][i] * u[2 * connectivity(e, n) + c];
      }
    }
    double along = 0;
    for (int i = 0; i < d; ++i) along += grad_u[0][i] * normal[i] / area;
    const double f0[2] = {value[0] * value[0] * value[1] * problem_.by_element[e] + position(0),
                          field + along * value[1]};
    for (int n = 0; n < nodes; ++n)
      for (int c = 0; c < 2; ++c) {
        double sum = f0[c] * phi[n];
        if (TestsGradient)
          for (int i = 0; i < d; ++i)
            sum += gradient[n][i] *
                   (c == 0 ? value[1] * normal[i] / area * Wave{}(position) : grad_u[0][i] * value[0]);
        r[2 * connectivity(e, n) + c] += weight * area * sum;
      }
  }

  auto test_connectivity() const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem_.mesh.connectivity());
  }

  const Problem& problem_;
};

double largest(const Values& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

void expect_near(const Values& found, const Values& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  const double scale = largest(expected);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * scale) << "entry " << i;
}

/// A system as a full matrix on the host.
struct Dense {
  std::size_t rows;
  Values values, rhs;
  double operator()(std::size_t i, std::size_t j) const { return values[i * rows + j]; }

  explicit Dense(const LinearSystem<double, ExecutionSpace>& system)
      : rows(to_size(system.num_rows())), values(rows * rows, 0.0), rhs(test::to_host(system.rhs())) {
    const auto row_map = test::to_host(system.graph().row_map);
    const auto columns = test::to_host(system.graph().columns);
    const auto entries = test::to_host(system.values());
    for (std::size_t i = 0; i < rows; ++i)
      for (Offset k = row_map[i]; k < row_map[i + 1]; ++k)
        values[i * rows + to_size(columns[k])] = entries[k];
  }
  Values operator*(const Values& x) const {
    Values y(rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) y[i] += (*this)(i, j) * x[j];
    return y;
  }
};

template <class Strategy, class Space, class Form>
Dense assembled(const Strategy& strategy, const Space& space, const Form& form) {
  const LinearSystem<double, ExecutionSpace> system(space);
  strategy.plan(space, system.graph()).assemble(form, system);
  return Dense(system);
}

template <class Element>
class SideTerms : public ::testing::Test {
public:
  const Problem<Element> problem;
  using Space = typename Problem<Element>::Space;
  using View = typename Problem<Element>::View;

  template <bool TestsGradient>
  void expect_oracle() const {
    const Space space(problem.mesh, 2);
    const auto u = problem.state();
    auto found = problem.residual(space, problem.template form<TestsGradient>(), u);
    const auto inside = problem.residual(space, Inside{}, u);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= inside[i];
    expect_near(found, SideOracle(problem).template residual<TestsGradient>(u), 1e-12);
  }

  /// The Jacobian along a direction against central differences; K u - r on the right-hand side.
  template <bool TestsGradient>
  void expect_derivative() const {
    const Space space(problem.mesh, 2);
    const auto form = problem.template form<TestsGradient>();
    const auto u = problem.state(), w = Problem<Element>::waves(space.num_dofs(), 5);
    const View at = test::to_device<ExecutionSpace>(u);
    const auto k = assembled(assembly::ElementAtomic{}, space, jacobian(form, problem.mesh, at));
    const double h = 1e-5;
    auto ahead = u, behind = u;
    for (std::size_t i = 0; i < u.size(); ++i) {
      ahead[i] += h * w[i];
      behind[i] -= h * w[i];
    }
    auto slope = problem.residual(space, form, ahead);
    const auto less = problem.residual(space, form, behind);
    for (std::size_t i = 0; i < u.size(); ++i) slope[i] = (slope[i] - less[i]) / (2 * h);
    expect_near(k * w, slope, 1e-8);
    auto rest = k * u;
    for (std::size_t i = 0; i < u.size(); ++i) rest[i] -= k.rhs[i];
    expect_near(rest, problem.residual(space, form, u), 1e-12);
  }

  /// Constrained rows and columns are those of the whole matrix, moved to the right-hand side.
  template <class Strategy>
  void expect_constraints(const Strategy& strategy, ConstraintTreatment treatment) const {
    const Space whole(problem.mesh, 2);
    Space space(problem.mesh, 2, treatment);
    test::constrain(space);
    space.clear_loads();
    const View at = test::to_device<ExecutionSpace>(problem.state());
    const auto tangent = jacobian(problem.template form<true>(), problem.mesh, at);
    const auto all = assembled(assembly::ElementAtomic{}, whole, tangent);
    const auto k = assembled(strategy, space, tangent);
    const auto equations = space.equations();
    const auto mask = test::to_host(equations.mask);
    const auto prescribed = test::to_host(equations.prescribed);
    const bool removed = treatment == ConstraintTreatment::removed;
    std::vector<std::size_t> dofs; // of each equation
    const auto constrained = [&](std::size_t dof) { return ((mask[dof / 2] >> (dof % 2)) & 1) != 0; };
    for (std::size_t dof = 0; dof < all.rows; ++dof)
      if (!removed || !constrained(dof)) dofs.push_back(dof);
    ASSERT_EQ(k.rows, dofs.size());
    Values values(k.values.size(), 0.0), rhs(k.rows, 0.0);
    for (std::size_t i = 0; i < k.rows; ++i) {
      if (constrained(dofs[i])) {
        values[i * k.rows + i] = 1;
        rhs[i] = prescribed[dofs[i]];
        continue;
      }
      rhs[i] = all.rhs[dofs[i]];
      for (std::size_t j = 0; j < k.rows; ++j)
        if (!constrained(dofs[j])) values[i * k.rows + j] = all(dofs[i], dofs[j]);
      for (std::size_t dof = 0; dof < all.rows; ++dof)
        if (constrained(dof)) rhs[i] -= all(dofs[i], dof) * prescribed[dof];
    }
    expect_near(k.values, values, 1e-13);
    expect_near(k.rhs, rhs, 1e-12);
  }
};

using Elements = ::testing::Types<Tet<1>, Quad<2>, Hex20, Pyramid<1>>;
TYPED_TEST_SUITE(SideTerms, Elements);

TYPED_TEST(SideTerms, ResidualsAreSumsOverSides) {
  this->template expect_oracle<false>();
  this->template expect_oracle<true>();
}

TYPED_TEST(SideTerms, JacobiansAreTheDerivatives) {
  this->template expect_derivative<false>();
  this->template expect_derivative<true>();
}

TYPED_TEST(SideTerms, ConstrainedColumnsGoToTheRightHandSide) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    this->expect_constraints(assembly::ElementAtomic{}, treatment);
}

using SideTermsOfTriangles = SideTerms<Tri<1>>;

TEST_F(SideTermsOfTriangles, EveryAssemblyStrategyAddsThem) {
  for_each_strategy<AssemblyCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    if (variant.name.starts_with("Patch/pairs")) return; // half of the matrix is what it is about
    auto strategy = variant.strategy;
    if constexpr (requires { strategy.symmetric; }) strategy.symmetric = false;
    expect_constraints(strategy, ConstraintTreatment::removed);
  });
}

TEST_F(SideTermsOfTriangles, EveryResidualStrategyAddsThem) {
  Space space(problem.mesh, 2);
  test::constrain(space);
  const auto form = problem.form<true>();
  const auto u = problem.state();
  auto expected = SideOracle(problem).residual<true>(u);
  const auto inside = problem.residual(space, Inside{}, u);
  const auto equations = space.equations();
  const auto mask = test::to_host(equations.mask);
  for (std::size_t i = 0; i < u.size(); ++i)
    expected[i] = ((mask[i / 2] >> (i % 2)) & 1) != 0 ? 0.0 : expected[i] + inside[i];
  for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    const View r("Tessera::Test::r", u.size());
    auto plan = variant.strategy.plan(space);
    plan.integrate(form, test::to_device<ExecutionSpace>(u), r);
    expect_near(test::to_host(r), expected, 1e-12);
  });
}

/// h (u - g) with g a field.
struct Film {
  double h = 2.5;
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return h * (p.u - p.template a<0>());
  }
};

struct Infinite {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X&) const {
    return std::numeric_limits<double>::infinity();
  }
};

/// The residual and the Jacobian of a film on all sides are those of a space with Robin sides.
template <class Space, class Form>
void expect_robin(const Space& plain, const Space& robin, const Form& film) {
  const auto& mesh = plain.mesh();
  const Kokkos::View<double*, ExecutionSpace> at = test::to_device<ExecutionSpace>(
                                                  Problem<Tet<1>>::waves(mesh.num_nodes(), 1)),
                                              r("Tessera::Test::r", at.extent(0)),
                                              s("Tessera::Test::s", at.extent(0));
  residual::RecomputingResidual{}.plan(robin).integrate(Laplace{}, at, r);
  residual::RecomputingResidual{}.plan(plain).integrate(film, at, s);
  expect_near(test::to_host(s), test::to_host(r), 1e-13);
  const auto expected = assembled(assembly::ElementAtomic{}, robin, jacobian(Laplace{}, mesh, at)),
             found = assembled(assembly::ElementAtomic{}, plain, jacobian(film, mesh, at));
  expect_near(found.values, expected.values, 1e-13);
  expect_near(found.rhs, expected.rhs, 1e-13);
}

template <class Element>
void expect_robin_on() {
  const auto mesh = test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  const auto sides = boundary_sides(mesh);
  FunctionSpace<Element, ExecutionSpace> plain(mesh, 1), robin(mesh, 1);
  test::constrain(plain);
  test::constrain(robin);
  robin.add_robin(sides, Film{}.h, Wave{});
  expect_robin(plain, robin, weak_form(Laplace{}).on_sides(sides, Film{}, Wave{}));
}

TEST(SideTerm, LinearOnesAreRobinSides) {
  expect_robin_on<Tet<1>>();
  expect_robin_on<Wedge<1>>();
  expect_robin_on<Quad<2>>();
}

TEST(SideTerm, ServesTheBlocksOfMixedMeshes) {
  const auto mesh = test::MixedBox(1).mesh<ExecutionSpace>();
  const auto sides = boundary_sides(mesh);
  MixedSpace plain(mesh, 1), robin(mesh, 1);
  plain.constrain(3, 0, 0.5);
  robin.constrain(3, 0, 0.5);
  robin.add_robin(sides, Film{}.h, Wave{});
  expect_robin(plain, robin, by_block([&]<class Element>(const Mesh<Element, ExecutionSpace>&) {
                 return weak_form(Laplace{}).on_sides(sides.template block<Element>(), Film{}, Wave{});
               }));
}

struct Radiation {
  double ambient = 0;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 5 * Element::order;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto square = p.u * p.u;
    return p.template a<0>() * (square * square - ambient);
  }
};

TEST(SideTerm, NewtonFindsTheTemperatureOfAWallThatRadiates) {
  using Element = Hex<1>;
  const double hot = 2, emissivity = 0.75, ambient = 0.5;
  double end = hot; // u = hot + (end - hot) x with hot - end = emissivity (end^4 - ambient)
  for (int k = 0; k < 50; ++k)
    end -= (end - hot + emissivity * (std::pow(end, 4) - ambient)) / (1 + 4 * emissivity * std::pow(end, 3));
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2, 2}});
  FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {hot});
  // Two sets of sides add up: half of the emissivity each.
  const auto form = weak_form(Laplace{})
                        .on_sides(mesh.side_set("xmax"), Radiation{ambient}, emissivity / 2)
                        .on_sides(mesh.side_set("xmax"), Radiation{ambient}, emissivity / 2);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  Kokkos::deep_copy(u, hot);
  const auto result = solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form, u);
  ASSERT_TRUE(result.converged());
  const auto found = test::to_host(u);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (std::size_t n = 0; n < found.size(); ++n)
    ASSERT_NEAR(found[n], hot + (end - hot) * x(n, 0), 1e-9) << "node " << n;
  // Steps e_k with e_{k+1} <= C e_k^2.
  ASSERT_GE(result.history.size(), 4u);
  for (std::size_t k = 1; k + 1 < result.history.size(); ++k)
    EXPECT_LE(result.history[k].step, std::max(4 * std::pow(result.history[k - 1].step, 2), 1e-8)) << k;
}

struct Manufactured {
  static KOKKOS_FUNCTION double u(double x, double y) { return 1 + 0.5 * Kokkos::sin(2 * x + y); }
};
/// -u_xx - u_yy
struct Source {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return 5 * 0.5 * Kokkos::sin(2 * x(0) + x(1));
  }
};
/// u^4 + u_x: what leaves through a side of normal x.
struct Leaves {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return Kokkos::pow(Manufactured::u(x(0), x(1)), 4) + Kokkos::cos(2 * x(0) + x(1));
  }
};
struct Balance {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 5 * Element::order;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto square = p.u * p.u;
    return square * square - p.template a<0>();
  }
};
struct Conducts {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return -p.template a<0>();
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u;
  }
};

template <class Element>
double error_on(int cells) {
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{cells, cells}});
  FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  for (const char* set : {"xmin", "ymin", "ymax"})
    space.prescribe(mesh.node_set(set), [](const auto& x) { return Manufactured::u(x(0), x(1)); });
  const auto form = weak_form(Conducts{}, Source{}).on_sides(mesh.side_set("xmax"), Balance{}, Leaves{});
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  Kokkos::deep_copy(u, 1.0);
  EXPECT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-11}).solve(form, u).converged());
  const auto found = test::to_host(u);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  double sum = 0;
  for (std::size_t n = 0; n < found.size(); ++n)
    sum += std::pow(found[n] - Manufactured::u(x(n, 0), x(n, 1)), 2);
  return std::sqrt(sum / static_cast<double>(found.size()));
}

TEST(SideTerm, ConvergesWithTheElementsOrder) {
  EXPECT_GT(std::log2(error_on<Tri<1>>(8) / error_on<Tri<1>>(16)), 1.8);
  EXPECT_GT(std::log2(error_on<Tri<2>>(4) / error_on<Tri<2>>(8)), 2.8);
}

template <class AnySpace>
class SideTermSums : public ::testing::Test {};
TYPED_TEST_SUITE(SideTermSums, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// What the sides alone give, in an execution space.
template <class AnySpace>
std::vector<Values> sums_of() {
  using Element = Tet<1>;
  const auto mesh = test::distorted_box<Element, AnySpace>({{4, 3, 3}, {1, 1, 1}});
  const FunctionSpace<Element, AnySpace> space(mesh, 1);
  const auto form = weak_form(Nothing<>{}).on_sides(boundary_sides(mesh), Radiation{0.1}, Wave{});
  const Kokkos::View<double*, AnySpace> u = test::to_device<AnySpace>(
                                            Problem<Element>::waves(space.num_dofs(), 1)),
                                        r("Tessera::Test::r", u.extent(0));
  residual::RecomputingResidual{}.plan(space).integrate(form, u, r);
  const LinearSystem<double, AnySpace> system(space);
  assembly::RowOwner{}.plan(space, system.graph()).assemble(jacobian(form, mesh, u), system);
  return {test::to_host(r), test::to_host(system.values()), test::to_host(system.rhs())};
}

TYPED_TEST(SideTermSums, HaveTheSameBitsWithAnyThreads) {
  const auto first = sums_of<TypeParam>();
  EXPECT_GT(largest(first[1]), 0);
  for (int repetition = 0; repetition < 3; ++repetition) EXPECT_EQ(sums_of<TypeParam>(), first);
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (runs_on_host<TypeParam>) EXPECT_EQ(sums_of<Kokkos::Serial>(), first);
#endif
}

TEST(SideTerm, FollowsTheStateTheMeshAndOtherSets) {
  using Element = Quad<1>;
  auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      r("Tessera::Test::r", u.extent(0));
  Kokkos::deep_copy(u, 1.0);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto total = [&](const char* set) {
    plan.integrate(weak_form(Nothing<>{}).on_sides(mesh.side_set(set), Radiation{}, 3.0), u, r);
    double sum = 0;
    for (const double value : test::to_host(r)) sum += value;
    return sum;
  };
  EXPECT_NEAR(total("xmax"), 3.0, 1e-13);
  EXPECT_NEAR(total("ymax"), 3.0, 1e-13);
  const auto bytes = plan.report().bytes;
  Kokkos::deep_copy(u, 2.0);
  EXPECT_NEAR(total("xmax"), 48.0, 1e-12);
  typename decltype(mesh)::Coordinates x("Tessera::Test::x", mesh.coordinates().extent(0));
  Kokkos::deep_copy(x, mesh.coordinates());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < host.extent(0); ++n) host(n, 1) *= 2;
  Kokkos::deep_copy(x, host);
  mesh.move(x);
  EXPECT_NEAR(total("xmax"), 96.0, 1e-12);
  EXPECT_EQ(plan.report().bytes, bytes);
}

/// A capacity inside.
struct Storage {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u(0) * p.u_t();
  }
};

TEST(SideTerm, StandsBesideARate) {
  const Problem<Quad<1>> problem;
  const Problem<Quad<1>>::Space space(problem.mesh, 2);
  const auto known = test::to_device<ExecutionSpace>(problem.waves(2 * problem.mesh.num_nodes(), 5));
  const auto storage = weak_form(Storage{});
  const auto on_sides = [&](const auto& form) {
    return form.on_sides(problem.sides, OnSide<false>{}, 0.5, 1.5, Wave{});
  };
  const Values u = problem.state(),
               r = problem.residual(space, on_sides(storage).with_rate_from(known, 3.0), u);
  EXPECT_EQ(r, problem.residual(space, on_sides(storage.with_rate_from(known, 3.0)), u));
  const Values inside = problem.residual(space, storage.with_rate_from(known, 3.0), u),
               sides = problem.residual(space, on_sides(weak_form(Nothing<2>{})), u);
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], inside[i] + sides[i], 1e-13) << i;
}

TEST(SideTerm, RefusesWhatItCannotMean) {
  using Element = Quad<1>;
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      r("Tessera::Test::r", u.extent(0));
  auto plan = residual::RecomputingResidual{}.plan(space);
  const LinearSystem<double, ExecutionSpace> system(space);
  auto assembly = assembly::ElementAtomic{}.plan(space, system.graph());
  const auto sides_of = [](const std::vector<std::pair<Ordinal, Ordinal>>& list) {
    const Mesh<Element, ExecutionSpace>::SideSet sides("Tessera::Test::sides", list.size());
    const auto host = Kokkos::create_mirror_view(sides);
    for (std::size_t s = 0; s < list.size(); ++s) {
      host(s, 0) = list[s].first;
      host(s, 1) = list[s].second;
    }
    Kokkos::deep_copy(sides, host);
    return sides;
  };
  const auto on = [&](const auto& sides, const auto& field) {
    return weak_form(Laplace{}).on_sides(sides, Radiation{}, field);
  };
  const auto refused = [&](const auto& form, const std::string& why) {
    expect_throw_with<ArgumentError>([&] { plan.integrate(form, u, r); }, why);
    expect_throw_with<ArgumentError>([&] { assembly.assemble(jacobian(form, mesh, u), system); }, why);
  };
  refused(on(sides_of({{0, 0}, {6, 1}}), 1.0), "on_sides: side set: entry 1 names an element that does not");
  refused(on(sides_of({{0, 4}}), 1.0), "on_sides: side set: entry 0 names a side that does not exist");
  refused(on(sides_of({{0, 1}, {5, 0}, {1, 3}}), 1.0),
          "on_sides: sides 0 and 2 of the set are the same face");
  const Kokkos::View<double*, ExecutionSpace> few("Tessera::Test::few", 2);
  refused(on(mesh.side_set("xmax"), NodalField<1, ExecutionSpace>{few}),
          "WeakForm::on_sides: auxiliary field 0 has 2 values, the nodes of this mesh have 12");
  const auto known = on(mesh.side_set("xmax"), 1.0), other = on(mesh.side_set("ymax"), 1.0);
  plan.integrate(known, u, r);
  EXPECT_NO_THROW(plan.enqueue(known, u, r));
  expect_throw_with<ArgumentError>([&] { plan.enqueue(other, u, r); }, "the plan is not prepared");
  assembly.assemble(jacobian(known, mesh, u), system);
  expect_throw_with<ArgumentError>([&] { assembly.enqueue(jacobian(other, mesh, u), system); },
                                   "the plan is not prepared");
  // Elements 2 and 5 have sides there.
  const auto nothing = weak_form(Nothing<>{}).on_sides(mesh.side_set("xmax"), Film{}, Wave{});
  const auto infinite = weak_form(Nothing<>{}).on_sides(mesh.side_set("xmax"), Film{}, Infinite{});
  Kokkos::deep_copy(u, 1.0);
  plan.integrate(nothing, u, r);
  expect_throw_with<FormError>([&] { plan.integrate(infinite, u, r); },
                               "element 2 has a residual that is not finite");
  expect_throw_with<FormError>([&] { assembly.assemble(jacobian(infinite, mesh, u), system); }, "element 2 ");
}

} // namespace strategies_residual_side_terms

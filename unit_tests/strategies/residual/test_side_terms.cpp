// SPDX-License-Identifier: BSD-3-Clause
// Functions on sides in every strategy: residuals against sums on the host, Jacobians against differences.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/side_terms.hpp"
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace strategies_residual_side_terms {

using namespace tessera;
using namespace tessera::test::sides;

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

} // namespace strategies_residual_side_terms

// SPDX-License-Identifier: BSD-3-Clause
// Flow by Taylor and Hood's pair: the orders that theory gives, a solution in the space, and the driven
// cavity of U. Ghia, K. N. Ghia, C. T. Shin ("High-Re solutions for incompressible flow using the
// Navier-Stokes equations and a multigrid method", J. Comput. Phys. 48, 1982, table I).

#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "solvers/fields/two_fields.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace solvers_flow {

using namespace tessera;
using namespace tessera::solvers;
using test::errors_by_field;
using test::for_each_node;
using test::SolveDirectly;
constexpr int d = 2, c = d + 1;
using State = std::array<double, c>;
using Place = Vector<double, d>;

template <class ExecutionSpace>
class Flow : public ::testing::Test {
public:
  using Space = FunctionSpace<Tri<2>, ExecutionSpace>;

  /// The unit square by n x n x 2 triangles.
  static Space square(int n) { return test::two_fields<Tri, ExecutionSpace>(n); }
  /// Velocities of a state on the sides, its pressure at the origin.
  template <class Exact>
  static void prescribe(Space& space, const Exact& exact) {
    for_each_node(space, [&](Ordinal node, const Place& x) {
      const State state = exact(x);
      if (test::on_boundary(x))
        for (int a = 0; a < d; ++a) space.constrain(node, a, state[a]);
      if (x(0) + x(1) == 0) space.constrain(node, d, state[d]);
    });
  }
};
TYPED_TEST_SUITE(Flow, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// A stream function (x(1-x)y(1-y))^2 and a smooth pressure, whose force goes into f0.
struct Vortex {
  static constexpr int components = c, linear_components = 1;
  template <class Element>
  static constexpr int degree = 8;
  double density;

  static State exact(const Place& p) {
    const double x = p(0), y = p(1);
    const double a = x * x * (1 - x) * (1 - x), b = y * y * (1 - y) * (1 - y);
    const double da = 2 * x * (1 - x) * (1 - 2 * x), db = 2 * y * (1 - y) * (1 - 2 * y);
    return {a * db, -da * b, std::sin(2 * x) * y};
  }
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    const auto x = p.position(0), y = p.position(1);
    const auto a = x * x * (1.0 - x) * (1.0 - x), b = y * y * (1.0 - y) * (1.0 - y);
    const auto da = 2.0 * x * (1.0 - x) * (1.0 - 2.0 * x), db = 2.0 * y * (1.0 - y) * (1.0 - 2.0 * y);
    const auto d2a = 2.0 - 12.0 * x + 12.0 * x * x, d2b = 2.0 - 12.0 * y + 12.0 * y * y;
    const auto d3a = -12.0 + 24.0 * x, d3b = -12.0 + 24.0 * y;
    auto f = NavierStokes<d>{.density = density}.f0(p);
    f(0) += Number(d2a * db + a * d3b - 2.0 * tessera::cos(2.0 * x) * y);
    f(1) -= Number(d3a * b + da * d2b + tessera::sin(2.0 * x));
    // density (u . grad) u of the exact velocities a db and -da b
    f(0) -= Number(density * (a * db * da * db - da * b * a * d2b));
    f(1) -= Number(density * (da * b * da * db - a * db * d2a * b));
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return NavierStokes<d>{}.f1(p);
  }
};

/// \returns Newton's steps on the finer mesh
template <class ExecutionSpace>
int expect_orders(const Vortex& vortex) {
  using Fixture = Flow<ExecutionSpace>;
  std::array<double, 2> last{};
  int steps = 0;
  for (const int n : {4, 8}) {
    auto space = Fixture::square(n);
    Fixture::prescribe(space, Vortex::exact);
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", space.num_dofs());
    const NewtonResult result = Newton(ExecutionSpace(), space).solve(vortex, u, SolveDirectly());
    EXPECT_TRUE(result.converged());
    steps = result.iterations();
    const auto errors = errors_by_field(space, u, Vortex::exact);
    if (n > 4) {
      EXPECT_GE(std::log2(last[0] / errors[0]), 2.8) << "velocity " << last[0] << " to " << errors[0];
      EXPECT_GE(std::log2(last[1] / errors[1]), 1.8) << "pressure " << last[1] << " to " << errors[1];
    }
    last = errors;
  }
  return steps;
}

TYPED_TEST(Flow, HasTheOrdersOfTaylorAndHood) {
  EXPECT_LE(expect_orders<TypeParam>({.density = 0}), 2); // linear
}
TYPED_TEST(Flow, WithInertiaHasTheOrdersOfTaylorAndHoodByNewton) {
  const int steps = expect_orders<TypeParam>({.density = 2000}); // a Reynolds number of some 30
  EXPECT_GE(steps, 3);
  EXPECT_LE(steps, 8);
}

/// Plane flow between plates, whose parabola and linear pressure are in the space.
TYPED_TEST(Flow, BetweenPlatesIsExact) {
  auto space = this->square(3);
  const double viscosity = 0.5;
  const auto exact = [&](const Place& x) { return State{x(1) * (1 - x(1)), 0, -2 * viscosity * x(0)}; };
  this->prescribe(space, exact);
  const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", space.num_dofs());
  const NavierStokes<d> flow{.viscosity = viscosity, .density = 2};
  const NewtonResult result = Newton(TypeParam(), space).solve(flow, u, SolveDirectly());
  EXPECT_TRUE(result.converged());
  const auto errors = errors_by_field(space, u, exact);
  EXPECT_LE(errors[0], 1e-9);
  EXPECT_LE(errors[1], 1e-9);
}

TYPED_TEST(Flow, InADrivenCavityIsGhiasTable) {
  auto space = this->square(32);
  // The lid's ends are at rest.
  this->prescribe(space,
                  [](const Place& x) { return State{x(1) == 1 && x(0) > 0 && x(0) < 1 ? 1.0 : 0.0, 0, 0}; });
  const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", space.num_dofs());
  // Of the speed along the vertical centre line, at heights that are nodes.
  const std::map<int, std::map<double, double>> tables = {
      {100, {{0.0625, -0.04192}, {0.28125, -0.15662}, {0.5, -0.20581}, {0.96875, 0.78871}}},
      {400, {{0.0625, -0.09266}, {0.28125, -0.32726}, {0.5, -0.11477}, {0.96875, 0.68439}}},
      {1000, {{0.0625, -0.20196}, {0.28125, -0.27805}, {0.5, -0.06080}, {0.96875, 0.57492}}}};
  Newton newton(TypeParam(), space, {.relative_tolerance = 1e-2}); // the table's own digits are fewer
  for (const auto& [reynolds, table] : tables) {                   // each from the one before
    const NavierStokes<d> flow{.viscosity = 1.0 / reynolds};
    EXPECT_TRUE(newton.solve(flow, u, SolveDirectly()).converged());
    const auto found = test::to_host(u);
    int compared = 0;
    for_each_node(space, [&](Ordinal node, const Place& x) {
      if (x(0) != 0.5 || table.count(x(1)) == 0) return;
      EXPECT_NEAR(found[node * c], table.at(x(1)), 0.012)
          << "Reynolds number " << reynolds << ", height " << x(1);
      ++compared;
    });
    EXPECT_EQ(compared, 4);
  }
}

} // namespace solvers_flow

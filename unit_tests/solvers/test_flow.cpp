// SPDX-License-Identifier: BSD-3-Clause
// Flow by Taylor and Hood's pair: the orders that theory gives, a solution in the space, and the driven
// cavity of U. Ghia, K. N. Ghia, C. T. Shin ("High-Re solutions for incompressible flow using the
// Navier-Stokes equations and a multigrid method", J. Comput. Phys. 48, 1982, table I).

#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/direct_solver.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace solvers_flow {

using namespace tessera;
using namespace tessera::solvers;
constexpr int d = 2, c = d + 1;
using State = std::array<double, c>;

/// Saddle points have zeros on the diagonal.
struct SolveDirectly {
  template <class ExecutionSpace, class System, class Vector>
  CgResult operator()(const ExecutionSpace& exec, const System& system, const Vector& x) const {
    const CrsOperator<double, ExecutionSpace> matrix(exec, system.graph().row_map, system.graph().columns,
                                                     system.values());
    return gmres(exec, matrix, DirectSolver<ExecutionSpace>(exec, system), system.rhs(), x,
                 {.relative_tolerance = 1e-12});
  }
};

template <class ExecutionSpace>
class Flow : public ::testing::Test {
public:
  using Space = FunctionSpace<Tri<2>, ExecutionSpace>;

  /// The unit square by n x n x 2 triangles.
  static Space square(int n) {
    return {elevated<Tri<2>>(io::box_mesh<Tri<1>, ExecutionSpace>({{n, n}, {1.0, 1.0}})),
            {.components = c, .linear_components = 1}};
  }
  template <class Visit>
  static void for_each_node(const Space& space, const Visit& visit) {
    const auto x = test::on_host(space.mesh().coordinates());
    for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node) visit(node, x(node, 0), x(node, 1));
  }
  static bool on_sides(double x, double y) { return std::min({x, y, 1 - x, 1 - y}) < 1e-12; }
  /// Velocities of a state on the sides, its pressure at the origin.
  template <class Exact>
  static void prescribe(Space& space, const Exact& exact) {
    for_each_node(space, [&](Ordinal node, double x, double y) {
      const State state = exact(x, y);
      if (on_sides(x, y))
        for (int a = 0; a < d; ++a) space.constrain(node, a, state[a]);
      if (x + y == 0) space.constrain(node, d, state[d]);
    });
  }
  /// Root mean squares at the nodes of the differences in velocity and pressure.
  template <class Exact>
  static std::array<double, 2> errors(const Space& space, const std::vector<double>& u, const Exact& exact) {
    std::array<double, 2> sums{};
    for_each_node(space, [&](Ordinal node, double x, double y) {
      const State state = exact(x, y);
      for (int a = 0; a < c; ++a) {
        const double difference = u[node * c + a] - state[a];
        sums[a / d] += difference * difference;
      }
    });
    for (double& sum : sums) sum = std::sqrt(sum / space.mesh().num_nodes());
    return sums;
  }
};
TYPED_TEST_SUITE(Flow, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// Stokes' equations for a stream function (x(1-x)y(1-y))^2 and a smooth pressure, the force of which goes
/// into f0.
struct Vortex {
  static constexpr int components = c, linear_components = 1;
  template <class Element>
  static constexpr int degree = 8;

  static State exact(double x, double y) {
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
    Vector<Number, c> f;
    f(0) = Number(d2a * db + a * d3b - 2.0 * tessera::cos(2.0 * x) * y);
    f(1) = Number(-1.0 * (d3a * b + da * d2b) - tessera::sin(2.0 * x));
    f(2) = -1.0 * p.grad_u(0, 0) - p.grad_u(1, 1);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return NavierStokes<d>{}.f1(p);
  }
};

TYPED_TEST(Flow, HasTheOrdersOfTaylorAndHood) {
  std::array<double, 2> last{};
  for (const int n : {4, 8}) {
    auto space = this->square(n);
    this->prescribe(space, Vortex::exact);
    const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", space.num_dofs());
    const NewtonResult result = Newton(TypeParam(), space).solve(Vortex{}, u, SolveDirectly());
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations(), 2); // linear
    const auto errors = this->errors(space, test::to_host(u), Vortex::exact);
    if (n > 4) {
      EXPECT_GE(std::log2(last[0] / errors[0]), 2.8) << "velocity " << last[0] << " to " << errors[0];
      EXPECT_GE(std::log2(last[1] / errors[1]), 1.8) << "pressure " << last[1] << " to " << errors[1];
    }
    last = errors;
  }
}

/// Plane flow between plates, whose parabola and linear pressure are in the space.
TYPED_TEST(Flow, BetweenPlatesIsExact) {
  auto space = this->square(3);
  const double viscosity = 0.5;
  const auto exact = [&](double x, double y) { return State{y * (1 - y), 0, -2 * viscosity * x}; };
  this->prescribe(space, exact);
  const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", space.num_dofs());
  const NavierStokes<d> flow{.viscosity = viscosity, .density = 2};
  const NewtonResult result = Newton(TypeParam(), space).solve(flow, u, SolveDirectly());
  EXPECT_TRUE(result.converged());
  const auto errors = this->errors(space, test::to_host(u), exact);
  EXPECT_LE(errors[0], 1e-9);
  EXPECT_LE(errors[1], 1e-9);
}

TYPED_TEST(Flow, InADrivenCavityIsGhiasTable) {
  auto space = this->square(16);
  // The lid's ends are at rest.
  this->prescribe(space,
                  [](double x, double y) { return State{y == 1 && x > 0 && x < 1 ? 1.0 : 0.0, 0, 0}; });
  const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", space.num_dofs());
  // Of the speed along the vertical centre line, at heights that are nodes.
  const std::map<int, std::map<double, double>> tables = {
      {100, {{0.0625, -0.04192}, {0.28125, -0.15662}, {0.5, -0.20581}, {0.96875, 0.78871}}},
      {400, {{0.0625, -0.09266}, {0.28125, -0.32726}, {0.5, -0.11477}, {0.96875, 0.68439}}}};
  Newton newton(TypeParam(), space);
  for (const auto& [reynolds, table] : tables) { // each from the one before
    const NavierStokes<d> flow{.viscosity = 1.0 / reynolds};
    EXPECT_TRUE(newton.solve(flow, u, SolveDirectly()).converged());
    const auto found = test::to_host(u);
    int compared = 0;
    this->for_each_node(space, [&](Ordinal node, double x, double y) {
      if (x != 0.5 || table.count(y) == 0) return;
      EXPECT_NEAR(found[node * c], table.at(y), 0.012) << "Reynolds number " << reynolds << ", height " << y;
      ++compared;
    });
    EXPECT_EQ(compared, 4);
  }
}

} // namespace solvers_flow

// SPDX-License-Identifier: BSD-3-Clause
// Contact by penalty, pressures that follow the surface and a free surface, against what equilibrium says.

#include <tessera/core/forms/solids.hpp>
#include <tessera/core/space/reactions.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "support/side_terms.hpp"
#include <algorithm>
#include <cmath>

namespace strategies_residual_side_mechanics {

using namespace tessera;
using namespace tessera::test::sides;
using View = Kokkos::View<double*, ExecutionSpace>;

/// On the deformed surface: -pressure times its normal and area, which are those of the cofactors of F = I +
/// grad u (Nanson's formula).
struct FollowerPressure {
  static constexpr int components = 3;
  double pressure;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto adjugated = adjugate(identity(p.grad_u) + p.grad_u);
    auto f = p.u;
    for (int a = 0; a < 3; ++a) {
      f(a) = pressure * p.normal(0) * adjugated(0, a);
      for (int b = 1; b < 3; ++b) f(a) += pressure * p.normal(b) * adjugated(b, a);
    }
    return f;
  }
};

/// Under the same pressure all round every body has u = (stretch - 1) x: shear (stretch - 1 / stretch) + 3
/// lame log(stretch) / stretch = -pressure stretch^2.
TEST(FollowerPressure, AllRoundShrinksABodyInShape) {
  using Element = Hex<1>;
  const NeoHookean<3> rubber{.shear = 2, .lame = 3};
  const double pressure = 1.5;
  double stretch = 0.5, upper = 1;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (stretch + upper) / 2;
    const double sum = rubber.shear * (middle - 1 / middle) + 3 * rubber.lame * std::log(middle) / middle +
                       pressure * middle * middle;
    (sum < 0 ? stretch : upper) = middle;
  }
  const auto mesh = test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  FunctionSpace<Element, ExecutionSpace> space(mesh, 3);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (const Ordinal held : {0, 1, 2}) // three nodes that are in no line
    for (int a = 0; a < 3; ++a) space.constrain(held, a, (stretch - 1) * x(held, a));
  const auto form = weak_form(rubber).on_sides(boundary_sides(mesh), FollowerPressure{pressure});
  const View u("Tessera::Test::u", to_size(space.num_dofs()));
  ASSERT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form, u).converged());
  const auto found = test::to_host(u);
  EXPECT_LT(stretch, 0.95);
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
    for (int a = 0; a < 3; ++a)
      ASSERT_NEAR(found[to_size(3 * node + a)], (stretch - 1) * x(node, a), 1e-9) << "node " << node;
}

TEST(FollowerPressure, HasNoForceAllRoundAndTheDerivativeOfItsResidual) {
  const Problem<Tet<2>> problem;
  const Problem<Tet<2>>::Space space(problem.mesh, 3);
  Values u = problem.waves(3 * problem.mesh.num_nodes(), 1);
  for (double& value : u) value *= 0.03;
  const auto form = weak_form(Nothing<3>{}).on_sides(problem.sides, FollowerPressure{1.5});
  const Values r = problem.residual(space, form, u);
  for (std::size_t a = 0; a < 3; ++a) {
    double sum = 0, size = 0;
    for (std::size_t i = a; i < r.size(); i += 3) sum += r[i], size += std::abs(r[i]);
    EXPECT_GT(size, 1);
    EXPECT_NEAR(sum, 0, 1e-4 * size); // the rule is not exact for the cofactors of bent sides
  }
  EXPECT_LE(check_jacobian(form, space, test::to_device<ExecutionSpace>(u)), 1e-7);
}

/// Young's modulus 1 and no contraction.
struct Cork {
  static constexpr int components = 2;
  static constexpr bool symmetric = true;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) f(a, b) = 0.5 * (p.grad_u(a, b) + p.grad_u(b, a));
    return f;
  }
};

/// A rigid obstacle at the distance a<0>() along x pushes back what enters it.
struct Contact {
  static constexpr int components = 2;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 4 * Element::order;
  double penalty;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    Vector<Number, 2> f;
    f(0) = penalty * tessera::max(p.u(0) - Number(p.template a<0>()), Number(0.0));
    f(1) = Number(0.0);
    return f;
  }
};

/// A square whose left side is moved to the right.
struct Pushed {
  using Element = Quad<2>;
  Mesh<Element, ExecutionSpace> mesh = io::box_mesh<Element, ExecutionSpace>({{4, 8}});
  FunctionSpace<Element, ExecutionSpace> space{mesh, 2};
  View u{"Tessera::Test::u", to_size(space.num_dofs())};

  template <class Gap>
  auto form(double penalty, const Gap& gap) const {
    return weak_form(Cork{}).on_sides(mesh.side_set("xmax"), Contact{penalty}, gap);
  }
  template <class Gap>
  void push(double way, double penalty, const Gap& gap) {
    space.constrain(mesh.node_set("xmin"), {way, 0.0});
    const auto result = solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form(penalty, gap), u);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations(), 12);
  }
};

TEST(Contact, WithAWallIsThatOfTwoSprings) {
  const double gap = 0.1, penalty = 50;
  for (const double way : {0.05, 0.3}) {
    Pushed block;
    block.push(way, penalty, gap);
    const double end = way < gap ? way : (way + penalty * gap) / (1 + penalty);
    const auto found = test::to_host(block.u);
    for (const Ordinal node : test::to_host(block.mesh.node_set("xmax")))
      EXPECT_NEAR(found[to_size(2 * node)], end, 1e-10) << way;
  }
}

struct Bulge {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return 0.02 + 0.4 * (x(1) - 0.5) * (x(1) - 0.5);
  }
};

/// What the obstacle takes is what the left side gives, and a hundredfold penalty leaves a fraction of the
/// depth.
TEST(Contact, WithABulgeIsInItsMiddleAlone) {
  double depths[2];
  for (const int i : {0, 1}) {
    const double penalty = i == 0 ? 30 : 3000;
    Pushed block;
    block.push(0.05, penalty, Bulge{});
    const auto& mesh = block.mesh;
    const auto found = test::to_host(block.u);
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    double deepest = 0;
    int touching = 0, apart = 0;
    for (const Ordinal node : test::to_host(mesh.node_set("xmax"))) {
      const double depth = found[to_size(2 * node)] - (0.02 + 0.4 * std::pow(x(node, 1) - 0.5, 2));
      (depth > 0 ? touching : apart) += 1;
      EXPECT_LT(depth > 0 ? std::abs(x(node, 1) - 0.5) : 0.0, 0.3);
      deepest = std::max(deepest, depth);
    }
    EXPECT_GE(touching, 3);
    EXPECT_GE(apart, 6);
    depths[i] = deepest;

    const auto on_obstacle =
        weak_form(Nothing<2>{}).on_sides(mesh.side_set("xmax"), Contact{penalty}, Bulge{});
    const auto force = Problem<Pushed::Element>{}.residual({mesh, 2}, on_obstacle, found);
    const auto given = test::to_host(reactions(
        ExecutionSpace(), jacobian(block.form(penalty, Bulge{}), mesh, block.u), block.space, block.u));
    double taken = 0, sum = 0;
    for (std::size_t dof = 0; dof < force.size(); dof += 2) taken += force[dof], sum += given[dof];
    EXPECT_GT(taken, 1e-3);
    EXPECT_NEAR(sum, taken, 1e-9);
  }
  EXPECT_LT(depths[1], 0.1 * depths[0]);
}

/// A cork with a weight, for its area.
struct HeavyCork : Cork {
  double weight = 0;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    Vector<typename Point::number_type, 2> f;
    f(0) = 0.0;
    f(1) = weight;
    return f;
  }
};

/// The pressure of water below its free surface, which depends on where the side has gone.
struct Water {
  static constexpr int components = 2;
  static constexpr bool symmetric = true;
  double level, gravity;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    const Number depth = tessera::max(Number(level - p.position(1)) - p.u(1), Number(0.0));
    Vector<Number, 2> f;
    for (int a = 0; a < 2; ++a) f(a) = gravity * p.normal(a) * depth;
    return f;
  }
};

/// A square sinks until the water that it displaces has its weight (Archimedes), and its own weight
/// compresses it: u_y = level - weight / gravity - weight (y - y^2 / 2).
TEST(FreeSurface, BearsWhatFloatsByItsDraught) {
  using Element = Quad<2>;
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 4}});
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  FunctionSpace<Element, ExecutionSpace> space(mesh, 2);
  for (const Ordinal node : test::to_host(mesh.node_set("ymin"))) space.constrain(node, 0, 0.0);
  const double level = 0.4, weight = 0.1, gravity = 0.5;
  HeavyCork cork;
  cork.weight = weight;
  const auto form = weak_form(cork).on_sides(mesh.side_set("ymin"), Water{level, gravity});
  const View u("Tessera::Test::u", to_size(space.num_dofs()));
  ASSERT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form, u).converged());
  EXPECT_LE(check_jacobian(form, space, u), 1e-7);
  const auto found = test::to_host(u);
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node) {
    const double y = x(node, 1);
    EXPECT_NEAR(found[to_size(2 * node)], 0, 1e-10) << "node " << node;
    EXPECT_NEAR(found[to_size(2 * node + 1)], level - weight / gravity - weight * (y - y * y / 2), 1e-10)
        << "node " << node;
  }
}

} // namespace strategies_residual_side_mechanics

// SPDX-License-Identifier: BSD-3-Clause
// What Newton's method does at a solution, with slender bodies, indefinite Jacobians and linear solvers that
// fail.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <cmath>
#include <string>
#include <vector>

namespace solvers_newton_verdicts {

using namespace tessera;
using namespace tessera::solvers;
using namespace tessera::test;

template <class ExecutionSpace>
class NewtonVerdicts : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using Column = FunctionSpace<Hex<1>, ExecutionSpace>;

  /// A column of 1 x 1 x 20, its foot held.
  static Column column(int cells = 20) {
    Column space(io::box_mesh<Hex<1>, ExecutionSpace>({{1, 1, cells}, {1.0, 1.0, 1.0 * cells}}), 3);
    space.constrain(space.mesh().node_set("zmin"), {0.0, 0.0, 0.0});
    return space;
  }
};
TYPED_TEST_SUITE(NewtonVerdicts, ExecutionSpaceTypes, ExecutionSpaceName);

/// Steps in time at rest: each begins from the solution.
TYPED_TEST(NewtonVerdicts, ASolutionIsASuccess) {
  auto space = TestFixture::column();
  space.add_load(space.mesh().side_set("zmax"), std::vector<double>{1e-3, 0.0, 0.0});
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  const NeoHookean<3> rubber{.shear = 1, .lame = 2};
  Newton newton(space, {.relative_tolerance = 1e-9});
  ASSERT_TRUE(newton.solve(rubber, u).converged());
  for (int step = 0; step < 3; ++step) {
    const auto result = newton.solve(rubber, u);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.residual(), result.initial_residual);
  }
  // As exactly as can be: again from there, nothing is left to do.
  Newton exact(space, {.relative_tolerance = 0});
  const auto result = exact.solve(rubber, u);
  EXPECT_EQ(result.reason, NewtonStop::rounding);
  const auto before = to_host(u);
  EXPECT_EQ(exact.solve(rubber, u).reason, NewtonStop::rounding);
  const auto after = to_host(u);
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-12) << i;
  // In the units of the load a tolerance of its own.
  EXPECT_EQ(Newton(space, {.absolute_tolerance = 1e-6}).solve(rubber, u).reason,
            NewtonStop::absolute_tolerance);
}

/// Bending stretches a slender column in the first step: its residual rises a thousandfold before it falls.
TYPED_TEST(NewtonVerdicts, ABentColumnTakesFewSteps) {
  auto space = TestFixture::column();
  space.add_load(space.mesh().side_set("zmax"), std::vector<double>{5e-4, 0.0, 0.0});
  const NeoHookean<3> rubber{.shear = 1, .lame = 2};
  std::vector<std::vector<double>> solutions;
  for (const int halvings : {20, 0}) {
    const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
    const auto result = Newton(space, {.max_halvings = halvings}).solve(rubber, u);
    EXPECT_TRUE(result.converged()) << halvings;
    EXPECT_LE(result.iterations(), 10) << halvings;
    double largest = 0;
    for (const auto& iteration : result.history) {
      largest = std::max(largest, iteration.residual);
      if (halvings == 0) EXPECT_EQ(iteration.fraction, 1);
    }
    EXPECT_GT(largest, 10 * result.initial_residual) << halvings;
    solutions.push_back(to_host(u));
  }
  double tip = 0;
  for (std::size_t i = 0; i < solutions[0].size(); ++i) {
    ASSERT_NEAR(solutions[0][i], solutions[1][i], 1e-6) << i;
    tip = std::max(tip, std::abs(solutions[0][i]));
  }
  EXPECT_GT(tip, 2);
}

/// Shortened beyond its point of buckling, the straight column has an indefinite Jacobian.
TYPED_TEST(NewtonVerdicts, IndefiniteJacobiansGoOn) {
  auto space = TestFixture::column();
  const NeoHookean<3> rubber{.shear = 1, .lame = 2};
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  space.constrain(space.mesh().node_set("zmax"), 2, 0.0);
  space.add_point_load(space.mesh().num_nodes() - 1, 0, 1e-8); // not quite straight
  Newton newton(space);
  bool refused = false;
  const auto watched = [&](const TypeParam& exec, const auto& system, const auto& x) {
    try {
      return cg(exec, system, x, {.relative_tolerance = 1e-10});
    } catch (const SolverError&) {
      refused = true;
      return KrylovWithJacobi<true>()(exec, system, x);
    }
  };
  for (const double shortening : {0.02, 0.2}) {
    space.constrain(space.mesh().node_set("zmax"), 2, -shortening);
    const auto result = newton.solve(rubber, u, watched);
    EXPECT_TRUE(result.converged()) << shortening;
    EXPECT_LE(result.iterations(), 8) << shortening; // what rounding leaves is not chased
  }
  EXPECT_TRUE(refused);
}

/// What conducts the better the warmer it is.
struct Conduction {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    return -5.0;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

/// The same without a source: at rest when it is cold.
struct Warming {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return 0.0 * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

TYPED_TEST(NewtonVerdicts, AStepThatSolvesNothingIsNone) {
  const auto mesh = io::box_mesh<Quad<1>, TypeParam>({{8, 8, 1}, {1.0, 1.0, 1.0}});
  FunctionSpace<Quad<1>, TypeParam> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("xmax"), {0.0});
  for (const double first : {0.0, 1.0})
    for (const double share : {0.0, 1e-17, 4e-16}) {
      const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
      Kokkos::deep_copy(u, first);
      for (const double step_tolerance : {0.0, 1e-8}) {
        Newton newton(space, {.step_tolerance = step_tolerance});
        const auto leaves_it = [&](const TypeParam&, const auto&, const auto& x) {
          Kokkos::deep_copy(x, share);
        };
        expect_throw_with<SolverError>([&] { newton.solve(Conduction{}, u, leaves_it); },
                                       "Newton: iteration ");
        for (const double value : to_host(u)) ASSERT_EQ(value, first);
      }
    }
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  expect_throw_with<SolverError>(
      [&] { Newton(space).solve(Conduction{}, u, [](const TypeParam&, const auto&, const auto&) {}); },
      "the linear solver has not solved: its step is as good as none, and leaves a residual of 1.0e+00, "
      "relative to |b|");
}

TYPED_TEST(NewtonVerdicts, TheSolutionZeroIsASuccess) {
  const auto mesh = io::box_mesh<Quad<1>, TypeParam>({{8, 8, 1}, {1.0, 1.0, 1.0}});
  FunctionSpace<Quad<1>, TypeParam> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  for (const double first : {1.0, 1e-3, -0.25}) {
    Kokkos::deep_copy(u, first);
    const auto result = Newton(space, {.relative_tolerance = 0}).solve(Warming{}, u);
    EXPECT_EQ(result.reason, NewtonStop::rounding) << first;
    for (const double value : to_host(u)) ASSERT_NEAR(value, 0, 1e-100) << first;
  }
}

/// Nested calls would share the matrix.
TYPED_TEST(NewtonVerdicts, ASolveWithinItsOwnLinearSolverIsRefused) {
  auto space = TestFixture::column(4);
  space.add_load(space.mesh().side_set("zmax"), std::vector<double>{1e-5, 0.0, 0.0});
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs()), inner(u.label(), u.extent(0));
  const NeoHookean<3> rubber{.shear = 1, .lame = 2};
  Newton newton(space);
  auto copy = newton;
  const auto own = [&](const TypeParam& exec, const auto& system, const auto& x) {
    copy.solve(rubber, inner);
    return cg(exec, system, x, {.relative_tolerance = 1e-10});
  };
  expect_throw_with<ArgumentError>(
      [&] { newton.solve(rubber, u, own); },
      "Newton: the plan is in use by another thread, with which it shares its memory, "
      "or by the call that this one is made in");
  Newton another(space);
  const auto other = [&](const TypeParam& exec, const auto& system, const auto& x) {
    Kokkos::deep_copy(inner, 0.0);
    EXPECT_TRUE(another.solve(rubber, inner).converged());
    return cg(exec, system, x, {.relative_tolerance = 1e-10});
  };
  EXPECT_TRUE(newton.solve(rubber, u, other).converged()); // and after the refusal
}

TYPED_TEST(NewtonVerdicts, FailuresOfTheLinearSolverNameTheIteration) {
  auto space = TestFixture::column();
  space.add_load(space.mesh().side_set("zmax"), std::vector<double>{1e-3, 0.0, 0.0});
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  const NeoHookean<3> rubber{.shear = 1, .lame = 2};
  int calls = 0;
  const auto fails_later = [&](const TypeParam& exec, const auto& system, const auto& x) {
    if (++calls == 3) throw SolverError("out of luck");
    return cg(exec, system, x, {.relative_tolerance = 1e-10});
  };
  expect_throw_with<SolverError>([&] { Newton(space, {.max_halvings = 0}).solve(rubber, u, fails_later); },
                                 "Newton: iteration 3: the linear solver failed: out of luck");
  const KrylovWithJacobi<true> hasty{.options = {.max_iterations = 2}};
  expect_throw_with<SolverError>(
      [&] { Newton(space).solve(rubber, u, hasty); },
      "Newton: iteration 1: the linear solver failed: 2 iterations leave a residual of ");
}

} // namespace solvers_newton_verdicts

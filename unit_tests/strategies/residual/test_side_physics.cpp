// SPDX-License-Identifier: BSD-3-Clause
// Functions on sides against what is known of their solutions: Robin sides written as functions, radiation,
// orders of convergence, rates inside.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/space/reactions.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/side_terms.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace strategies_residual_side_physics {

using namespace tessera;
using namespace tessera::test::sides;

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

/// Entry by entry the residual without constraints.
template <class Element>
void expect_reactions() {
  const Problem<Element> problem;
  typename Problem<Element>::Space whole(problem.mesh, 2), space(problem.mesh, 2);
  test::constrain(space);
  space.clear_loads();
  const auto form = problem.template form<true>();
  const auto u = test::to_device<ExecutionSpace>(problem.state());
  auto expected = problem.residual(whole, form, problem.state());
  const auto mask = test::to_host(space.equations().mask);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (((mask[i / 2] >> (i % 2)) & 1) == 0) expected[i] = 0;
  expect_near(test::to_host(reactions(ExecutionSpace(), jacobian(form, problem.mesh, u), space, u)), expected,
              1e-13);
}

TEST(SideTerm, HasItsPartInReactions) {
  expect_reactions<Tet<1>>();
  expect_reactions<Quad<2>>();
}

TEST(SideTerm, ReactionsBalanceWhatLeavesThroughSides) {
  const auto mesh = test::distorted_box<Tet<1>, ExecutionSpace>({{3, 3, 2}, {1, 1, 1}});
  FunctionSpace<Tet<1>, ExecutionSpace> space(mesh, 1);
  for (Ordinal node = 0; node < mesh.num_nodes(); node += 7) space.constrain(node, 0, 2.0);
  const auto form = weak_form(Laplace{}).on_sides(boundary_sides(mesh), Radiation{0.5}, 0.75);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  Kokkos::deep_copy(u, 2.0);
  ASSERT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form, u).converged());
  const Problem<Tet<1>> problem;
  double flows_in = 0, leaves = 0;
  for (const double r : test::to_host(reactions(ExecutionSpace(), jacobian(form, mesh, u), space, u)))
    flows_in += r;
  const auto sides = weak_form(Nothing<>{}).on_sides(boundary_sides(mesh), Radiation{0.5}, 0.75);
  for (const double r : problem.residual({mesh, 1}, sides, test::to_host(u))) leaves += r;
  EXPECT_GT(leaves, 1);
  EXPECT_NEAR(flows_in, leaves, 1e-9 * leaves);
}

TEST(SideTerm, ReactionsNameASideWithoutIntegral) {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2}});
  FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {1.0});
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  const auto infinite = weak_form(Laplace{}).on_sides(mesh.side_set("xmax"),
                                                      Film{std::numeric_limits<double>::infinity()}, 1.0);
  test::expect_throw_with<FormError>(
      [&] { reactions(ExecutionSpace(), jacobian(infinite, mesh, u), space, u); }, "reactions: element 2 ");
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

/// Of the solution at the nodes, root mean square.
template <class Space, class Form>
double error_of(const Space& space, const Form& form) {
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  Kokkos::deep_copy(u, 1.0);
  EXPECT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-11}).solve(form, u).converged());
  const auto found = test::to_host(u);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates());
  double sum = 0;
  for (std::size_t n = 0; n < found.size(); ++n)
    sum += std::pow(found[n] - Manufactured::u(x(n, 0), x(n, 1)), 2);
  return std::sqrt(sum / static_cast<double>(found.size()));
}

template <class Element>
double error_on(int cells) {
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{cells, cells}});
  FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  for (const char* set : {"xmin", "ymin", "ymax"})
    space.prescribe(mesh.node_set(set), [](const auto& x) { return Manufactured::u(x(0), x(1)); });
  return error_of(space,
                  weak_form(Conducts{}, Source{}).on_sides(mesh.side_set("xmax"), Balance{}, Leaves{}));
}

TEST(SideTerm, ConvergesWithTheElementsOrder) {
  EXPECT_GT(std::log2(error_on<Tri<1>>(8) / error_on<Tri<1>>(16)), 1.8);
  EXPECT_GT(std::log2(error_on<Tri<2>>(4) / error_on<Tri<2>>(8)), 2.8);
}

struct Prescribed {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return Manufactured::u(x(0), x(1));
  }
};
/// u = a<0>() on a boundary without constraints (J. Nitsche, "Über ein Variationsprinzip zur Lösung von
/// Dirichlet-Problemen", Abh. Math. Sem. Univ. Hamburg 36, 1971).
struct Nitsche {
  double penalty; ///< over the elements' size
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = penalty * (p.u - p.template a<0>());
    for (int d = 0; d < Point::dimension; ++d) f = f - p.grad_u(d) * p.normal(d);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) f(d) = (p.template a<0>() - p.u) * p.normal(d);
    return f;
  }
};

template <class Element>
double nitsche_error(int cells) {
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{cells, cells}});
  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  return error_of(space, weak_form(Conducts{}, Source{})
                             .on_sides(boundary_sides(mesh), Nitsche{.penalty = 20.0 * cells}, Prescribed{}));
}

TEST(SideTerm, NitschesMethodHasTheElementsOrderToo) {
  EXPECT_GT(std::log2(nitsche_error<Tri<1>>(8) / nitsche_error<Tri<1>>(16)), 1.8);
  EXPECT_GT(std::log2(nitsche_error<Tri<2>>(4) / nitsche_error<Tri<2>>(8)), 2.8);
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

/// A capacity on sides: that of `StoringFilm` with the rate as auxiliary field 0.
template <bool FromField>
struct StoringFilm {
  static constexpr int components = 2, linear_components = 1;
  template <class Element>
  static constexpr int degree = 2 * Element::order + 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto u_t = [&] {
      if constexpr (FromField)
        return p.template a<0>();
      else
        return p.u_t();
    }();
    const auto gradient = [&] {
      if constexpr (FromField)
        return p.template grad_a<0>();
      else
        return p.grad_u_t();
    }();
    auto f = p.u;
    for (int d = 0; d < Point::dimension; ++d) f(0) += gradient(1, d) * p.normal(d) * p.u(0);
    f(0) += u_t(1) * u_t(1);
    f(1) += (1.0 + p.u(1)) * u_t(0);
    return f;
  }
};
struct LinearNothing : Nothing<2> {
  static constexpr int linear_components = 1;
};

TEST(SideTerm, HasTheRateOfTheFormInEitherOrder) {
  const auto mesh = test::distorted_box<Tri<2>, ExecutionSpace>({{3, 2, 1}, {1, 1, 1}});
  const FunctionSpace<Tri<2>, ExecutionSpace> space(mesh, {.components = 2, .linear_components = 1});
  const Problem<Tri<2>> problem;
  constexpr double shift = 2.5;
  const auto sides = boundary_sides(mesh);
  const Values u = problem.waves(2 * mesh.num_nodes(), 1), rates = problem.waves(2 * mesh.num_nodes(), 4);
  const auto u_t = test::to_device<ExecutionSpace>(rates), at = test::to_device<ExecutionSpace>(u);
  space.linear().interpolate(ExecutionSpace(), u_t); // as a field its values at all nodes are read
  space.linear().interpolate(ExecutionSpace(), at);
  const Values filled = test::to_host(at), filled_rates = test::to_host(u_t);
  Values before = filled;
  for (std::size_t i = 0; i < before.size(); ++i) before[i] -= filled_rates[i] / shift;
  const auto known = test::to_device<ExecutionSpace>(before);

  const auto nothing = weak_form(LinearNothing{});
  const auto form = nothing.on_sides(sides, StoringFilm<false>{});
  const Values expected = problem.residual(
      space, nothing.on_sides(sides, StoringFilm<true>{}, NodalField<2, ExecutionSpace>{u_t}), filled);
  EXPECT_GT(largest(expected), 0.1);
  expect_near(problem.residual(space, form.with_rate(u_t, shift), filled), expected, 1e-13);
  expect_near(problem.residual(space, form.with_rate_from(known, shift), filled), expected, 1e-13);
  EXPECT_EQ(problem.residual(space, nothing.with_rate(u_t, shift).on_sides(sides, StoringFilm<false>{}), u),
            problem.residual(space, form.with_rate(u_t, shift), u));
  EXPECT_LE(check_jacobian(form.with_rate(u_t, shift), space, at), 1e-8);
  EXPECT_LE(check_jacobian(form.with_rate_from(known, shift), space, at), 1e-8);
}

/// A bar without a capacity of its own, with one at its end: c u_t + u_x = 0 there.
struct EndCapacity {
  double c;
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return c * p.u_t();
  }
};

TEST(SideTerm, NewtonStepsACapacityAtTheEndOfABar) {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2}});
  FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      before("Tessera::Test::before", u.extent(0));
  Kokkos::deep_copy(u, 1.0);
  const double dt = 0.25, c = 2;
  const auto form = weak_form(Laplace{}).on_sides(mesh.side_set("xmax"), EndCapacity{c});
  solvers::Newton newton(space, {.relative_tolerance = 1e-12});
  double end = 1;
  for (int step = 0; step < 3; ++step) {
    Kokkos::deep_copy(before, u);
    EXPECT_TRUE(newton.solve(form.with_rate_from(before, 1 / dt), u).converged());
    end /= 1 + dt / c;
    const auto found = test::to_host(u);
    for (const Ordinal node : test::to_host(mesh.node_set("xmax"))) EXPECT_NEAR(found[node], end, 1e-9);
  }
}

} // namespace strategies_residual_side_physics

// SPDX-License-Identifier: BSD-3-Clause
// Weak forms with a rate in time: every strategy reads it, and the Jacobian has shift times its derivative.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
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
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace strategies_residual_rates {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, ExecutionSpace>;
using test::expect_throw_with;

/// (1 + u^2) u_t + a u - div((1 + u) grad u + grad u_t) = 0, where u_t is the rate, or auxiliary field 1.
template <bool FromField>
struct Heat {
  static constexpr int components = 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto capacity = 1.0 + p.u * p.u;
    if constexpr (FromField)
      return capacity * p.template a<1>() + p.template a<0>() * p.u;
    else
      return capacity * p.u_t() + p.template a<0>() * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    const auto flux = (1.0 + p.u) * p.grad_u;
    if constexpr (FromField)
      return flux + p.template grad_a<1>();
    else
      return flux + p.grad_u_t();
  }
};

/// The same with its derivatives by hand.
struct HeatByHand : Heat<false> {
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df0(const Point& p, const Direction& w) const {
    return 2.0 * p.u * w.u * p.u_t() + (1.0 + p.u * p.u) * (p.shift() * w.u) + p.template a<0>() * w.u;
  }
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df1(const Point& p, const Direction& w) const {
    return (1.0 + p.u + p.shift()) * w.grad_u + w.u * p.grad_u;
  }
};

View random(std::size_t count, unsigned seed) {
  return test::to_device<ExecutionSpace>(test::random_vector<double>(count, seed));
}

/// a + factor * b.
View sum(const View& a, double factor, const View& b) {
  auto values = test::to_host(a);
  const auto others = test::to_host(b);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += factor * others[i];
  return test::to_device<ExecutionSpace>(values);
}

void expect_near(const View& found, const View& expected, double tolerance = 1e-13) {
  const auto a = test::to_host(found), b = test::to_host(expected);
  double scale = 0;
  for (const double x : b) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * scale) << i;
}

/// All strategies on one linear simplex and on one other element, a representative one elsewhere.
template <class Element>
class Rates : public ::testing::Test {
public:
  static constexpr bool of_all = std::is_same_v<Element, Tet<1>> || std::is_same_v<Element, Quad<2>>;
  using Residuals = std::conditional_t<of_all, ResidualCatalogue, std::tuple<residual::RecomputingResidual>>;
  using Assemblies =
      std::conditional_t<of_all,
                         std::tuple<assembly::ElementAtomic, assembly::RowOwner, assembly::WarpPerElement>,
                         std::tuple<assembly::ElementAtomic>>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;
  static constexpr double shift = 3.5;

  const Mesh<Element, ExecutionSpace> mesh =
      test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  const Space space{mesh, 1};
  const std::size_t dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), u_t = random(dofs, 2);

  template <class Form>
  View residual(const Form& form, const View& at) const {
    const View r("Tessera::Test::r", dofs);
    residual::RecomputingResidual{}.plan(space).integrate(form, at, r);
    return r;
  }
  template <class Form>
  System assembled(const Form& form) const {
    const System system(space);
    assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
    return system;
  }
};
using Elements = ::testing::Types<Quad<2>, Tet<1>, Wedge<1>>;
TYPED_TEST_SUITE(Rates, Elements);

TYPED_TEST(Rates, ResidualsAreThoseOfTheFieldOfRates) {
  const auto by_field = weak_form(Heat<true>{}, 0.7, NodalField<1, ExecutionSpace>{this->u_t});
  const auto by_rate = weak_form(Heat<false>{}, 0.7).with_rate(this->u_t, this->shift);
  // u_t = shift (u - known)
  const View known = sum(this->u, -1 / this->shift, this->u_t);
  const auto from_known = weak_form(Heat<false>{}, 0.7).with_rate_from(known, this->shift);
  const View expected = this->residual(by_field, this->u), r("Tessera::Test::r", this->dofs);
  for_each_strategy<typename TestFixture::Residuals>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    auto plan = variant.strategy.plan(this->space);
    plan.integrate(by_rate, this->u, r);
    expect_near(r, expected);
    plan.integrate(from_known, this->u, r);
    expect_near(r, expected);
  });
}

TYPED_TEST(Rates, JacobiansAreShiftTimesTheRatesAndTheUnknowns) {
  const View w = random(this->dofs, 3), kw("Tessera::Test::kw", this->dofs);
  const auto form = weak_form(Heat<false>{}, 0.7);
  const auto tangent = jacobian(form.with_rate(this->u_t, this->shift), this->mesh, this->u);
  const auto system = this->assembled(tangent);
  solvers::CrsOperator<double, ExecutionSpace>(ExecutionSpace(), system.graph().row_map,
                                               system.graph().columns, system.values())
      .apply(ExecutionSpace(), w, kw);
  constexpr double h = 1e-5;
  const auto moved = [&](double step) {
    return this->residual(form.with_rate(sum(this->u_t, step * this->shift, w), this->shift),
                          sum(this->u, step, w));
  };
  const View differences = sum(moved(h), -1, moved(-h));
  expect_near(kw, sum(differences, 1 / (2 * h) - 1, differences), 1e-8);

  const View known = sum(this->u, -1 / this->shift, this->u_t);
  expect_near(
      this->assembled(jacobian(form.with_rate_from(known, this->shift), this->mesh, this->u)).values(),
      system.values());
  expect_near(this->assembled(jacobian(weak_form(HeatByHand{}, 0.7).with_rate(this->u_t, this->shift),
                                       this->mesh, this->u))
                  .values(),
              system.values());
  for_each_strategy<typename TestFixture::Assemblies>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    const typename TestFixture::System other(system.graph());
    variant.strategy.plan(this->space, other.graph()).assemble(tangent, other);
    expect_near(other.values(), system.values());
    expect_near(other.rhs(), system.rhs());
  });
  const View product("Tessera::Test::product", this->dofs);
  matrix_free::RecomputingElementByElement{}
      .plan(this->space)
      .template prepare<double>(tangent)
      .apply(ExecutionSpace(), w, product);
  expect_near(product, kw);
}

/// The mass form: the Jacobian for shift 1 is the mass matrix.
struct Mass {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u_t();
  }
};

// And its rows' sums are the products with a vector of ones.
TYPED_TEST(Rates, TheShiftsPartIsTheMassMatrix) {
  const auto mass =
      this->assembled(jacobian(weak_form(Mass{}).with_rate(this->u_t, 1.0), this->mesh, this->u));
  const auto stiffness = this->assembled(Helmholtz<>{}), both = this->assembled(Helmholtz<>{.lambda = 1.0});
  expect_near(mass.values(), sum(both.values(), -1, stiffness.values()), 1e-12);
  const View ones("Tessera::Test::ones", this->dofs), lumped("Tessera::Test::lumped", this->dofs);
  Kokkos::deep_copy(ones, 1.0);
  solvers::CrsOperator<double, ExecutionSpace>(ExecutionSpace(), mass.graph().row_map, mass.graph().columns,
                                               mass.values())
      .apply(ExecutionSpace(), ones, lumped);
  expect_near(lumped, this->residual(weak_form(Mass{}).with_rate(ones, 0.0), ones));
}

TYPED_TEST(Rates, CheckJacobianMovesThemWithTheUnknown) {
  const auto form = weak_form(Heat<false>{}, 0.7);
  EXPECT_LT(check_jacobian(form.with_rate(this->u_t, this->shift), this->space, this->u), 1e-8);
  EXPECT_LT(check_jacobian(form.with_rate_from(this->u_t, this->shift), this->space, this->u), 1e-8);
  EXPECT_LT(
      check_jacobian(weak_form(HeatByHand{}, 0.7).with_rate(this->u_t, this->shift), this->space, this->u),
      1e-8);
}

TYPED_TEST(Rates, InSinglePrecision) {
  using Floats = Kokkos::View<float*, ExecutionSpace>;
  const Floats u("Tessera::Test::u", this->dofs), r("Tessera::Test::r", this->dofs);
  Kokkos::deep_copy(u, this->u);
  auto plan = residual::RecomputingResidual{}.plan(this->space);
  const auto form = weak_form(Heat<false>{}, 0.7).with_rate(this->u_t, this->shift);
  plan.integrate(form, Kokkos::View<const float*, ExecutionSpace>(u), r);
  const View found("Tessera::Test::found", this->dofs);
  Kokkos::deep_copy(found, r);
  expect_near(found, this->residual(form, this->u), 1e-5);
}

/// Flow with a pressure in linear functions, whose rates a model of compressibility needs.
struct Flow {
  static constexpr int components = 3, linear_components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u_t();
    f(0) = f(0) * (1.0 + p.u(2));
    f(2) = f(2) * (1.0 + p.u(2) * p.u(2)) + p.grad_u_t()(2, 0);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u + p.u(2) * p.grad_u_t();
  }
};

// What stands at nodes that are no corners is not looked at.
TEST(RatesOfLinearComponents, FollowFromTheCorners) {
  constexpr double shift = 2.5, h = 1e-5;
  const FunctionSpace<Tri<2>, ExecutionSpace> space(
      test::distorted_box<Tri<2>, ExecutionSpace>({{3, 2, 1}, {1, 1, 1}}),
      {.components = 3, .linear_components = 1});
  const std::size_t dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), u_t = random(dofs, 2), w = random(dofs, 3), other = random(dofs, 4);
  space.linear().interpolate(ExecutionSpace(), u);
  const View filled = sum(u_t, 0, u_t);
  space.linear().interpolate(ExecutionSpace(), filled);
  space.linear().interpolate(ExecutionSpace(), w);
  const auto form = weak_form(Flow{});
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto residual = [&](const auto& weak, const View& at) {
    const View r("Tessera::Test::r", dofs);
    plan.integrate(weak, at, r);
    return r;
  };
  expect_near(residual(form.with_rate(u_t, shift), u), residual(form.with_rate(filled, shift), u));
  EXPECT_LT(check_jacobian(form.with_rate(u_t, shift), space, u), 1e-8);
  EXPECT_LT(check_jacobian(form.with_rate_from(u_t, shift), space, u), 1e-8);

  const LinearSystem<double, ExecutionSpace> system(space);
  assembly::ElementAtomic{}
      .plan(space, system.graph())
      .assemble(jacobian(form.with_rate(u_t, shift), space.mesh(), u), system);
  const auto moved = [&](double step) {
    return residual(form.with_rate(sum(u_t, step * shift, w), shift), sum(u, step, w));
  };
  const auto ahead = test::to_host(moved(h)), behind = test::to_host(moved(-h)), full = test::to_host(w);
  std::vector<double> x, differences;
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node)
    for (int c = 0; c < 3; ++c)
      if (((space.linear().mask(node) >> c) & 1) == 0) {
        const std::size_t dof = to_size(node) * 3 + static_cast<std::size_t>(c);
        x.push_back(full[dof]);
        differences.push_back((ahead[dof] - behind[dof]) / (2 * h));
      }
  ASSERT_EQ(x.size(), to_size(system.num_rows()));
  const View product("Tessera::Test::product", x.size());
  solvers::CrsOperator<double, ExecutionSpace>(ExecutionSpace(), system.graph().row_map,
                                               system.graph().columns, system.values())
      .apply(ExecutionSpace(), test::to_device<ExecutionSpace>(x), product);
  expect_near(product, test::to_device<ExecutionSpace>(differences), 1e-8);
}

// One implicit step on a mixed mesh: the residual at what Newton finds is that of the field of its rates.
TEST(RatesOnMixedMeshes, AreThoseOfTheFieldOfRates) {
  constexpr double shift = 4;
  const auto mesh = test::MixedBox(1).mesh<ExecutionSpace>();
  MixedSpace space(mesh, 1);
  space.constrain(0, 0, 0.5);
  const std::size_t dofs = to_size(space.num_dofs());
  const View known = random(dofs, 1), u("Tessera::Test::u", dofs), r("Tessera::Test::r", dofs),
             expected("Tessera::Test::expected", dofs);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto form = weak_form(Heat<false>{}, 0.7).with_rate_from(known, shift);
  const View at = random(dofs, 2), u_t = sum(sum(at, shift - 1, at), -shift, known);
  plan.integrate(form, at, r);
  plan.integrate(weak_form(Heat<true>{}, 0.7, NodalField<1, ExecutionSpace>{u_t}), at, expected);
  expect_near(r, expected);
  solvers::Newton newton(space, {.relative_tolerance = 1e-10});
  const auto result = newton.solve(form, u);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations(), 8);
  plan.integrate(
      by_block([&](const auto&) { return weak_form(Heat<false>{}, 0.7).with_rate_from(known, shift); }), u,
      r);
  for (const double left : test::to_host(r)) EXPECT_LE(std::abs(left), 1e-9);
}

TEST(RatesAreRefused, OfAnotherLengthOrShift) {
  const FunctionSpace space(io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2, 1}}), 1);
  const View u("Tessera::Test::u", space.num_dofs()), r("Tessera::Test::r", space.num_dofs()),
      few("Tessera::Test::few", 11);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto form = weak_form(Heat<false>{}, 1.0);
  expect_throw_with<ArgumentError>([&] { plan.integrate(form.with_rate(few, 1.0), u, r); },
                                   "WeakForm: the rate u_t has 11 values, the nodes of this mesh have 12");
  expect_throw_with<ArgumentError>([&] { plan.integrate(form.with_rate_from(few, 1.0), u, r); },
                                   "WeakForm: what the rate u_t is measured from has 11 values");
  for (const double shift : {static_cast<double>(INFINITY), static_cast<double>(NAN)})
    expect_throw_with<FormError>([&] { plan.integrate(form.with_rate(u, shift), u, r); },
                                 "WeakForm: the shift of the rate u_t must be finite, got ");
  Kokkos::deep_copy(u, 1.0);
  const View nan("Tessera::Test::nan", space.num_dofs());
  Kokkos::deep_copy(nan, NAN);
  expect_throw_with<FormError>([&] { plan.integrate(form.with_rate(nan, 1.0), u, r); }, "not finite");
}

/// c(u) u_t - div(k(u) grad u) = q with c = k = 1 + u, whose solution is u = (1 + x) g(t): in the elements'
/// functions at each time, so that what is left is the error of the steps.
struct Conduction {
  double g, rate; // at the step's end
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 4;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto across = 1.0 + p.position(0);
    return (1.0 + p.u) * p.u_t() - ((1.0 + g * across) * (rate * across) - g * g);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

/// Largest error up to t = 1 of `steps` steps by BDF of order 1 or 2, which starts from the solution at -dt.
double error_of_steps(int steps, int order) {
  const double dt = 1.0 / steps;
  const auto g = [](double t) { return 1 + 0.5 * std::sin(2 * t); };
  const auto mesh = io::box_mesh<Tri<1>, ExecutionSpace>({{3, 2, 1}, {1.0, 1.0, 1.0}});
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto exact = [&](double t) {
    std::vector<double> values(to_size(mesh.num_nodes()));
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = (1 + x(n, 0)) * g(t);
    return values;
  };
  FunctionSpace<Tri<1>, ExecutionSpace> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("xmax"), {0.0});
  solvers::Newton newton(space, {.relative_tolerance = 1e-12, .step_tolerance = 1e-12});
  const View u = test::to_device<ExecutionSpace>(exact(0));
  View before = test::to_device<ExecutionSpace>(exact(-dt));
  double largest = 0;
  for (int n = 1; n <= steps; ++n) {
    const double t = n * dt;
    const View last = sum(u, 0, u);
    const View known = order == 1 ? last : sum(sum(last, 1.0 / 3, last), -1.0 / 3, before);
    space.constrain(mesh.node_set("xmin"), {g(t)});
    space.constrain(mesh.node_set("xmax"), {2 * g(t)});
    const auto form =
        weak_form(Conduction{g(t), std::cos(2 * t)}).with_rate_from(known, (order == 1 ? 1 : 1.5) / dt);
    EXPECT_TRUE(newton.solve(form, u).converged());
    before = last;
    const auto found = test::to_host(u), wanted = exact(t);
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max(largest, std::abs(found[i] - wanted[i]));
  }
  return largest;
}

TEST(StepsInTime, HaveTheOrdersOfBackwardEulerAndBdf2) {
  for (const int order : {1, 2}) {
    const double coarse = error_of_steps(20, order), fine = error_of_steps(40, order);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1) << coarse << ", " << fine;
    EXPECT_GT(fine, 1e-7); // of the steps, not of Newton's method
  }
}

} // namespace strategies_residual_rates

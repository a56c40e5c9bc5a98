// SPDX-License-Identifier: BSD-3-Clause
// Operators and residuals by name: what they say of themselves, that solvers take them, and refusals. That
// they are right on every element the tests in strategies/elements show.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>
#include <tessera/strategies/catalogue/any_residual.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <cmath>
#include <string>
#include <vector>

namespace strategies_catalogue_any_operator {

using namespace tessera;
using test::expect_throw_with;

template <class ExecutionSpace>
class ByName : public ::testing::Test {
public:
  using Element = Tri<1>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  static Space space(int components = 1) {
    return {test::distorted_box<Element, ExecutionSpace>({{5, 4, 1}, {1.3, 1.0, 1.0}}), components};
  }
};
TYPED_TEST_SUITE(ByName, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ByName, StrategiesSayWhatTheyAre) {
  const auto space = this->space();
  const Helmholtz<> form{.lambda = 1.0};
  for (const StrategyInfo& listed : operator_strategies()) {
    SCOPED_TRACE(listed.name);
    const auto op = make_operator(listed.name, space, form);
    EXPECT_EQ(op->info().name, listed.name);
    EXPECT_EQ(op->info().source, listed.source);
    EXPECT_EQ(op->info().deterministic, listed.deterministic);
    EXPECT_EQ(op->rows(), to_size(space.num_dofs()));
    EXPECT_FALSE(op->report().path.empty());
    EXPECT_GE(op->cost().flops, 2.0 * space.num_dofs());
    EXPECT_GT(op->compulsory_cost().bytes, 0);
  }
  for (const StrategyInfo& listed : residual_strategies()) {
    SCOPED_TRACE(listed.name);
    const auto residual = make_residual(listed.name, space, form.weak());
    EXPECT_EQ(residual->info().name, listed.name);
    EXPECT_EQ(residual->info().source, listed.source);
    EXPECT_EQ(residual->info().deterministic, listed.deterministic);
    EXPECT_FALSE(residual->report().path.empty());
    EXPECT_GE(residual->cost().flops, residual->compulsory_cost().flops);
    EXPECT_GT(residual->compulsory_cost().bytes, 0);
  }
}

// One type whatever the element and the form: a solver is compiled for it once.
TYPED_TEST(ByName, SolversTakeOperators) {
  auto space = this->space();
  space.constrain(0, 0, 1.5);
  const Helmholtz<> form{.lambda = 2.0, .source = 3.0};
  const TypeParam exec;
  const std::unique_ptr<AnyOperator<TypeParam>> op = make_operator("bEsT", space, form);
  const typename TestFixture::Vector b("Tessera::Test::b", op->rows()), d("Tessera::Test::d", op->rows()),
      x("Tessera::Test::x", op->rows());
  op->load(exec, b);
  op->diagonal(exec, d);
  ASSERT_TRUE(
      solvers::cg(exec, *op, solvers::Jacobi<double, TypeParam>(exec, d), b, x, {.relative_tolerance = 1e-12})
          .converged());
  const auto u = space.expand(exec, x);
  const typename TestFixture::Vector r("Tessera::Test::r", u.extent(0));
  const auto weak = form.weak();
  make_residual("Best", space, weak)->integrate(weak, u, r);
  for (const double value : test::to_host(r)) EXPECT_NEAR(value, 0, 1e-10);
}

TYPED_TEST(ByName, ResidualsFollowTheFormAndComeInHalves) {
  const auto space = this->space();
  const auto one = Helmholtz<>{.sigma = 1.0}.weak(), five = Helmholtz<>{.sigma = 5.0}.weak();
  const auto residual = make_residual("RecomputingResidual", space, one);
  const auto host_u = test::random_vector<double>(to_size(space.num_dofs()));
  const auto u = test::to_device<TypeParam>(host_u);
  const typename TestFixture::Vector r("Tessera::Test::r", host_u.size()),
      s("Tessera::Test::s", host_u.size());
  residual->integrate(one, u, r);
  residual->enqueue(five, u, s);
  residual->check();
  const auto first = test::to_host(r), second = test::to_host(s);
  double largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(second[i], 5 * first[i], 1e-12);
    largest = std::max(largest, std::abs(first[i]));
  }
  EXPECT_GT(largest, 0.1);
  Kokkos::deep_copy(u, NAN);
  residual->enqueue(one, u, r);
  expect_throw_with<FormError>([&] { residual->check(); }, "RecomputingResidual: element ");
}

TYPED_TEST(ByName, WhatDoesNotFitIsNamed) {
  const auto space = this->space();
  const Helmholtz<> form;
  expect_throw_with<ArgumentError>([&] { make_operator("NodeByNod", space, form); },
                                   "unknown operator strategy 'NodeByNod'; there are Best, ");
  expect_throw_with<ArgumentError>([&] { make_residual("ThreadPerCel", space, form.weak()); },
                                   "unknown residual strategy 'ThreadPerCel'; there are Best, ");
  expect_throw_with<ArgumentError>([&] { make_operator("NodeByNode", space, LinearElasticity<2>()); },
                                   "components");
  expect_throw_with<FormError>([&] { make_operator("NodeByNode", space, Helmholtz<>{.sigma = -1.0}); },
                               "Helmholtz::sigma");
}

// The library has the forms of its list, of the element's dimension, with coefficients by cell.
template <class Form>
concept OperatorByName =
    requires(const FunctionSpace<Tri<1>>& space, const Form& form) { make_operator("Best", space, form); };
template <class Form>
concept ResidualByName =
    requires(const FunctionSpace<Tri<1>>& space, const Form& form) { make_residual("Best", space, form); };
static_assert(OperatorByName<Helmholtz<>> && OperatorByName<LinearElasticity<2>>);
static_assert(!OperatorByName<LinearElasticity<3>> && !OperatorByName<Stokes<2>> &&
              !OperatorByName<Helmholtz<CellField, CellField, double (*)(Vector<double, 2>)>>);
static_assert(ResidualByName<decltype(Helmholtz<>().weak())> && !ResidualByName<Helmholtz<>> &&
              !ResidualByName<WeakForm<Poisson, CellField, CellField>>);

} // namespace strategies_catalogue_any_operator

// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by a weak form's fields against differences, transposed matrices, and a functional's gradient
// by one adjoint solution.

#include <tessera/core/system/transpose.hpp>
#include <tessera/core/weak_form/parameter_derivatives.hpp>
#include <tessera/core/weak_form/state_at_points.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/thread_per_cell.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace solvers_adjoints {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;
using test::expect_throw_with;
using Numbers = std::vector<double>;

View device(const Numbers& values) { return test::to_device<ExecutionSpace>(values); }
View random(std::size_t count, unsigned seed) { return device(test::random_vector<double>(count, seed)); }

double dot(const View& a, const View& b) {
  const auto x = test::to_host(a), y = test::to_host(b);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// A coefficient in all terms, not linear, and behind a gradient where it has one.
template <bool HasGradient>
struct Conduction {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto a = p.template a<1>();
    auto f = a * p.u * p.u - tessera::exp(a) + p.template a<0>() * p.u;
    if constexpr (HasGradient) {
      const auto gradient = p.template grad_a<1>();
      for (int d = 0; d < Point::dimension; ++d) f += gradient(d) * gradient(d) * p.grad_u(d);
    }
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    const auto a = p.template a<1>();
    return (1.0 + a * a + p.u * p.u) * p.grad_u;
  }
};

/// Field 1 is a parameter of `count` values, which `make` makes a field of.
template <bool HasGradient = false, class Space, class Make>
void expect_derivatives(const Space& space, std::size_t count, const Make& make) {
  constexpr double h = 1e-5;
  const auto dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), lambda = random(dofs, 2);
  const auto form = [&](const View& values) {
    return weak_form(Conduction<HasGradient>{}, 0.7, make(values));
  };
  auto plan = residual::ThreadPerCell{}.plan(space);
  const auto residual = [&](const Numbers& values) {
    const View r("Tessera::Test::r", dofs);
    plan.integrate(form(device(values)), u, r);
    return r;
  };
  const auto values = test::random_vector<double>(count, 3), change = test::random_vector<double>(count, 4);
  const View gradient = parameter_gradient<1>(form(device(values)), space, u, lambda);
  const auto found = test::to_host(gradient);
  ASSERT_EQ(found.size(), count);
  double largest = 0;
  for (const double entry : found) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < count; ++i) {
    Numbers ahead = values, behind = values;
    ahead[i] += h;
    behind[i] -= h;
    EXPECT_NEAR(found[i], (dot(lambda, residual(ahead)) - dot(lambda, residual(behind))) / (2 * h),
                1e-8 * largest)
        << i;
  }
  EXPECT_EQ(test::to_host(parameter_gradient<1>(form(device(values)), space, u, lambda)), found);

  const View along = parameter_derivative<1>(form(device(values)), space, u, make(device(change)));
  EXPECT_NEAR(dot(lambda, along), dot(gradient, device(change)),
              1e-12 * largest * static_cast<double>(count));
  Numbers ahead = values, behind = values;
  for (std::size_t i = 0; i < count; ++i) {
    ahead[i] += h * change[i];
    behind[i] -= h * change[i];
  }
  const auto derivative = test::to_host(along), r = test::to_host(residual(ahead)),
             s = test::to_host(residual(behind));
  double size = 0;
  for (const double entry : derivative) size = std::max(size, std::abs(entry));
  for (std::size_t i = 0; i < r.size(); ++i)
    EXPECT_NEAR(derivative[i], (r[i] - s[i]) / (2 * h), 1e-8 * size) << i;
}

template <class Element>
class ParameterDerivatives : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  static Space space() {
    Space space(test::distorted_box<Element, ExecutionSpace>({{2, 2, 1}, {1, 1, 1}}), 1);
    test::constrain(space);
    return space;
  }
};
using Elements = ::testing::Types<Tri<1>, Quad<2>, Tet<1>, Hex<1>, Wedge<1>>;
TYPED_TEST_SUITE(ParameterDerivatives, Elements);

TYPED_TEST(ParameterDerivatives, ByNodes) {
  const auto space = this->space();
  expect_derivatives<true>(space, to_size(space.mesh().num_nodes()),
                           [](const View& values) { return NodalField<1, ExecutionSpace>{values}; });
}

TYPED_TEST(ParameterDerivatives, ByMaterialAndAsOneNumber) {
  const auto space = this->space();
  expect_derivatives(space, 2, [](const View& values) {
    return CellField::per_material<ExecutionSpace>(test::to_host(values));
  });
  expect_derivatives(space, 1, [](const View& values) { return CellField(test::to_host(values)[0]); });
}

using ParameterFields = ParameterDerivatives<Quad<2>>;

TEST_F(ParameterFields, ByElement) {
  const auto space = this->space();
  const auto elements = to_size(space.mesh().num_elements());
  expect_derivatives(space, elements, [](const View& values) { return CellField::per_element(values); });
  expect_derivatives(space, elements,
                     [](const View& values) { return PiecewiseConstantField<ExecutionSpace>{values}; });
}

TEST_F(ParameterFields, ByNodesOfElementsAndByPoints) {
  const auto space = this->space();
  const auto elements = to_size(space.mesh().num_elements());
  expect_derivatives<true>(space, elements * Quad<2>::nodes,
                           [](const View& values) { return ElementField<1, ExecutionSpace>{values}; });
  expect_derivatives(space, num_points(weak_form(Conduction<false>{}, 0.7, 1.0), space.mesh()),
                     [](const View& values) { return PointField<1, ExecutionSpace>{values}; });
}

TEST_F(ParameterFields, RowsOfConstrainedUnknownsCountNothing) {
  const auto space = this->space();
  const auto dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), zeros("Tessera::Test::zeros", dofs);
  auto lambda = test::random_vector<double>(dofs, 2);
  const auto form = weak_form(Conduction<false>{}, 0.7, 1.5);
  const auto expected = test::to_host(parameter_gradient<1>(form, space, u, device(lambda)));
  for (std::size_t dof = 0; dof < dofs; dof += 5) lambda[dof] = 1e6; // `constrain`'s
  EXPECT_EQ(test::to_host(parameter_gradient<1>(form, space, u, device(lambda))), expected);
  const auto derivative = test::to_host(parameter_derivative<1>(form, space, u, 1.0));
  for (std::size_t dof = 0; dof < dofs; ++dof) EXPECT_EQ(derivative[dof] == 0, dof % 5 == 0) << dof;
}

/// Flow of a compressible fluid with a rate in time: linear components, several components of a parameter.
struct Flow {
  static constexpr int components = 3, linear_components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto force = p.template a<0>();
    auto f = p.u_t();
    f(0) = f(0) * force(0) + p.u(2);
    f(1) = f(1) + force(1) * force(1);
    f(2) = f(2) * force(1) + p.grad_u(0, 0);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.template a<0>()(0) * p.template grad_a<0>()(1, 0)) * p.grad_u;
  }
};

TEST(ParametersOfLinearComponents, AgreeWithDifferences) {
  constexpr double h = 1e-5;
  FunctionSpace<Tri<2>, ExecutionSpace> space(
      test::distorted_box<Tri<2>, ExecutionSpace>({{2, 2, 1}, {1, 1, 1}}),
      {.components = 3, .linear_components = 1});
  test::constrain(space);
  const auto dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), lambda = random(dofs, 2), known = random(dofs, 3);
  const std::size_t count = to_size(space.mesh().num_nodes()) * 2;
  const auto values = test::random_vector<double>(count, 4);
  const auto form = [&](const Numbers& at) {
    return weak_form(Flow{}, NodalField<2, ExecutionSpace>{device(at)}).with_rate_from(known, 2.0);
  };
  const auto gradient = parameter_gradient<0>(form(values), space, u, lambda);
  const auto found = test::to_host(gradient);
  auto plan = residual::ThreadPerCell{}.plan(space);
  const auto product = [&](std::size_t i, double step) {
    Numbers moved = values;
    moved[i] += step;
    const View r("Tessera::Test::r", dofs);
    plan.integrate(form(moved), u, r);
    return dot(lambda, r);
  };
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_NEAR(found[i], (product(i, h) - product(i, -h)) / (2 * h), 1e-8) << i;
  const View change = random(count, 5);
  EXPECT_NEAR(
      dot(lambda, parameter_derivative<0>(form(values), space, u, NodalField<2, ExecutionSpace>{change})),
      dot(gradient, change), 1e-12);
}

TEST_F(ParameterFields, OfOtherLengthsOrNotFiniteAreRefused) {
  const auto space = this->space();
  const auto dofs = to_size(space.num_dofs());
  const View u = random(dofs, 1), few("Tessera::Test::few", 3);
  const auto form = weak_form(Conduction<false>{}, 0.7, NodalField<1, ExecutionSpace>{u});
  expect_throw_with<ArgumentError>([&] { parameter_gradient<1>(form, space, few, u); },
                                   "parameter_gradient: u has 3 values");
  expect_throw_with<ArgumentError>([&] { parameter_gradient<1>(form, space, u, few); },
                                   "parameter_gradient: lambda has 3 values");
  expect_throw_with<ArgumentError>(
      [&] { parameter_derivative<1>(form, space, u, NodalField<1, ExecutionSpace>{few}); },
      "parameter_derivative: the change has 3 values");
  expect_throw_with<ArgumentError>([&] { parameter_derivative<1>(form, space, few, {u}); },
                                   "parameter_derivative: u has 3 values");
  const View nan("Tessera::Test::nan", dofs);
  Kokkos::deep_copy(nan, NAN);
  expect_throw_with<FormError>([&] { parameter_gradient<1>(form, space, nan, u); },
                               "parameter_gradient: element 0 ");
  expect_throw_with<FormError>([&] { parameter_derivative<1>(form, space, u, {nan}); },
                               "parameter_derivative: element 0 ");
}

System assembled(const FunctionSpace<Quad<2>, ExecutionSpace>& space) {
  const System system(space);
  const View u = random(to_size(space.num_dofs()), 1);
  assembly::ElementAtomic{}
      .plan(space, system.graph())
      .assemble(jacobian(weak_form(Conduction<false>{}, 0.7, 0.4), space.mesh(), u), system);
  return system;
}

View product(const System& system, const View& x) {
  const View y("Tessera::Test::y", x.extent(0));
  solvers::CrsOperator<double, ExecutionSpace>(ExecutionSpace(), system.graph().row_map,
                                               system.graph().columns, system.values())
      .apply(ExecutionSpace(), x, y);
  return y;
}

TEST(Transpose, TakesAProductToTheOtherSide) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Quad<2>, ExecutionSpace> space(
        test::distorted_box<Quad<2>, ExecutionSpace>({{4, 3, 1}, {1, 1, 1}}), 1, treatment);
    test::constrain(space);
    const System system = assembled(space), other = transposed(ExecutionSpace(), system);
    const auto rows = to_size(system.num_rows());
    const View x = random(rows, 2), y = random(rows, 3);
    EXPECT_NE(test::to_host(other.values()), test::to_host(system.values()));
    EXPECT_NEAR(dot(y, product(system, x)), dot(product(other, y), x), 1e-12);
    const System back(system.graph());
    transpose(ExecutionSpace(), other, back);
    EXPECT_EQ(test::to_host(back.values()), test::to_host(system.values()));
    for (const double entry : test::to_host(other.rhs())) EXPECT_EQ(entry, 0);
  }
}

TEST(Transpose, RefusesOtherGraphs) {
  const FunctionSpace<Quad<2>, ExecutionSpace> space(io::box_mesh<Quad<2>, ExecutionSpace>({{2, 1, 1}}), 1);
  const System system = assembled(space), other(space);
  expect_throw_with<ArgumentError>([&] { transpose(ExecutionSpace(), system, other); },
                                   "transpose: the systems have different graphs");
  expect_throw_with<ArgumentError>([&] { transpose(ExecutionSpace(), system, system); },
                                   "transpose: the systems share their matrix");
  SparsityGraph<ExecutionSpace> upper; // 2 x 2
  upper.row_map = test::to_device<ExecutionSpace>(std::vector<Offset>{0, 2, 3});
  upper.columns = test::to_device<ExecutionSpace>(std::vector<Ordinal>{0, 1, 1});
  upper.equations.count = 2;
  expect_throw_with<ArgumentError>([&] { transposed(ExecutionSpace(), System(upper)); },
                                   "transpose: the graph has an entry of row 0 without the one opposite");
}

// J(u(a)) = sum of w u^2 / 2 under -div((1 + a^2 + u^2) grad u) + ... = 0: K' lambda = dJ/du, dJ/da =
// -lambda' dr/da.
template <class Element>
void expect_adjoint_gradient() {
  FunctionSpace<Element, ExecutionSpace> space(
      test::distorted_box<Element, ExecutionSpace>({{2, 2, 1}, {1, 1, 1}}), 1);
  test::constrain(space);
  const auto dofs = to_size(space.num_dofs());
  const auto weights = test::random_vector<double>(dofs, 1);
  auto values = test::random_vector<double>(dofs, 2);
  const auto form = [&](const Numbers& at) {
    return weak_form(Conduction<true>{}, 0.7, NodalField<1, ExecutionSpace>{device(at)});
  };
  const solvers::KrylovWithJacobi<false> linear{.options = {.relative_tolerance = 1e-13}};
  solvers::Newton newton(space, {.relative_tolerance = 1e-14});
  const auto solution = [&](const Numbers& at) {
    const View u("Tessera::Test::u", dofs);
    EXPECT_TRUE(newton.solve(form(at), u, linear).converged());
    return u;
  };
  const auto functional = [&](const Numbers& at) {
    const auto u = test::to_host(solution(at));
    double sum = 0;
    for (std::size_t i = 0; i < dofs; ++i) sum += weights[i] * u[i] * u[i] / 2;
    return sum;
  };
  const View u = solution(values);
  const System system(space);
  assembly::ElementAtomic{}
      .plan(space, system.graph())
      .assemble(jacobian(form(values), space.mesh(), u), system);
  const System adjoint = transposed(ExecutionSpace(), system);
  const auto at_u = test::to_host(u);
  Numbers slope; // dJ/du of the unknowns: every fifth node is constrained
  for (std::size_t i = 0; i < dofs; ++i)
    if (i % 5 != 0) slope.push_back(weights[i] * at_u[i]);
  Kokkos::deep_copy(adjoint.rhs(), device(slope));
  const View x("Tessera::Test::x", slope.size());
  linear(ExecutionSpace(), adjoint, x);
  const View lambda = space.expand(x);
  const auto gradient = test::to_host(parameter_gradient<1>(form(values), space, u, lambda));
  double largest = 0;
  for (const double entry : gradient) largest = std::max(largest, std::abs(entry));
  constexpr double h = 3e-5;
  for (std::size_t i = 0; i < dofs; ++i) {
    Numbers ahead = values, behind = values;
    ahead[i] += h;
    behind[i] -= h;
    EXPECT_NEAR(-gradient[i], (functional(ahead) - functional(behind)) / (2 * h), 1e-7 * largest) << i;
  }
}

TEST(Adjoint, GivesTheGradientOfAFunctional) {
  expect_adjoint_gradient<Tri<1>>();
  expect_adjoint_gradient<Hex<1>>();
}

} // namespace solvers_adjoints

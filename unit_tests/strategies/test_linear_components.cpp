// SPDX-License-Identifier: BSD-3-Clause
// Taylor and Hood's pair in every strategy: matrices and products of Stokes' equations, residuals and
// Jacobians of Navier and Stokes', against oracles.

#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/residual_oracle.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace strategies_linear_components {

using namespace tessera;
using Element = Tri<2>;
constexpr int d = Element::dimension, c = d + 1;

const NavierStokes<d> flow{.viscosity = 0.8, .density = 1.3, .body_force = {0.3, -0.2}};

void oracle(const test::OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
  for (int a = 0; a < d; ++a) {
    f0[a] = -flow.body_force[a];
    for (int b = 0; b < d; ++b) f0[a] += flow.density * p.grad_u[a * d + b] * p.u[b];
    f0[d] -= p.grad_u[a * d + a];
    for (int b = 0; b < d; ++b) f1[a * d + b] = flow.viscosity * p.grad_u[a * d + b] - (a == b ? p.u[d] : 0);
  }
}

template <class ExecutionSpace>
class LinearComponentsInStrategies : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  static Space space(ConstraintTreatment treatment = ConstraintTreatment::removed) {
    return {test::distorted_box<Element, ExecutionSpace>({{4, 3, 1}, {1.3, 1.0, 1.0}}),
            {.components = c, .linear_components = 1, .treatment = treatment}};
  }
  /// Of all components, the linear one too, each with its own transfer.
  static void add_robin(Space& space) {
    space.add_robin(
        boundary_sides(space.mesh()), [](const auto& x) { return std::array<double, c>{2, 1 + x(0), 3}; },
        [](const auto& x) { return x(1); });
  }
  static std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::cos(2.0 + 1.3 * static_cast<double>(i));
    return values;
  }
  /// What a device cannot do is said, not counted.
  template <class Visit>
  static void unless_refused(const std::string& name, const Visit& visit) {
    SCOPED_TRACE(name);
    try {
      visit();
    } catch (const UnsupportedError& error) {
      std::cout << name << ": " << error.what() << '\n';
    }
  }
};
TYPED_TEST_SUITE(LinearComponentsInStrategies, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(LinearComponentsInStrategies, MakeTheOraclesSystem) {
  const Stokes<d> form{.viscosity = 0.8, .body_force = {0.3, -0.2}};
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    for (const bool constrained : {false, true}) {
      auto space = this->space(treatment);
      if (constrained) test::constrain(space);
      this->add_robin(space);
      const LinearSystem<double, TypeParam> system(space);
      const ReferenceSystem reference = reference_assembly(form, space, system.graph());
      for_each_strategy<AssemblyCatalogue>([&](const auto& variant) {
        this->unless_refused(variant.name, [&] {
          Kokkos::deep_copy(system.values(), NAN);
          Kokkos::deep_copy(system.rhs(), NAN);
          variant.strategy.plan(space, system.graph()).assemble(form, system);
          EXPECT_LE(system_error<double>(system, reference).max(), 1e-13);
        });
      });
    }
}

TYPED_TEST(LinearComponentsInStrategies, MultiplyAsTheOraclesMatrix) {
  const Stokes<d> form{.viscosity = 0.8};
  auto space = this->space();
  test::constrain(space);
  this->add_robin(space);
  const ReferenceSystem reference = reference_assembly(form, space, sparsity_graph(TypeParam(), space));
  const std::vector<double> x = this->numbers(reference.rhs.size());
  std::vector<double> kx(x.size(), 0.0);
  double largest = 0;
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (Offset k = reference.row_map[row]; k < reference.row_map[row + 1]; ++k)
      kx[row] += reference.values[k] * x[reference.columns[k]];
    largest = std::max(largest, std::abs(kx[row]));
  }
  const auto device_x = test::to_device<TypeParam>(x);
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    this->unless_refused(variant.name, [&] {
      const typename TestFixture::Vector y("Tessera::Test::y", x.size());
      variant.strategy.plan(space).template prepare<double>(form).apply(TypeParam(), device_x, y);
      const auto found = test::to_host(y);
      for (std::size_t row = 0; row < x.size(); ++row) ASSERT_NEAR(found[row], kx[row], 1e-13 * largest);
    });
  });
}

TYPED_TEST(LinearComponentsInStrategies, HaveTheOraclesResidual) {
  auto space = this->space(), quadratic = typename TestFixture::Space(space.mesh(), c);
  test::constrain(space);
  this->add_robin(space);
  this->add_robin(quadratic);
  const auto dofs = static_cast<std::size_t>(space.num_dofs());
  // The oracle is of components that are all quadratic: it gets the interpolated state, and what it tests is
  // folded.
  const auto state = test::to_device<TypeParam>(this->numbers(dofs));
  space.linear().interpolate(TypeParam(), state);
  test::OracleResidual expected = test::oracle_residual<NavierStokes<d>::degree<Element>>(
      space.mesh(), c, test::to_host(state), {}, oracle);
  const auto folded = test::to_device<TypeParam>(expected.values);
  const auto robin = quadratic.robin(TypeParam());
  tessera::detail::for_each_robin_node(TypeParam(), "Tessera::Test::add_robin", robin,
                                       tessera::detail::AddRobinResidual<TypeParam, double>{
                                           robin, quadratic.equations(), false, state, folded});
  space.linear().fold(TypeParam(), folded);
  expected.values = test::to_host(folded);
  const auto loads = space.nodal_loads();
  for (std::size_t i = 0; i < loads.dofs.extent(0); ++i)
    expected.values[test::to_host(loads.dofs)[i]] -= test::to_host(loads.values)[i];
  const auto mask = test::to_host(space.equations().mask);

  const auto u = test::to_device<TypeParam>(this->numbers(dofs)); // not interpolated
  for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
    this->unless_refused(variant.name, [&] {
      const typename TestFixture::Vector r("Tessera::Test::r", dofs);
      auto plan = variant.strategy.plan(space);
      plan.integrate(flow, u, r);
      const auto found = test::to_host(r);
      for (std::size_t dof = 0; dof < dofs; ++dof) {
        const bool free = ((mask[dof / c] >> dof % c) & 1) == 0;
        ASSERT_NEAR(found[dof], free ? expected.values[dof] : 0, 1e-13 * expected.scale) << "dof " << dof;
      }
    });
  });
}

TYPED_TEST(LinearComponentsInStrategies, HaveTheDerivativeOfTheResidual) {
  const auto space = this->space();
  const auto u = test::to_device<TypeParam>(this->numbers(static_cast<std::size_t>(space.num_dofs())));
  EXPECT_LE(check_jacobian(flow, space, u), 1e-8);
}

} // namespace strategies_linear_components

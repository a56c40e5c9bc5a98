// SPDX-License-Identifier: BSD-3-Clause
// Jacobians of weak forms by assembly strategies and operators: against differences of the residual, and
// against forms that are written by hand.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>

#include "support/residuals.hpp"
#include <cmath>

namespace strategies_residual_jacobian {

using namespace tessera;
using namespace tessera::test;

template <class ExecutionSpace>
class ResidualJacobian : public ::testing::Test {
public:
  using Checks = ResidualChecks<Tet<1>, ExecutionSpace>;
  using Space = typename Checks::Space;
  using System = LinearSystem<double, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  template <class Strategy, class Form>
  static System assembled(const Strategy& strategy, const Space& space, const Form& form) {
    const System system(space);
    auto plan = strategy.plan(space, system.graph());
    plan.assemble(form, system);
    return system;
  }

  /// K(u) w by an assembled system.
  static std::vector<double> times(const System& system, const std::vector<double>& w) {
    const auto row_map = tessera::detail::host_vector<Offset>(system.graph().row_map);
    const auto columns = tessera::detail::host_vector<Ordinal>(system.graph().columns);
    const auto values = tessera::detail::host_vector<double>(system.values());
    std::vector<double> product(w.size(), 0.0);
    for (std::size_t row = 0; row < w.size(); ++row)
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) product[row] += values[k] * w[columns[k]];
    return product;
  }

  static double largest(const std::vector<double>& v) {
    double most = 0;
    for (double x : v) most = std::max(most, std::abs(x));
    return most;
  }

  /// Central differences of the residual fall with the square of the step, to rounding; K u - load = r.
  template <class Weak>
  static void expect_derivative(const typename Checks::MeshType& mesh, const Weak& form, bool symmetric) {
    const Space space(mesh, Weak::components);
    auto plan = residual::RecomputingResidual{}.plan(space);
    const auto u = Checks::state(space.num_dofs(), 1), w = Checks::state(space.num_dofs(), 2, 1.0);
    const Vector at = Checks::device(u);
    const auto system = assembled(assembly::ElementAtomic{}, space, jacobian(form, mesh, at));
    const auto kw = times(system, w);
    double previous = INFINITY;
    for (const double h : {1e-3, 1e-4, 1e-5}) {
      auto plus = u, minus = u;
      for (std::size_t i = 0; i < u.size(); ++i) {
        plus[i] += h * w[i];
        minus[i] -= h * w[i];
      }
      const auto r = Checks::integrate(plan, form, plus), s = Checks::integrate(plan, form, minus);
      double error = 0;
      for (std::size_t i = 0; i < u.size(); ++i)
        error = std::max(error, std::abs((r[i] - s[i]) / (2 * h) - kw[i]));
      EXPECT_LT(error, std::max(0.02 * previous, 1e-10 / h * 1e-3 * largest(kw))) << "step " << h;
      previous = error;
    }
    const auto ku = times(system, u), r = Checks::integrate(plan, form, u),
               load = tessera::detail::host_vector<double>(system.rhs());
    for (std::size_t i = 0; i < u.size(); ++i)
      ASSERT_NEAR(ku[i] - load[i], r[i], 1e-13 * std::max(largest(kw), largest(load))) << i;
    const auto z = Checks::state(space.num_dofs(), 5, 1.0), kz = times(system, z);
    double zkw = 0, wkz = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      zkw += z[i] * kw[i];
      wkz += w[i] * kz[i];
    }
    if (symmetric)
      EXPECT_NEAR(zkw, wkz, 1e-12 * largest(kw) * u.size());
    else
      EXPECT_GT(std::abs(zkw - wkz), 1e-6 * largest(kw));
  }
};

TYPED_TEST_SUITE(ResidualJacobian, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(ResidualJacobian, IsTheDerivative) {
  using Checks = typename TestFixture::Checks;
  const auto mesh = Checks::Operators::bent_mesh();
  TestFixture::expect_derivative(mesh, Checks::neo_hookean().form, true);
  TestFixture::expect_derivative(mesh, Checks::everything(mesh).form, false);
  TestFixture::expect_derivative(mesh, weak_form(PLaplacian{.power = 3, .regularisation = 0.5}, 1.0), true);
}

TYPED_TEST(ResidualJacobian, EveryStrategyAgrees) {
  using Checks = typename TestFixture::Checks;
  const auto mesh = Checks::Operators::bent_mesh();
  const auto expect = [&](const auto& form, int components) {
    typename TestFixture::Space space(mesh, components);
    test::constrain(space);
    const auto at = Checks::device(Checks::state(space.num_dofs(), 1));
    const auto tangent = jacobian(form, mesh, at);
    const auto expected = TestFixture::assembled(assembly::ElementAtomic{}, space, tangent);
    const auto values = tessera::detail::host_vector<double>(expected.values());
    const auto rhs = tessera::detail::host_vector<double>(expected.rhs());
    const double scale = TestFixture::largest(values);
    const auto compare = [&](const char* name, const auto& system) {
      SCOPED_TRACE(name);
      const auto v = tessera::detail::host_vector<double>(system.values());
      const auto f = tessera::detail::host_vector<double>(system.rhs());
      for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(v[i], values[i], 1e-13 * scale) << "entry " << i;
      for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(f[i], rhs[i], 1e-12 * scale) << "row " << i;
    };
    compare("RowOwner", TestFixture::assembled(assembly::RowOwner{}, space, tangent));
    compare("WarpPerElement", TestFixture::assembled(assembly::WarpPerElement{}, space, tangent));
    const auto x = Checks::Operators::random(rhs.size(), 3);
    const auto kx = TestFixture::times(expected, x);
    for (const auto& variant : variants_of<matrix_free::RecomputingElementByElement>()) {
      SCOPED_TRACE(variant.name);
      const auto op = variant.strategy.plan(space).template prepare<double>(tangent);
      const auto y = Checks::Operators::product(op, x);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], kx[i], 1e-12 * scale) << "row " << i;
    }
  };
  expect(Checks::neo_hookean().form, 3);
  expect(Checks::everything(mesh).form, 1); // not symmetric, fields by nodes: the pairs of patches are turned
}

TYPED_TEST(ResidualJacobian, AgreesWithFormsWrittenByHand) {
  using Checks = typename TestFixture::Checks;
  const auto mesh = Checks::Operators::bent_mesh();
  const typename TestFixture::Space space(mesh, 3);
  const double young = 3, nu = 0.3;
  const LinearElasticity<3> linear{.young = young, .poisson = nu};
  const HookeanSolid<3> solid{.lame = young * nu / ((1 + nu) * (1 - 2 * nu)),
                              .shear = young / (2 * (1 + nu))};
  const auto at = Checks::device(Checks::state(space.num_dofs(), 1));
  const auto by_hand = TestFixture::assembled(assembly::ElementAtomic{}, space, linear);
  const auto by_differentiation =
      TestFixture::assembled(assembly::ElementAtomic{}, space, jacobian(solid, mesh, at));
  const auto expected = tessera::detail::host_vector<double>(by_hand.values());
  const auto values = tessera::detail::host_vector<double>(by_differentiation.values());
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], 1e-13 * TestFixture::largest(expected)) << "entry " << i;
}

} // namespace strategies_residual_jacobian

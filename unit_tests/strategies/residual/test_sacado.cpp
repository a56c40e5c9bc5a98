// SPDX-License-Identifier: BSD-3-Clause
// A nonlinear form differentiated by Sacado's numbers: its residual and Jacobian are those by dual numbers.

#include <tessera/core/weak_form/sacado.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include "support/residuals.hpp"
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace strategies_residual_sacado {

using namespace tessera;
using namespace tessera::test;

struct ByDuals {};
struct BySacado {
  template <class Real, int Directions>
  using Differentiated = Sacado::Fad::SFad<Real, Directions>;
};

/// All kinds of operators: vectors' algebra, functions of one number and of two, a condition, a rate.
template <class Numbers>
struct TwoSpecies : Numbers {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    Vector<Number, 2> f;
    f(0) = tessera::exp(-p.u(0)) * p.u(1) - 2 + p.u_t()(0) / (1.5 + tessera::abs(p.u(1)));
    f(1) = tessera::pow(1 + p.u(0) * p.u(0), 1.5) * tessera::max(p.u(1), Number(p.u(0) * 0.5));
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u / tessera::sqrt(1.0 + dot(p.grad_u, p.grad_u)) + p.u(1) * p.grad_u;
  }
};

static_assert(std::is_same_v<tessera::detail::DifferentiatedNumber<TwoSpecies<BySacado>, double, 8>::type,
                             Sacado::Fad::SFad<double, 8>>);

/// One component, whose f0 states its type.
template <class Numbers>
struct Reaction : Numbers {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION typename Point::number_type f0(const Point& p) const {
    return tessera::sin(p.u) * tessera::log(2.0 + p.u * p.u) - p.position(0);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

template <class ExecutionSpace>
class ResidualSacado : public ::testing::Test {
public:
  using Checks = ResidualChecks<Tet<1>, ExecutionSpace>;
  using Space = typename Checks::Space;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  struct Derived {
    std::vector<double> values, load, residual;
  };
  template <class Weak>
  static Derived derive(const Space& space, const Weak& weak, const std::vector<double>& u) {
    const LinearSystem<double, ExecutionSpace> system(space);
    assembly::ElementAtomic{}
        .plan(space, system.graph())
        .assemble(jacobian(weak, space.mesh(), Checks::device(u)), system);
    auto plan = residual::RecomputingResidual{}.plan(space);
    return {tessera::detail::host_vector<double>(system.values()),
            tessera::detail::host_vector<double>(system.rhs()), Checks::integrate(plan, weak, u)};
  }
  /// To the rounding of sums whose terms come in another order.
  static void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    ASSERT_GT(largest, 0);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-15 * largest) << i;
  }
  static void expect_same(const Derived& found, const Derived& expected) {
    expect_same(found.values, expected.values);
    expect_same(found.load, expected.load);
    expect_same(found.residual, expected.residual);
  }
};
TYPED_TEST_SUITE(ResidualSacado, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(ResidualSacado, SystemsWithRates) {
  const auto mesh = distorted_box<Tet<1>, TypeParam>({{3, 2, 2}, {1.3, 1.0, 1.0}});
  const typename TestFixture::Space space(mesh, 2);
  const auto u = TestFixture::Checks::state(space.num_dofs(), 1);
  const auto rate = TestFixture::Checks::device(TestFixture::Checks::state(space.num_dofs(), 2));
  const auto derive = [&](const auto& physics) {
    return this->derive(space, as_weak_form(physics).with_rate(rate, 3.0), u);
  };
  this->expect_same(derive(TwoSpecies<BySacado>{}), derive(TwoSpecies<ByDuals>{}));
}

TYPED_TEST(ResidualSacado, ScalarForms) {
  const auto mesh = distorted_box<Tet<1>, TypeParam>({{3, 2, 2}, {1.3, 1.0, 1.0}});
  const typename TestFixture::Space space(mesh, 1);
  const auto u = TestFixture::Checks::state(space.num_dofs(), 1);
  const auto derive = [&](const auto& physics) { return this->derive(space, as_weak_form(physics), u); };
  this->expect_same(derive(Reaction<BySacado>{}), derive(Reaction<ByDuals>{}));
}

} // namespace strategies_residual_sacado

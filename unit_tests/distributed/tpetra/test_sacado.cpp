// SPDX-License-Identifier: BSD-3-Clause
// A nonlinear form differentiated by Sacado's numbers: its residual and Jacobian are those by dual numbers.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/sacado.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace tessera::test {
namespace distributed_tpetra_sacado {

struct ByDuals {};
struct BySacado {
  template <class Real, int Directions>
  using Differentiated = Sacado::Fad::SFad<Real, Directions>;
};

/// All kinds of operators: vectors' algebra, functions of one number and of two, conditions, a rate.
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
    using Number = typename Point::number_type;
    const Number squared = p.u(1) * p.u(1);
    return p.grad_u / tessera::sqrt(1.0 + dot(p.grad_u, p.grad_u)) +
           tessera::select(p.u(1) > 0.2, squared, p.u(0)) * p.grad_u;
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

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Space = FunctionSpace<Tet<1>, ExecutionSpace>;

struct Derived {
  std::vector<double> values, load, residual;
};
template <class Weak>
Derived derive(const Space& space, const Weak& weak, const Kokkos::View<double*, ExecutionSpace>& u) {
  const LinearSystem<double, ExecutionSpace> system(space);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(jacobian(weak, space.mesh(), u), system);
  const Kokkos::View<double*, ExecutionSpace> r("Tessera::Test::r", u.extent(0));
  residual::RecomputingResidual{}.plan(space).integrate(weak, u, r);
  return {to_host(system.values()), to_host(system.rhs()), to_host(r)};
}

/// To the rounding of sums whose terms come in another order.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-15 * largest) << i;
}
void expect_same(const Derived& found, const Derived& expected) {
  expect_same(found.values, expected.values);
  expect_same(found.load, expected.load);
  expect_same(found.residual, expected.residual);
}

Space space_of(int components) {
  return {io::box_mesh<Tet<1>, ExecutionSpace>({{3, 2, 2}, {1.3, 1.0, 1.0}}), components};
}
Kokkos::View<double*, ExecutionSpace> state(const Space& space, double phase) {
  std::vector<double> values(static_cast<std::size_t>(space.num_dofs()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(phase + 1.3 * static_cast<double>(i));
  return to_device<ExecutionSpace>(values);
}

TEST(BySacadosNumbers, SystemsWithRates) {
  const Space space = space_of(2);
  const auto u = state(space, 1), rate = state(space, 2);
  expect_same(derive(space, as_weak_form(TwoSpecies<BySacado>{}).with_rate(rate, 3.0), u),
              derive(space, as_weak_form(TwoSpecies<ByDuals>{}).with_rate(rate, 3.0), u));
}

TEST(BySacadosNumbers, ScalarForms) {
  const Space space = space_of(1);
  const auto u = state(space, 1);
  expect_same(derive(space, as_weak_form(Reaction<BySacado>{}), u),
              derive(space, as_weak_form(Reaction<ByDuals>{}), u));
}

} // namespace distributed_tpetra_sacado
} // namespace tessera::test

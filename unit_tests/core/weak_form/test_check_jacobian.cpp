// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>

namespace core_weak_form_check_jacobian {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using test::expect_throw_with;

/// -div((1 + u^2) grad u) + u^3, with a derivative of f1 that may lack a factor.
template <bool SaysSymmetric>
struct Conduction {
  double factor = 2;
  static constexpr int components = 1;
  static constexpr bool symmetric = SaysSymmetric;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u * p.u) * p.grad_u;
  }
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df0(const Point& p, const Direction& w) const {
    return 3.0 * p.u * p.u * w.u;
  }
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df1(const Point& p, const Direction& w) const {
    return (1.0 + p.u * p.u) * w.grad_u + (factor * p.u * w.u) * p.grad_u;
  }
};

/// A space with a state of some size, the same at every call.
template <class Element>
struct State {
  FunctionSpace<Element, ExecutionSpace> space;
  Kokkos::View<double*, ExecutionSpace> u;

  State(int components, double size)
      : space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), components),
        u("Tessera::Test::u", space.num_dofs()) {
    const auto host = Kokkos::create_mirror_view(u);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = size * std::sin(3.0 * i + 1);
    Kokkos::deep_copy(u, host);
  }
};

TEST(CheckJacobian, TakesDerivativesThatAreRight) {
  for (const double size : {1e-3, 1.0, 300.0}) {
    SCOPED_TRACE(size);
    const State<Quad<1>> state(1, size);
    EXPECT_LT(check_jacobian(Conduction<false>{}, state.space, state.u), 1e-8);
  }
  const State<Tet<2>> solid(3, 0.01);
  EXPECT_LT(check_jacobian(NeoHookean<3>{.shear = 2, .lame = 3}, solid.space, solid.u), 1e-8);
}

TEST(CheckJacobian, FindsAWrongDerivative) {
  const State<Quad<1>> state(1, 1.0);
  expect_throw_with<FormError>(
      [&] { check_jacobian(Conduction<false>{.factor = 1.99}, state.space, state.u); },
      "check_jacobian: the Jacobian of element ");
  EXPECT_LT(check_jacobian(Conduction<false>{.factor = 1.99}, state.space, state.u, 0.1), 0.02);
}

TEST(CheckJacobian, FindsAFormThatIsNotSymmetric) {
  const State<Tri<2>> state(1, 1.0);
  expect_throw_with<FormError>([&] { check_jacobian(Conduction<true>{}, state.space, state.u); },
                               "or the form says that it is symmetric and is not");
}

TEST(CheckJacobian, RefusesAStateThatIsNotANumber) {
  const State<Tri<1>> state(1, NAN);
  expect_throw_with<FormError>([&] { check_jacobian(Conduction<false>{}, state.space, state.u); }, "by inf");
}

} // namespace core_weak_form_check_jacobian

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/mesh/side_sets.hpp>
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

/// Radiation and a gradient along the normal, with a derivative that may lack a factor.
template <bool SaysSymmetric>
struct Leaves {
  double factor = 4, slope = 0.5;
  static constexpr int components = 1;
  static constexpr bool symmetric = SaysSymmetric;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u * p.u + slope * along_normal(p, p.grad_u);
  }
  template <class Point, class Direction>
  KOKKOS_FUNCTION auto df0(const Point& p, const Direction& w) const {
    return factor * p.u * p.u * p.u * w.u + slope * along_normal(p, w.grad_u);
  }
  template <class Point, class Gradient>
  KOKKOS_FUNCTION static auto along_normal(const Point& p, const Gradient& gradient) {
    auto sum = p.normal(0) * gradient(0);
    for (int d = 1; d < Point::dimension; ++d) sum = sum + p.normal(d) * gradient(d);
    return sum;
  }
};

/// Nitsche's terms for u = 0, symmetric together.
struct Nitsche {
  double penalty = 20;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return penalty * p.u - Leaves<false>::along_normal(p, p.grad_u);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) f(d) = -p.u * p.normal(d);
    return f;
  }
};

/// A traction that depends on the velocity and the pressure of flow with linear pressures.
struct Drag {
  static constexpr int components = 3, linear_components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    f(0) = p.u(0) * p.u(2);
    f(2) = p.u(0) * p.grad_u(2, 1);
    return f;
  }
};

template <class Element, class Physics>
double on_boundary(const State<Element>& state, const Physics& physics) {
  const auto form = weak_form(Conduction<false>{}).on_sides(boundary_sides(state.space.mesh()), physics);
  return check_jacobian(form, state.space, state.u);
}

TEST(CheckJacobian, TakesDerivativesOnSidesThatAreRight) {
  for (const double size : {1e-3, 1.0, 300.0}) {
    SCOPED_TRACE(size);
    EXPECT_LT(on_boundary(State<Quad<1>>(1, size), Leaves<false>{}), 1e-8);
  }
  EXPECT_LT(on_boundary(State<Wedge<1>>(1, 1.0), Nitsche{}), 1e-8);
  const auto mesh = test::distorted_box<Tri<2>, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}});
  const FunctionSpace<Tri<2>, ExecutionSpace> flow(mesh, Unknowns{.components = 3, .linear_components = 1});
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", flow.num_dofs());
  const auto host = Kokkos::create_mirror_view(u);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::sin(3.0 * i + 1);
  Kokkos::deep_copy(u, host);
  EXPECT_LT(check_jacobian(weak_form(NavierStokes<2>{}).on_sides(boundary_sides(mesh), Drag{}), flow, u),
            1e-8);
}

TEST(CheckJacobian, FindsAWrongDerivativeOnASide) {
  const State<Tet<1>> state(1, 1.0);
  expect_throw_with<FormError>([&] { on_boundary(state, Leaves<false>{.factor = 3.9}); },
                               "check_jacobian: the Jacobian of side ");
  const Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> one("Tessera::Test::side", 1);
  Kokkos::deep_copy(one, 2);
  const auto form = weak_form(Conduction<false>{}).on_sides(one, Leaves<false>{.factor = 3.9});
  expect_throw_with<FormError>([&] { check_jacobian(form, state.space, state.u); }, "side 2 of element 2 ");
}

TEST(CheckJacobian, FindsSidesThatAreNotSymmetric) {
  const State<Tri<2>> state(1, 1.0);
  EXPECT_LT(on_boundary(state, Leaves<true>{.slope = 0}), 1e-8);
  expect_throw_with<FormError>([&] { on_boundary(state, Leaves<true>{}); },
                               "or the form says that it is symmetric and is not");
}

TEST(CheckJacobian, RefusesSidesThatTheMeshLacks) {
  const State<Quad<1>> state(1, 1.0);
  const Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> one("Tessera::Test::side", 1);
  Kokkos::deep_copy(one, 5);
  const auto form = weak_form(Conduction<false>{}).on_sides(one, Leaves<false>{});
  expect_throw_with<ArgumentError>([&] { check_jacobian(form, state.space, state.u); },
                                   "check_jacobian: on_sides: side set: entry 0 names a side that");
}

} // namespace core_weak_form_check_jacobian

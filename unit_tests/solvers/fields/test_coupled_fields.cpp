// SPDX-License-Identifier: BSD-3-Clause
// Displacements beside a linear field that they depend on: Biot's consolidation, and a cube with a
// temperature.

#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "solvers/fields/two_fields.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <array>
#include <cmath>

namespace solvers_fields_coupled_fields {

using namespace tessera;
using namespace tessera::solvers;
using test::errors_by_field;
using test::for_each_node;
using test::SolveDirectly;

template <class ExecutionSpace>
class CoupledFields : public ::testing::Test {};
TYPED_TEST_SUITE(CoupledFields, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// Biot's equations (M. A. Biot, "General theory of three-dimensional consolidation", J. Appl. Phys. 12,
/// 1941) with Lame's moduli 1 and 1 and Biot's coefficient 1: -div(2 eps(u) + div u I - p I) = f and
/// (storage p + div u)_t - permeability lap p = g. Displacements and pressure t times those of `exact`, which
/// implicit Euler has without an error in time.
struct Biot {
  static constexpr int d = 2, components = 3, linear_components = 1;
  template <class Element>
  static constexpr int degree = 6;
  double storage, permeability, t;

  static std::array<double, 3> exact(const Vector<double, d>& x) {
    return {std::sin(2 * x(0)) * std::cos(x(1)), x(0) * std::exp(x(1)), std::cos(x(0) + 2 * x(1))};
  }
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    using Number = typename Point::number_type;
    const auto x = p.position(0), y = p.position(1);
    const auto sine_x = tessera::sin(2.0 * x), cosine_x = tessera::cos(2.0 * x);
    const auto sine_y = tessera::sin(y), cosine_y = tessera::cos(y), e = tessera::exp(y);
    const auto sine = tessera::sin(x + 2.0 * y), pressure = tessera::cos(x + 2.0 * y);
    Vector<Number, components> f;
    f(0) = Number(t * (-13.0 * sine_x * cosine_y + 2.0 * e + sine)); // lap u + 2 grad div u - grad p
    f(1) = Number(t * (3.0 * x * e - 4.0 * cosine_x * sine_y + 2.0 * sine));
    const auto rate = p.u_t();
    const auto grad_rate = p.grad_u_t();
    f(2) = storage * rate(2) + grad_rate(0, 0) + grad_rate(1, 1) -
           Number((storage + 5.0 * permeability * t) * pressure + 2.0 * cosine_x * cosine_y + x * e);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int a = 0; a < d; ++a) {
      for (int b = 0; b < d; ++b) f(a, b) = p.grad_u(a, b) + p.grad_u(b, a);
      f(a, a) += p.grad_u(0, 0) + p.grad_u(1, 1) - p.u(d);
      f(d, a) = permeability * p.grad_u(d, a);
    }
    return f;
  }
};

/// At time 1, after two steps from rest. \returns the orders in L2 of displacements and pressure
template <class ExecutionSpace>
std::array<double, 2> orders_of_biot(double permeability) {
  std::array<double, 2> errors[2];
  for (const int level : {0, 1}) {
    auto space = test::two_fields<Tri, ExecutionSpace>(4 << level);
    const auto prescribe = [&](double t) {
      for_each_node(space, [&](Ordinal node, const auto& x) {
        const auto exact = Biot::exact(x);
        if (test::on_boundary(x))
          for (int a = 0; a < Biot::components; ++a) space.constrain(node, a, t * exact[a]);
      });
    };
    prescribe(0);
    Newton newton(ExecutionSpace(), space);
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
        before("Tessera::Test::before", u.extent(0));
    for (const double t : {0.5, 1.0}) {
      prescribe(t);
      Kokkos::deep_copy(before, u);
      const auto form = weak_form(Biot{.storage = 0.1, .permeability = permeability, .t = t});
      EXPECT_TRUE(newton.solve(form.with_rate_from(before, 2.0), u, SolveDirectly()).converged());
    }
    errors[level] = errors_by_field(space, u, Biot::exact);
  }
  return {std::log2(errors[0][0] / errors[1][0]), std::log2(errors[0][1] / errors[1][1])};
}

/// Where little flows the equations are those of Stokes, and so are the orders. Else the pressure's error is
/// of second order in every norm, as that of linear functions is, and displacements follow it.
TYPED_TEST(CoupledFields, ConsolidationHasItsOrders) {
  const auto [undrained, pressure] = orders_of_biot<TypeParam>(1e-6);
  EXPECT_GE(undrained, 2.8);
  EXPECT_GE(pressure, 1.9);
  const auto [drained, flowing] = orders_of_biot<TypeParam>(1);
  EXPECT_GE(drained, 1.9);
  EXPECT_LE(drained, 2.5);
  EXPECT_GE(flowing, 1.9);
}

/// A cube that conducts heat and expands, of a stiffness that falls with the temperature.
struct Heated {
  static constexpr int d = 3, components = 4, linear_components = 1;
  double expansion;

  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    const auto temperature = p.u(d);
    const auto modulus = 1.0 / (1.0 + temperature * temperature); // both of Lame's
    auto f = p.grad_u;
    auto pressure = -5.0 * expansion * temperature;
    for (int a = 0; a < d; ++a) pressure += p.grad_u(a, a);
    for (int a = 0; a < d; ++a) {
      for (int b = 0; b < d; ++b) f(a, b) = modulus * (p.grad_u(a, b) + p.grad_u(b, a));
      f(a, a) += modulus * pressure;
    }
    return f;
  }
};

/// A linear temperature T bends a free cube without stress: the strain expansion T I is that of a quadratic
/// displacement.
TYPED_TEST(CoupledFields, AFreeCubeWithALinearTemperatureHasNoStress) {
  constexpr int d = 3;
  const Heated heated{.expansion = 0.3};
  const auto exact = [&](const Vector<double, d>& x) {
    const double slope[] = {0.5, -0.25, 1}, at_origin = 0.2;
    double square = 0, rise = 0;
    for (int a = 0; a < d; ++a) square += x(a) * x(a), rise += slope[a] * x(a);
    std::array<double, d + 1> state{};
    for (int a = 0; a < d; ++a)
      state[a] = heated.expansion * ((at_origin + rise) * x(a) - slope[a] * square / 2);
    state[d] = at_origin + rise;
    return state;
  };
  auto space = test::two_fields<Tet, TypeParam>(2);
  for_each_node(space, [&](Ordinal node, const auto& x) {
    const auto state = exact(x);
    if (test::on_boundary(x)) space.constrain(node, d, state[d]);
    // Six unknowns at three corners hold it where it is.
    const auto is_corner = [&](double at_x, double at_y) {
      return x(0) == at_x && x(1) == at_y && x(2) == 0;
    };
    for (int a = 0; a < d; ++a)
      if (is_corner(0, 0) || (is_corner(1, 0) && a > 0) || (is_corner(0, 1) && a == 2))
        space.constrain(node, a, state[a]);
  });
  const Kokkos::View<double*, TypeParam> u("Tessera::Test::u", to_size(space.num_dofs()));
  const auto result =
      Newton(TypeParam(), space, {.relative_tolerance = 1e-12}).solve(weak_form(heated), u, SolveDirectly());
  EXPECT_TRUE(result.converged());
  const auto errors = errors_by_field(space, u, exact);
  EXPECT_LE(errors[0], 1e-10);
  EXPECT_LE(errors[1], 1e-12);
}

} // namespace solvers_fields_coupled_fields

// SPDX-License-Identifier: BSD-3-Clause
// Fields by quadrature points: every strategy reads the values of the point that it is at, in whatever order
// it takes elements and their nodes.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/state_at_points.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace strategies_residual_points {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, ExecutionSpace>;
using test::expect_throw_with;

struct Wave {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return 2 + Kokkos::sin(3 * x(0) + 5 * x(1));
  }
};

/// -div(a grad u) + a u = 0; its state is what `Wave` gives.
struct Reaction {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.template a<0>() * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * p.grad_u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto state(const Point& p) const {
    return Wave()(p.position);
  }
};

/// Every strategy on linear simplices, whose nodes some take in another order, and on one element that is
/// none; one strategy on the others.
template <class Element>
class PointFields : public ::testing::Test {
public:
  static constexpr bool of_all = Element::affine_simplex || std::is_same_v<Element, Quad<2>>;
  using Residuals = std::conditional_t<of_all, ResidualCatalogue, std::tuple<residual::RecomputingResidual>>;
  using Assemblies =
      std::conditional_t<of_all,
                         std::tuple<assembly::ElementAtomic, assembly::ElementLocal, assembly::RowOwner,
                                    assembly::TwoKernels, assembly::WarpPerElement>,
                         std::tuple<assembly::ElementAtomic>>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  const Mesh<Element, ExecutionSpace> mesh =
      test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  const Space space{mesh, 1};
  const View u{"Tessera::Test::u", static_cast<std::size_t>(space.num_dofs())};
  const View values{"Tessera::Test::values", num_points(weak_form(Reaction{}, 1.0), mesh)};

  PointFields() {
    const auto host = Kokkos::create_mirror_view(u);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::sin(7.0 * i);
    Kokkos::deep_copy(u, host);
    state_at_points(ExecutionSpace(), weak_form(Reaction{}, 1.0), space, u, values);
  }

  static void expect_near(const View& found, const View& expected) {
    const auto a = test::to_host(found), b = test::to_host(expected);
    double scale = 0;
    for (const double x : b) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-13 * scale) << i;
  }
};
using Elements = ::testing::Types<Tri<1>, Quad<2>, Tet<1>, Tet<2>, Hex<1>>;
TYPED_TEST_SUITE(PointFields, Elements);

TYPED_TEST(PointFields, ResidualsAreThoseOfTheFunction) {
  const auto by_points = weak_form(Reaction{}, PointField<1, ExecutionSpace>{this->values});
  const View r("Tessera::Test::r", this->u.extent(0)), expected("Tessera::Test::expected", r.extent(0));
  residual::ThreadPerCell{}.plan(this->space).integrate(weak_form(Reaction{}, Wave{}), this->u, expected);
  for_each_strategy<typename TestFixture::Residuals>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    auto plan = variant.strategy.plan(this->space);
    plan.integrate(by_points, this->u, r);
    TestFixture::expect_near(r, expected);
  });
}

TYPED_TEST(PointFields, MatricesAreThoseOfTheFunction) {
  const LinearSystem<double, ExecutionSpace> system(this->space), expected(system.graph());
  const auto by_points =
      jacobian(weak_form(Reaction{}, PointField<1, ExecutionSpace>{this->values}), this->mesh, this->u);
  const auto by_function = jacobian(weak_form(Reaction{}, Wave{}), this->mesh, this->u);
  assembly::ElementAtomic{}.plan(this->space, system.graph()).assemble(by_function, expected);
  for_each_strategy<typename TestFixture::Assemblies>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    variant.strategy.plan(this->space, system.graph()).assemble(by_points, system);
    TestFixture::expect_near(system.values(), expected.values());
  });
}

TEST(PointField, OfAnotherLengthIsRefused) {
  const FunctionSpace space(io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2, 1}}), 1); // six elements
  const View u("Tessera::Test::u", space.num_dofs()), r("Tessera::Test::r", space.num_dofs()),
      few("Tessera::Test::few", 23);
  auto plan = residual::RecomputingResidual{}.plan(space);
  expect_throw_with<ArgumentError>(
      [&] { plan.integrate(weak_form(Reaction{}, PointField<1, ExecutionSpace>{few}), u, r); },
      "auxiliary field 0 has 23 values, the elements' quadrature points of this mesh have 24");
  expect_throw_with<ArgumentError>(
      [&] { state_at_points(ExecutionSpace(), weak_form(Reaction{}, 1.0), space, u, few); },
      "state_at_points: the state has 23 values");
}

/// A bar that softens for good by the largest strain that it has had.
struct Damage {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  static constexpr bool uses_value = false;

  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u / (1.0 + p.template a<0>());
  }
  template <class Point>
  KOKKOS_FUNCTION auto state(const Point& p) const {
    return tessera::max(tessera::abs(p.grad_u(0)), p.template a<0>());
  }
};

// Loading, unloading: the history is the largest strain, written in place, and the stiffness follows it.
TEST(PointField, CarriesHistoryFromStepToStep) {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{4, 1, 1}, {2.0, 1.0, 1.0}});
  FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  const View u("Tessera::Test::u", space.num_dofs());
  const View history("Tessera::Test::history", num_points(weak_form(Damage{}, 1.0), mesh));
  const auto form = weak_form(Damage{}, PointField<1, ExecutionSpace>{history});
  const auto step = [&](double strain) {
    space.constrain(mesh.node_set("xmin"), {0.0});
    space.constrain(mesh.node_set("xmax"), {2 * strain});
    solvers::Newton(space, {.absolute_tolerance = 1e-12}).solve(form, u);
    state_at_points(ExecutionSpace(), form, space, u, history);
    return test::to_host(history);
  };
  for (const auto& [strain, largest] : {std::pair{0.5, 0.5}, std::pair{0.2, 0.5}, std::pair{0.75, 0.75}})
    for (const double value : step(strain)) EXPECT_NEAR(value, largest, 1e-8);
}

/// A history that ends where the strain passes a limit.
struct Breaking : Damage {
  double limit;
  template <class Point>
  KOKKOS_FUNCTION auto state(const Point& p) const {
    const auto strain = Damage::state(p);
    return strain > limit ? Kokkos::Experimental::quiet_NaN_v<double> : strain;
  }
};

class Histories : public ::testing::Test {
public:
  const FunctionSpace<Tri<1>, ExecutionSpace> space{
      io::box_mesh<Tri<1>, ExecutionSpace>({{4, 4, 1}, {1.0, 1.0, 1.0}}), 1};
  const std::size_t points = num_points(weak_form(Damage{}, 1.0), space.mesh());
  const View u{"Tessera::Test::u", static_cast<std::size_t>(space.num_dofs())};

  void write(const View& history, const View& values, double limit) const {
    state_at_points(ExecutionSpace(), weak_form(Breaking{{}, limit}, PointField<1, ExecutionSpace>{history}),
                    space, u, values);
  }
};

TEST_F(Histories, MayOverlapWhatTheFormReads) {
  const View both("Tessera::Test::both", points + 1);
  std::vector<double> history(points + 1);
  for (std::size_t i = 0; i < history.size(); ++i) history[i] = 0.01 * static_cast<double>(i);
  Kokkos::deep_copy(both, test::to_device<ExecutionSpace>(history));
  const View first = Kokkos::subview(both, std::pair<std::size_t, std::size_t>(0, points));
  const View second = Kokkos::subview(both, std::pair<std::size_t, std::size_t>(1, points + 1));
  history.pop_back();
  write(first, second, 1.0);
  EXPECT_EQ(test::to_host(second), history); // u is zero: the state is the history
}

TEST_F(Histories, StayWhereAStateIsNotFinite) {
  const View history("Tessera::Test::history", points);
  Kokkos::deep_copy(history, 0.25);
  Kokkos::deep_copy(Kokkos::subview(history, points / 2), 2.0);
  const auto before = test::to_host(history);
  expect_throw_with<FormError>([&] { write(history, history, 1.0); }, "has a state that is not finite");
  EXPECT_EQ(test::to_host(history), before);
}

} // namespace strategies_residual_points

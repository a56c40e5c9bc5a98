// SPDX-License-Identifier: BSD-3-Clause
// What plans keep for functions on sides: the same bits, other states, meshes and sets, and what they refuse.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/side_terms.hpp"
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace strategies_residual_side_plans {

using namespace tessera;
using namespace tessera::test::sides;
using test::expect_throw_with;

struct Infinite {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X&) const {
    return std::numeric_limits<double>::infinity();
  }
};

template <class AnySpace>
class SideTermSums : public ::testing::Test {};
TYPED_TEST_SUITE(SideTermSums, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// What the sides alone give, in an execution space.
template <class AnySpace>
std::vector<Values> sums_of() {
  using Element = Tet<1>;
  const auto mesh = test::distorted_box<Element, AnySpace>({{4, 3, 3}, {1, 1, 1}});
  const FunctionSpace<Element, AnySpace> space(mesh, 1);
  const auto form = weak_form(Nothing<>{}).on_sides(boundary_sides(mesh), Radiation{0.1}, Wave{});
  const Kokkos::View<double*, AnySpace> u = test::to_device<AnySpace>(
                                            Problem<Element>::waves(space.num_dofs(), 1)),
                                        r("Tessera::Test::r", u.extent(0));
  residual::RecomputingResidual{}.plan(space).integrate(form, u, r);
  const LinearSystem<double, AnySpace> system(space);
  assembly::RowOwner{}.plan(space, system.graph()).assemble(jacobian(form, mesh, u), system);
  return {test::to_host(r), test::to_host(system.values()), test::to_host(system.rhs())};
}

TYPED_TEST(SideTermSums, HaveTheSameBitsWithAnyThreads) {
  const auto first = sums_of<TypeParam>();
  EXPECT_GT(largest(first[1]), 0);
  for (int repetition = 0; repetition < 3; ++repetition) EXPECT_EQ(sums_of<TypeParam>(), first);
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (runs_on_host<TypeParam>) EXPECT_EQ(sums_of<Kokkos::Serial>(), first);
#endif
}

TEST(SideTerm, FollowsTheStateTheMeshAndOtherSets) {
  using Element = Quad<1>;
  auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      r("Tessera::Test::r", u.extent(0));
  Kokkos::deep_copy(u, 1.0);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto total = [&](const char* set) {
    plan.integrate(weak_form(Nothing<>{}).on_sides(mesh.side_set(set), Radiation{}, 3.0), u, r);
    double sum = 0;
    for (const double value : test::to_host(r)) sum += value;
    return sum;
  };
  EXPECT_NEAR(total("xmax"), 3.0, 1e-13);
  EXPECT_NEAR(total("ymax"), 3.0, 1e-13);
  const auto bytes = plan.report().bytes;
  Kokkos::deep_copy(u, 2.0);
  EXPECT_NEAR(total("xmax"), 48.0, 1e-12);
  typename decltype(mesh)::Coordinates x("Tessera::Test::x", mesh.coordinates().extent(0));
  Kokkos::deep_copy(x, mesh.coordinates());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < host.extent(0); ++n) host(n, 1) *= 2;
  Kokkos::deep_copy(x, host);
  mesh.move(x);
  EXPECT_NEAR(total("xmax"), 96.0, 1e-12);
  EXPECT_EQ(plan.report().bytes, bytes);
}

TEST(SideTerm, RefusesWhatItCannotMean) {
  using Element = Quad<1>;
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs())),
      r("Tessera::Test::r", u.extent(0));
  auto plan = residual::RecomputingResidual{}.plan(space);
  const LinearSystem<double, ExecutionSpace> system(space);
  auto assembly = assembly::ElementAtomic{}.plan(space, system.graph());
  const auto sides_of = [](const std::vector<std::pair<Ordinal, Ordinal>>& list) {
    const Mesh<Element, ExecutionSpace>::SideSet sides("Tessera::Test::sides", list.size());
    const auto host = Kokkos::create_mirror_view(sides);
    for (std::size_t s = 0; s < list.size(); ++s) {
      host(s, 0) = list[s].first;
      host(s, 1) = list[s].second;
    }
    Kokkos::deep_copy(sides, host);
    return sides;
  };
  const auto on = [&](const auto& sides, const auto& field) {
    return weak_form(Laplace{}).on_sides(sides, Radiation{}, field);
  };
  const auto refused = [&](const auto& form, const std::string& why) {
    expect_throw_with<ArgumentError>([&] { plan.integrate(form, u, r); }, why);
    expect_throw_with<ArgumentError>([&] { assembly.assemble(jacobian(form, mesh, u), system); }, why);
  };
  refused(on(sides_of({{0, 0}, {6, 1}}), 1.0), "on_sides: side set: entry 1 names an element that does not");
  refused(on(sides_of({{0, 4}}), 1.0), "on_sides: side set: entry 0 names a side that does not exist");
  refused(on(sides_of({{0, 1}, {5, 0}, {1, 3}}), 1.0),
          "on_sides: sides 0 and 2 of the set are the same face");
  const Kokkos::View<double*, ExecutionSpace> few("Tessera::Test::few", 2);
  refused(on(mesh.side_set("xmax"), NodalField<1, ExecutionSpace>{few}),
          "WeakForm::on_sides: auxiliary field 0 has 2 values, the nodes of this mesh have 12");
  const auto known = on(mesh.side_set("xmax"), 1.0), other = on(mesh.side_set("ymax"), 1.0);
  plan.integrate(known, u, r);
  EXPECT_NO_THROW(plan.enqueue(known, u, r));
  expect_throw_with<ArgumentError>([&] { plan.enqueue(other, u, r); }, "the plan is not prepared");
  assembly.assemble(jacobian(known, mesh, u), system);
  expect_throw_with<ArgumentError>([&] { assembly.enqueue(jacobian(other, mesh, u), system); },
                                   "the plan is not prepared");
  // Elements 2 and 5 have sides there.
  const auto nothing = weak_form(Nothing<>{}).on_sides(mesh.side_set("xmax"), Film{}, Wave{});
  const auto infinite = weak_form(Nothing<>{}).on_sides(mesh.side_set("xmax"), Film{}, Infinite{});
  Kokkos::deep_copy(u, 1.0);
  plan.integrate(nothing, u, r);
  expect_throw_with<FormError>([&] { plan.integrate(infinite, u, r); },
                               "element 2 has a residual that is not finite");
  expect_throw_with<FormError>([&] { assembly.assemble(jacobian(infinite, mesh, u), system); }, "element 2 ");
}

} // namespace strategies_residual_side_plans

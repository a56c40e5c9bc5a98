// Matrix-free operators through Kokkos Tools: see test_hooks.cpp.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/test_meshes.hpp"
#include <string>

namespace {

using namespace tessera;
using test::events_of;

template <class ExecutionSpace>
class MatrixFreeHooks : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixFreeHooks, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeHooks, EveryStrategy) {
  using Element = Quad<1>;
  using Vector = Kokkos::View<double*, TypeParam>;
  const auto exec = test::other_instance<TypeParam>();
  FunctionSpace<Element, TypeParam> space(test::distorted_box<Element, TypeParam>({{4, 3, 1}, {1, 1, 1}}), 2);
  space.constrain(1, 0, 0.5);
  space.add_point_load(2, 0, 1.5);
  const LinearElasticity<2> form;
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    const std::string& who = variant.name;
    const auto planning = events_of([&] { variant.strategy.plan(space, exec); });
    test::expect_annotated(exec, planning, who + "::plan");
    test::expect_region(planning, "::plan", who);
    const auto plan = variant.strategy.plan(space, exec);
    const auto preparing = events_of([&] { plan.template prepare<double>(form); });
    test::expect_annotated(exec, preparing, who + "::prepare");
    test::expect_region(preparing, "::prepare", who);
    const auto made = plan.template prepare<double>(form);
    const Vector x("Tessera::Test::x", made.rows()), y("Tessera::Test::y", made.rows());
    test::expect_annotated(exec, events_of([&] { made.load(exec, y); }), who + "::load");
    test::expect_annotated(exec, events_of([&] { made.diagonal(exec, y); }), who + "::diagonal");
    const auto events = events_of([&] { made.apply(exec, x, y); });
    test::expect_annotated(exec, events, who + "::apply");
    test::expect_no_global_fence(events, who + "::apply");
    test::expect_region(events, "::apply", who);
  });
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
// What assembly plans do beside what the families promise alike (see strategies/test_protocol.cpp).

#include <tessera/core/elements/elements.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/matrix_free/node_by_node.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strategies_assembly_plans {

using namespace tessera;
using test::expect_throw_with;

template <class ExecutionSpace>
class AssemblyPlans : public ::testing::Test {
public:
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  template <class Element>
  static Space<Element> space(int components) {
    Space<Element> space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), components);
    for (int c = 0; c < components; ++c) space.constrain(3, c, 0.25);
    space.add_point_load(2, 0, 1.5);
    return space;
  }

  /// Calls `visit(plan)` with every strategy's plan.
  template <class Element, class Visit>
  static void for_each_plan(const Space<Element>& space, const System& system, const Visit& visit) {
    for (const StrategyInfo& info : assembly_strategies()) {
      SCOPED_TRACE(info.name + " on " + Element::name);
      visit(*make_assembly(info.name, space, system.graph()));
    }
  }
};
TYPED_TEST_SUITE(AssemblyPlans, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(AssemblyPlans, EnqueueRefusesAnotherScalar) {
  const auto space = TestFixture::template space<Tri<1>>(1);
  const typename TestFixture::System system(space);
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    plan.prepare(Heat{}, float());
    expect_throw_with<ArgumentError>([&] { plan.enqueue(Heat{}, system); }, "not prepared");
  });
}

TYPED_TEST(AssemblyPlans, CheckNamesTheElementOnce) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  const Kokkos::View<double*, TypeParam> sigma("Tessera::Test::sigma", space.mesh().num_elements());
  Kokkos::deep_copy(sigma, 1.0);
  const Helmholtz<> form{.sigma = CellField::per_element(sigma)};
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    plan.prepare(form, double());
    Kokkos::deep_copy(Kokkos::subview(sigma, 5), NAN);
    EXPECT_NO_THROW(plan.enqueue(form, system));
    expect_throw_with<FormError>([&] { plan.check(form, system); }, "element 5 ");
    Kokkos::deep_copy(Kokkos::subview(sigma, 5), 1.0);
    EXPECT_NO_THROW(plan.check(form, system));
    EXPECT_NO_THROW(plan.assemble(form, system));
  });
}

TYPED_TEST(AssemblyPlans, OtherValuesOfAFormNeedNoPreparation) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    plan.assemble(Heat{}, system);
    const PlanReport first = plan.report();
    plan.assemble(Heat{.sigma = 3.0}, system);
    EXPECT_EQ(plan.report().prepare_seconds, first.prepare_seconds);
    EXPECT_EQ(plan.report().bytes, first.bytes);
  });
}

struct Height {
  KOKKOS_FUNCTION double operator()(const Vector<double, 3>& x) const { return x(2); }
};

TYPED_TEST(AssemblyPlans, RowOwnerReportsItsPath) {
  const auto path_of = [](const auto& space, const auto& form) {
    const LinearSystem<double, TypeParam> system(space);
    auto plan = assembly::RowOwner{}.plan(space, system.graph());
    EXPECT_EQ(plan.report().bytes, 0u);
    const PlanReport report = plan.prepare(form);
    EXPECT_GT(report.bytes, 0u);
    return report.path;
  };
  EXPECT_EQ(path_of(TestFixture::template space<Tet<1>>(1), Heat{}),
            "stars of nodes in scratch, elements in closed form");
  EXPECT_EQ(path_of(TestFixture::template space<Tet<1>>(3), LinearElasticity<3>{}),
            "rows in scratch, elements by reference tensors");
  EXPECT_EQ(path_of(TestFixture::template space<Tet<2>>(1), Helmholtz<CellField, CellField, Height>{}),
            "rows in place, elements by quadrature");
  EXPECT_EQ(path_of(TestFixture::template space<Hex<1>>(3), LinearElasticity<3>{}),
            "cells around nodes in scratch, elements by moments");
}

TYPED_TEST(AssemblyPlans, PlansAreMovedAndKept) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  std::optional kept(assembly::ElementAtomic{}.plan(space, system.graph()));
  auto moved = std::move(*kept);
  kept = assembly::ElementAtomic{}.plan(space, system.graph());
  EXPECT_NO_THROW(moved.assemble(Heat{}, system));
  EXPECT_NO_THROW(kept->assemble(Heat{}, system));
  std::optional operators(matrix_free::NodeByNode{}.plan(space));
  operators = matrix_free::NodeByNode{}.plan(space);
  std::vector made{operators->template prepare<double>(Heat{})};
  made.push_back(operators->template prepare<double>(Heat{.sigma = 2.0}));
  EXPECT_EQ(made.back().rows(), static_cast<std::size_t>(system.num_rows()));
  EXPECT_GT(made.back().report().bytes, 0u);
}

} // namespace strategies_assembly_plans

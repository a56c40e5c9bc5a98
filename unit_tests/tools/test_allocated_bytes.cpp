// SPDX-License-Identifier: BSD-3-Clause
// What plans and operators say of their memory, against the allocator (paper 5, Figure 11).

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/allocated_bytes.hpp"
#include "support/execution_spaces.hpp"
#include <type_traits>

namespace tools_allocated_bytes {

using namespace tessera;

template <class ExecutionSpace>
class AllocatedBytes : public ::testing::Test {};
TYPED_TEST_SUITE(AllocatedBytes, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(AllocatedBytes, CountsWhatIsHeld) {
  const tools::AllocatedBytes<typename TypeParam::memory_space> allocated;
  {
    const Kokkos::View<double*, TypeParam> held("Tessera::Test::held", 1000);
    EXPECT_EQ(allocated.count(), 8000);
  }
  EXPECT_EQ(allocated.count(), 0);
}

TYPED_TEST(AllocatedBytes, AreWhatOperatorsReport) {
  using Element = Quad<1>;
  const TypeParam exec;
  const FunctionSpace<Element, TypeParam> space(io::box_mesh<Element, TypeParam>({{60, 40, 1}, {1, 1, 1}}),
                                                2);
  const LinearElasticity<2> form;
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    const tools::AllocatedBytes<typename TypeParam::memory_space> allocated;
    const auto made = variant.strategy.plan(exec, space).template prepare<double>(form);
    exec.fence();
    // Beside what grows with the mesh there are a status word and the coefficients' tables.
    EXPECT_NEAR(static_cast<double>(allocated.count()), static_cast<double>(made.bytes()), 4096)
        << variant.name;
  });
}

TYPED_TEST(AllocatedBytes, AreWhatResidualPlansReport) {
  const TypeParam exec;
  const auto check = [&]<class Element, class Weak>(std::type_identity<Element>, const Weak& weak,
                                                    io::Box box) {
    const FunctionSpace<Element, TypeParam> space(io::box_mesh<Element, TypeParam>(box), Weak::components);
    space.nodal_loads(exec);
    for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
      const tools::AllocatedBytes<typename TypeParam::memory_space> allocated;
      auto plan = variant.strategy.plan(exec, space);
      EXPECT_NEAR(static_cast<double>(allocated.count()), static_cast<double>(plan.report().bytes), 4096)
          << variant.name << ", planned";
      plan.prepare(weak);
      EXPECT_NEAR(static_cast<double>(allocated.count()), static_cast<double>(plan.report().bytes), 4096)
          << variant.name << ", prepared";
    });
  };
  check(std::type_identity<Quad<1>>(), HookeanSolid<2>{}, {{60, 40, 1}, {1, 1, 1}});
  check(std::type_identity<Tet<1>>(), HookeanSolid<3>{}, {{9, 8, 7}, {1, 1, 1}});
}

TYPED_TEST(AllocatedBytes, AreWhatAssemblyPlansReport) {
  const TypeParam exec;
  const auto check = [&]<class Element, class Form>(std::type_identity<Element>, const Form& form,
                                                    io::Box box) {
    const FunctionSpace<Element, TypeParam> space(io::box_mesh<Element, TypeParam>(box), Form::components);
    const auto graph = sparsity_graph(exec, space);
    space.nodal_loads(exec);
    for (const StrategyInfo& info : assembly_strategies()) {
      const tools::AllocatedBytes<typename TypeParam::memory_space> allocated;
      const auto plan = make_assembly(exec, info.name, space, graph);
      EXPECT_NEAR(static_cast<double>(allocated.count()), static_cast<double>(plan->report().bytes), 4096)
          << info.name << ", planned";
      plan->prepare(form, double());
      EXPECT_NEAR(static_cast<double>(allocated.count()), static_cast<double>(plan->report().bytes), 4096)
          << info.name << ", prepared";
    }
  };
  check(std::type_identity<Tri<1>>(), Heat{}, {{60, 40, 1}, {1, 1, 1}});
  check(std::type_identity<Tri<1>>(), LinearElasticity<2>{}, {{60, 40, 1}, {1, 1, 1}});
  check(std::type_identity<Hex<1>>(), LinearElasticity<3>{}, {{9, 8, 7}, {1, 1, 1}});
}

} // namespace tools_allocated_bytes

// SPDX-License-Identifier: BSD-3-Clause
// A form of an application's own in every assembly strategy, Tri<1>: by the strategies' plans and by their
// names.

#include <tessera/strategies/catalogue/own_assembly.hpp>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/own_form.hpp"

namespace strategies_assembly_own_form_tri1 {

using namespace tessera;
using Form = test::DiffusionAdvectionReaction;

template <class ExecutionSpace>
class OwnFormTri1 : public ::testing::Test {};
TYPED_TEST_SUITE(OwnFormTri1, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(OwnFormTri1, AgreesAndRepeatsInEveryStrategy) { test::expect_own_form<Tri<1>, TypeParam>(); }

TYPED_TEST(OwnFormTri1, IsAssembledByTheNamesOfStrategies) {
  FunctionSpace<Tri<1>, TypeParam> space(test::distorted_box<Tri<1>, TypeParam>({{5, 4, 1}, {1.3, 1.0, 1.0}}),
                                         1);
  test::constrain(space);
  const LinearSystem<double, TypeParam> system(space);
  const LinearSystem<float, TypeParam> single(system.graph());
  const ReferenceSystem reference = reference_assembly(Form{}, space, system.graph());
  int assembled = 0;
  for (const StrategyInfo& info : assembly_strategies()) {
    SCOPED_TRACE(info.name);
    try {
      const auto plan = make_own_assembly<Form>(info.name, space, system.graph());
      EXPECT_EQ(plan->info().name, info.name);
      plan->assemble(Form{}, system);
      plan->assemble(Form{}, single);
      EXPECT_LE(system_error<double>(system, reference).max(), 1e-13);
      EXPECT_LE(system_error<float>(single, reference).max(), 1e-5);
      EXPECT_FALSE(plan->report().path.empty());
      EXPECT_GT(plan->cost(Form{}, double()).flops, 0);
      ++assembled;
    } catch (const ArgumentError& error) { // the form is not, and an option says so where it matters
      EXPECT_NE(std::string(error.what()).find("symmetric"), std::string::npos) << error.what();
    } catch (const UnsupportedError& error) { // of a device
      std::cout << info.name << ": " << error.what() << '\n';
    }
  }
  EXPECT_GE(assembled, static_cast<int>(assembly_strategies().size()) / 2);
}

TYPED_TEST(OwnFormTri1, NamesAreChecked) {
  const FunctionSpace<Tri<1>, TypeParam> space(test::distorted_box<Tri<1>, TypeParam>({{2, 2, 1}, {1, 1, 1}}),
                                               1);
  const auto graph = sparsity_graph(TypeParam(), space);
  test::expect_throw_with<ArgumentError>([&] { make_own_assembly<Form>("ElementAtom", space, graph); },
                                         "ElementAtomic");
}

} // namespace strategies_assembly_own_form_tri1

// SPDX-License-Identifier: BSD-3-Clause
// Operators by assembly kernels: blocks and passes, what they keep and what they refuse.

#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "support/operators.hpp"

namespace strategies_matrix_free_products {

using namespace tessera;
using matrix_free::ElementLocalProduct;
using matrix_free::RowSharedProduct;
using Element = Tri<3>;

template <class ExecutionSpace>
class AssemblyProducts : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Checks = test::OperatorChecks<Element, ExecutionSpace>;
};
TYPED_TEST_SUITE(AssemblyProducts, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(AssemblyProducts, SameBitsWhateverTheBlocks) {
  using Checks = typename TestFixture::Checks;
  for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    typename TestFixture::Space space(Checks::bent_mesh(), 2, treatment);
    test::constrain(space);
    const auto form = test::sample_form<TypeParam>(std::type_identity<LinearElasticity<2>>());
    const auto x = Checks::random(space.equations().count, 6);
    const auto product = [&](const RowSharedProduct& strategy) {
      return Checks::product(strategy.plan(space).template prepare<double>(form), x);
    };
    const auto plain = product({});
    constexpr long element_bytes = Element::nodes * 2 * sizeof(double), alignment = 64;
    for (const long elements : {1, 2, 7, 20})
      EXPECT_EQ(product({.scratch_bytes = elements * element_bytes + alignment}), plain) << elements;
    EXPECT_EQ(product({.partitioner = Partitioner::metis, .scratch_bytes = 2000}), plain);
    EXPECT_EQ(product({.team_size = 2}), plain);
  }
}

TYPED_TEST(AssemblyProducts, TakesPassesWhereScratchHoldsOneElement) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 1);
  const auto plan = RowSharedProduct{.scratch_bytes = Element::nodes * 8 + 64}.plan(space);
  EXPECT_GT(plan.blocks(), 1);
  EXPECT_GT(plan.passes(), plan.blocks());
}

/// What the assemblies of the same names store, times x.
TYPED_TEST(AssemblyProducts, EqualsTheAssembledMatrixTimesX) {
  using Checks = typename TestFixture::Checks;
  typename TestFixture::Space space(Checks::bent_mesh(), 2);
  test::constrain(space);
  const auto form = test::sample_form<TypeParam>(std::type_identity<LinearElasticity<2>>());
  const LinearSystem<double, TypeParam> system(space);
  const auto x = Checks::random(system.num_rows(), 4);
  const auto row_map = detail::host_vector<Offset>(system.graph().row_map);
  const auto columns = detail::host_vector<Ordinal>(system.graph().columns);
  const auto expect_product = [&](const std::string& assembly, const std::vector<double>& y) {
    make_assembly(assembly, space, system.graph())->assemble(form, system);
    const auto values = detail::host_vector<double>(system.values());
    for (Ordinal row = 0; row < system.num_rows(); ++row) {
      double sum = 0, size = 0;
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
        sum += values[k] * x[columns[k]];
        size += std::abs(values[k]);
      }
      EXPECT_NEAR(y[row], sum, 1e-14 * size) << assembly << ", row " << row;
    }
  };
  expect_product("ElementLocal",
                 Checks::product(ElementLocalProduct{}.plan(space).template prepare<double>(form), x));
  expect_product("RowShared",
                 Checks::product(RowSharedProduct{}.plan(space).template prepare<double>(form), x));
}

TYPED_TEST(AssemblyProducts, RefusesScratchThatHoldsNothing) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 2);
  const auto plan = [&](const RowSharedProduct& strategy) { return [&, strategy] { strategy.plan(space); }; };
  test::expect_throw_with<UnsupportedError>(
      plan({.scratch_bytes = 223}),
      "RowSharedProduct: the result of one element takes 224 bytes of scratch, 223 are allowed");
  test::expect_throw_with<ArgumentError>(plan({.scratch_bytes = -1}), "RowSharedProduct: scratch_bytes");
  test::expect_throw_with<ArgumentError>(plan({.team_size = -1}), "RowSharedProduct: team_size");
}

} // namespace strategies_matrix_free_products

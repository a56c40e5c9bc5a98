// SPDX-License-Identifier: BSD-3-Clause
// The reduction of element data as a sparse product: the matrix, its passes, and what it refuses.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace strategies_matrix_free_sparse_product {

using namespace tessera;
using assembly::NzGlobal;
using assembly::Reduction;
using test::expect_throw_with;
using test::on_host;
using Element = Tri<2>;
constexpr int nodes = Element::nodes;

template <class ExecutionSpace>
class SparseProduct : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  const Mesh<Element, ExecutionSpace> mesh =
      test::distorted_box<Element, ExecutionSpace>({{9, 7, 1}, {1, 1, 1}});

  /// How often each column has a one; rows have theirs side by side.
  static void count_columns(const tessera::detail::SumMatrix<ExecutionSpace>& sum,
                            std::map<Ordinal, int>& counts) {
    const auto row_map = on_host(sum.row_map);
    const auto columns = on_host(sum.columns);
    const auto values = on_host(sum.values);
    ASSERT_EQ(row_map(0), 0u);
    ASSERT_EQ(row_map(row_map.extent(0) - 1), columns.extent(0));
    for (std::size_t row = 0; row + 1 < row_map.extent(0); ++row) EXPECT_LE(row_map(row), row_map(row + 1));
    for (std::size_t k = 0; k < columns.extent(0); ++k) {
      EXPECT_EQ(values(k), 1);
      EXPECT_TRUE(columns(k) >= 0 && columns(k) < sum.num_columns);
      ++counts[columns(k)];
    }
  }
};
TYPED_TEST_SUITE(SparseProduct, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

#ifdef TESSERA_HAVE_KOKKOSKERNELS

TYPED_TEST(SparseProduct, SumsEveryNumberOfEveryElement) {
  const typename TestFixture::Space space(this->mesh, 2);
  const auto graph = sparsity_graph(TypeParam(), space);
  for (const bool symmetric : {true, false}) {
    const NzGlobal strategy{
        .symmetric = symmetric, .memory_budget = 30000, .reduction = Reduction::sparse_product};
    auto plan = strategy.plan(space, graph);
    EXPECT_GT(plan.passes(), 1u);
    std::map<int, std::size_t> numbers_by_uses;
    for (std::size_t pass = 0; pass < plan.passes(); ++pass) {
      std::map<Ordinal, int> counts;
      TestFixture::count_columns(plan.sums(pass).matrix, counts);
      TestFixture::count_columns(plan.sums(pass).rhs, counts);
      for (const auto& [column, uses] : counts) ++numbers_by_uses[uses];
    }
    // Above the diagonal blocks a symmetric matrix uses what it keeps below them.
    const std::size_t elements = this->mesh.num_elements(), below = nodes * (nodes - 1) / 2 * 4,
                      diagonal = nodes * 4, loads = nodes * 2;
    const std::map<int, std::size_t> expected =
        symmetric ? std::map<int, std::size_t>{{1, elements * (diagonal + loads)}, {2, elements * below}}
                  : std::map<int, std::size_t>{{1, elements * (2 * below + diagonal + loads)}};
    EXPECT_EQ(numbers_by_uses, expected);
  }
}

TYPED_TEST(SparseProduct, AgreesWithOracleInAnyNumberOfPasses) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    for (const std::int64_t budget : {std::int64_t(1) << 40, std::int64_t(40000), std::int64_t(1000)}) {
      SCOPED_TRACE(budget);
      typename TestFixture::Space space(this->mesh, 2, treatment);
      for (Ordinal node = 0; node < this->mesh.num_nodes(); node += 4)
        space.constrain(node, node % 2, 0.5 + node);
      const LinearSystem<double, TypeParam> system(space);
      const LinearElasticity<2> form{.body_force = {1, 2}};
      auto plan = NzGlobal{.memory_budget = budget, .reduction = Reduction::sparse_product}.plan(
          space, system.graph());
      Kokkos::deep_copy(system.values(), NAN);
      Kokkos::deep_copy(system.rhs(), NAN);
      plan.assemble(form, system);
      EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
    }
}

TYPED_TEST(SparseProduct, TakesFormsThatAreNotSymmetric) {
  const typename TestFixture::Space space(this->mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  const Helmholtz<GeneralTensor<2>> rotated{.sigma = {{{2, 1}, {-1, 2}}}};
  const auto assembled = [&](Reduction reduction) {
    const NzGlobal strategy{.symmetric = false, .reduction = reduction};
    strategy.plan(space, system.graph()).assemble(rotated, system);
    return detail::host_vector<double>(system.values());
  };
  const auto lists = assembled(Reduction::binned_lists), product = assembled(Reduction::sparse_product);
  for (std::size_t k = 0; k < lists.size(); ++k) EXPECT_NEAR(product[k], lists[k], 1e-13);
}

TYPED_TEST(SparseProduct, RefusesFormsOfOtherSymmetry) {
  const typename TestFixture::Space space(this->mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  Kokkos::deep_copy(system.values(), 17.0);
  const auto refusal = [&](bool symmetric, const auto& form) {
    const NzGlobal strategy{.symmetric = symmetric, .reduction = Reduction::sparse_product};
    return [&, strategy] { strategy.plan(space, system.graph()).assemble(form, system); };
  };
  expect_throw_with<ArgumentError>(refusal(false, Heat{}), "set the option symmetric = true");
  const Helmholtz<GeneralTensor<2>> rotated{.sigma = {{{2, 1}, {-1, 2}}}};
  expect_throw_with<ArgumentError>(refusal(true, rotated), "set the option symmetric = false");
  const auto values = on_host(system.values());
  for (std::size_t k = 0; k < values.extent(0); ++k) EXPECT_EQ(values(k), 17.0);
}

#else

TYPED_TEST(SparseProduct, NeedsKokkosKernels) {
  const typename TestFixture::Space space(this->mesh, 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const NzGlobal strategy{.reduction = Reduction::sparse_product};
  expect_throw_with<UnsupportedError>([&] { strategy.plan(space, graph); },
                                      "NzGlobal: a sparse product needs Kokkos Kernels");
}

#endif

} // namespace strategies_matrix_free_sparse_product

// SPDX-License-Identifier: BSD-3-Clause
// The upper half of a matrix, assembled by patches, and the full rows made of it.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/full_rows.hpp>
#include <tessera/strategies/assembly/patch.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <string>

namespace strategies_assembly_upper_half {

using namespace tessera;
using namespace tessera::test;
using assembly::Patch;
using assembly::PatchMethod;

template <class ExecutionSpace>
class UpperHalf : public ::testing::Test {
public:
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// Values of the upper half against those of the whole matrix.
  template <class Form, class Element>
  static void expect_upper_half(const Form& form, const Space<Element>& space, const Patch& patch) {
    const ExecutionSpace exec;
    const auto graph = sparsity_graph(exec, space);
    const auto half = assembly::upper_half(exec, graph);
    EXPECT_LT(half.num_entries(), graph.num_entries());
    const LinearSystem<double, ExecutionSpace> system(half);
    patch.plan(space, half).assemble(form, system);
    const ReferenceSystem whole = reference_assembly(form, space, graph);
    const auto row_map = to_host(half.row_map);
    const auto columns = to_host(half.columns);
    const auto values = to_host(system.values()), rhs = to_host(system.rhs());
    Offset at = 0;
    double scale = 0;
    for (const double value : whole.values) scale = std::max(scale, std::abs(value));
    for (std::size_t row = 0; row + 1 < whole.row_map.size(); ++row) {
      EXPECT_EQ(row_map[row], at);
      for (Offset k = whole.row_map[row]; k < whole.row_map[row + 1]; ++k) {
        if (whole.columns[k] < static_cast<Ordinal>(row)) continue;
        ASSERT_EQ(columns[at], whole.columns[k]);
        EXPECT_NEAR(values[at++], whole.values[k], 1e-13 * scale) << "row " << row;
      }
      EXPECT_NEAR(rhs[row], whole.rhs[row], 1e-12 * (1 + std::abs(whole.rhs[row])));
    }
    EXPECT_EQ(values.size(), at);

    const LinearSystem<double, ExecutionSpace> full(graph);
    Kokkos::deep_copy(full.values(), NAN);
    assembly::fill_full_rows(exec, system, full);
    exec.fence("Tessera::Test::full");
    const SystemError error = system_error<double>(full, whole);
    EXPECT_LE(error.matrix, 1e-13);
    EXPECT_LE(error.rhs, 1e-13);
    expect_throw_with<ArgumentError>([&] { assembly::fill_full_rows(exec, full, full); },
                                     "are not the upper half of " + std::to_string(graph.num_rows()) +
                                         " rows");
  }
};
TYPED_TEST_SUITE(UpperHalf, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(UpperHalf, HoldsTheSameValues) {
  const auto mesh = distorted_box<Tet<1>, TypeParam>({{5, 5, 5}, {1.3, 1.0, 0.8}});
  const Helmholtz<> helmholtz{
      .sigma = CellField::per_material<TypeParam>({1.0, 7.5}), .lambda = 2.0, .source = -3.0};
  for (auto method : {PatchMethod::second_array, PatchMethod::pairs})
    for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      const Patch patch{.method = method};
      FunctionSpace<Tet<1>, TypeParam> scalar(mesh, 1, treatment), vector(mesh, 3, treatment);
      this->expect_upper_half(helmholtz, scalar, patch);
      test::constrain(scalar);
      test::constrain(vector);
      this->expect_upper_half(helmholtz, scalar, patch);
      this->expect_upper_half(LinearElasticity<3>{.young = 2.0, .poisson = 0.3}, vector, patch);
    }
}

} // namespace strategies_assembly_upper_half

// SPDX-License-Identifier: BSD-3-Clause
// The rows of constraints alone, and what becomes of them when their columns go to the right-hand side.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/constrain_rows.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"

namespace core_system_constrain_rows {

using namespace tessera;
using test::expect_throw_with;
using test::to_host;

template <class ExecutionSpace>
class ConstrainRows : public ::testing::Test {
public:
  using Space = FunctionSpace<Tri<1>, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  static Space space() { return Space(test::distorted_box<Tri<1>, ExecutionSpace>({{3, 2}, {1.3, 1.0}}), 2); }
  /// One component of a node, and both of another.
  static Space constrained(ConstraintTreatment treatment) {
    Space space(ConstrainRows::space().mesh(), 2, treatment);
    space.constrain(1, 0, 0.25);
    space.constrain(5, 0, -2.0);
    space.constrain(5, 1, 3.0);
    return space;
  }
  static System assembled(const Space& space) {
    const System system(space);
    assembly::ElementAtomic{}
        .plan(space, system.graph())
        .assemble(LinearElasticity<2>{.young = 2.0, .poisson = 0.3}, system);
    return system;
  }
};
TYPED_TEST_SUITE(ConstrainRows, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

// With its columns moved to the right-hand side it is the system of the symmetric treatment.
TYPED_TEST(ConstrainRows, AreTheIdentitysAndTheColumnsStay) {
  const auto free = TestFixture::space();
  const auto system = TestFixture::assembled(free);
  constrain_rows(TypeParam(), TestFixture::constrained(ConstraintTreatment::removed), system);
  const auto symmetric = TestFixture::assembled(TestFixture::constrained(ConstraintTreatment::zeroed));

  const auto row_map = to_host(system.graph().row_map);
  const auto columns = to_host(system.graph().columns);
  const auto values = to_host(system.values()), wanted = to_host(symmetric.values());
  const auto rhs = to_host(system.rhs()), wanted_rhs = to_host(symmetric.rhs());
  const auto prescribed = [](Ordinal dof) { return dof == 2 ? 0.25 : dof == 10 ? -2.0 : 3.0; };
  const auto is_constrained = [](Ordinal dof) { return dof == 2 || dof == 10 || dof == 11; };
  int kept = 0;
  for (Ordinal row = 0; row < system.num_rows(); ++row) {
    double load = rhs[row];
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
      const bool moves = !is_constrained(row) && is_constrained(columns[k]);
      if (moves) load -= values[k] * prescribed(columns[k]);
      kept += moves && values[k] != 0;
      EXPECT_NEAR(moves ? 0.0 : values[k], wanted[k], 1e-14) << row << ", " << columns[k];
    }
    EXPECT_NEAR(load, wanted_rhs[row], 1e-14) << row;
  }
  EXPECT_GT(kept, 0);
}

TYPED_TEST(ConstrainRows, NeedAllDegreesOfFreedom) {
  const auto space = TestFixture::constrained(ConstraintTreatment::removed);
  expect_throw_with<ArgumentError>(
      [&] { constrain_rows(TypeParam(), space, typename TestFixture::System(space)); },
      "constrain_rows: a system of 21 rows with constraints for a space of 24 degrees");
  const FunctionSpace<Tri<1>, TypeParam> scalar(space.mesh(), 1);
  expect_throw_with<ArgumentError>(
      [&] { constrain_rows(TypeParam(), space, typename TestFixture::System(scalar)); },
      "constrain_rows: a system of 12 rows for a space of 24 degrees");
  const FunctionSpace<Tri<2>, TypeParam> fields(io::box_mesh<Tri<2>, TypeParam>({{1, 1}}),
                                                {.components = 2, .linear_components = 1});
  const FunctionSpace<Tri<2>, TypeParam> all(fields.mesh(), 2);
  expect_throw_with<UnsupportedError>(
      [&] { constrain_rows(TypeParam(), fields, typename TestFixture::System(all)); },
      "constrain_rows: the space has linear components");
}

} // namespace core_system_constrain_rows

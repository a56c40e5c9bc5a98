// SPDX-License-Identifier: BSD-3-Clause
// Systems split by fields, and Stokes' equations solved with a preconditioner of the two fields.

#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/fields/stokes_preconditioner.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gtest/gtest.h>

#include "solvers/fields/cavity.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace solvers_fields_block_triangular {

using namespace tessera;
using namespace tessera::solvers;

template <class ExecutionSpace>
class BlockTriangularTest : public ::testing::Test {
public:
  /// The number of iterations.
  template <int d, class Space>
  static int solve(const Space& space) {
    const ExecutionSpace exec;
    const Stokes<d> form{.viscosity = 0.01};
    const LinearSystem<double, ExecutionSpace> system(exec, space);
    assembly::ElementAtomic().plan(exec, space, system.graph()).assemble(form, system);
    const CrsOperator<double, ExecutionSpace> matrix(exec, system.graph().row_map, system.graph().columns,
                                                     system.values());
    const auto preconditioner = stokes_preconditioner(exec, form, space, system);
    const Kokkos::View<double*, ExecutionSpace> x("Tessera::Test::x", matrix.rows());
    const CgResult result = gmres(exec, matrix, preconditioner, system.rhs(), x,
                                  {.relative_tolerance = 1e-8, .max_iterations = 200}, 200);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  }

  /// The most iterations of a step of Newton's method for the plane cavity, from the flow of the Reynolds
  /// number before to that of the last one.
  static int flow(int n, const std::vector<int>& reynolds_numbers) {
    const ExecutionSpace exec;
    const auto space = test::cavity<Tri, ExecutionSpace>(n, ConstraintTreatment::removed);
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
    Newton newton(exec, space, {.relative_tolerance = 1e-2}); // all steps take about as many iterations
    int most = 0;
    for (const int reynolds : reynolds_numbers) {
      const double viscosity = 1.0 / reynolds;
      const auto preconditioner = stokes_preconditioner(exec, Stokes<2>{.viscosity = viscosity}, space);
      most = 0;
      const auto linear = [&](const auto& instance, const auto& system, const auto& x) {
        const CrsOperator<double, ExecutionSpace> matrix(instance, system.graph().row_map,
                                                         system.graph().columns, system.values());
        const CgResult result = gmres(instance, matrix, preconditioner, system.rhs(), x,
                                      {.relative_tolerance = 1e-6, .max_iterations = 800}, 800);
        EXPECT_TRUE(result.converged());
        most = std::max(most, result.iterations);
        return result;
      };
      EXPECT_TRUE(newton.solve(NavierStokes<2>{.viscosity = viscosity}, u, linear).converged());
    }
    return most;
  }
};
TYPED_TEST_SUITE(BlockTriangularTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// Each entry of the matrix is in one block, at the numbers of its row and column there.
TYPED_TEST(BlockTriangularTest, BlocksHaveTheEntriesOfTheMatrix) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto space = test::cavity<Tri, TypeParam>(3, treatment);
    const TypeParam exec;
    const LinearSystem<double, TypeParam> system(exec, space);
    const auto values = test::on_host(system.values());
    for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = static_cast<double>(k + 1);
    Kokkos::deep_copy(system.values(), values);
    const SplitSystem<double, TypeParam> split(exec, system, 2);
    const auto row_map = test::on_host(system.graph().row_map);
    const auto columns = test::on_host(system.graph().columns);
    std::size_t entries = 0;
    for (const int field : {0, 1})
      for (const int other : {0, 1}) {
        const auto block = split.block(field, other);
        const auto of_rows = test::on_host(split.equations(field)),
                   of_columns = test::on_host(split.equations(other));
        const auto block_map = test::on_host(block.row_map);
        const auto block_columns = test::on_host(block.columns);
        const auto block_values = test::on_host(block.values);
        for (std::size_t row = 0; row < split.rows(field); ++row)
          for (Offset k = block_map(row); k < block_map(row + 1); ++k, ++entries) {
            const auto whole = static_cast<Offset>(block_values(k)) - 1;
            EXPECT_EQ(columns(whole), of_columns(block_columns(k)));
            EXPECT_GE(whole, row_map(of_rows(row)));
            EXPECT_LT(whole, row_map(of_rows(row) + 1));
          }
      }
    EXPECT_EQ(entries, values.extent(0));
    EXPECT_EQ(split.rows(0) + split.rows(1), static_cast<std::size_t>(system.num_rows()));
  }
}

TYPED_TEST(BlockTriangularTest, StokesTakesFewMoreIterationsOnFinerMeshes) {
  std::vector<int> plane, solid;
  for (const int n : {6, 12, 24})
    plane.push_back(this->template solve<2>(test::cavity<Tri, TypeParam>(n, ConstraintTreatment::removed)));
  for (const int n : {3, 5})
    solid.push_back(this->template solve<3>(test::cavity<Tet, TypeParam>(n, ConstraintTreatment::removed)));
  for (std::size_t i = 1; i < plane.size(); ++i) EXPECT_LE(plane[i], 1.3 * plane[i - 1]);
  EXPECT_LE(plane.back(), 65);
  EXPECT_LE(solid[1], 1.3 * solid[0]);
  EXPECT_LE(solid[1], 80);
  this->RecordProperty("iterations", ::testing::PrintToString(plane) + ::testing::PrintToString(solid));
}

TYPED_TEST(BlockTriangularTest, InertiaTakesAsManyIterationsOnFinerMeshes) {
  std::vector<int> iterations;
  for (const int n : {6, 10}) iterations.push_back(this->flow(n, {100}));
  for (std::size_t i = 1; i < iterations.size(); ++i) EXPECT_LE(iterations[i], 1.25 * iterations[i - 1]);
  EXPECT_LE(iterations.back(), 130);
  iterations.push_back(this->flow(6, {100, 400})); // in proportion to the Reynolds number
  EXPECT_LE(iterations.back(), 6 * iterations.front());
  this->RecordProperty("iterations", ::testing::PrintToString(iterations));
}

TYPED_TEST(BlockTriangularTest, ConstrainedRowsMayStay) {
  this->template solve<2>(test::cavity<Tri, TypeParam>(6, ConstraintTreatment::zeroed));
}

TYPED_TEST(BlockTriangularTest, RefusesWhatDoesNotFit) {
  const auto space = test::cavity<Tri, TypeParam>(2, ConstraintTreatment::removed);
  const TypeParam exec;
  const LinearSystem<double, TypeParam> system(exec, space), other(exec, space);
  for (const int split : {0, 3})
    test::expect_throw_with<ArgumentError>([&] { SplitSystem<double, TypeParam>(exec, system, split); },
                                           "of 3 components");
  const SplitSystem<double, TypeParam> split(exec, system, 2);
  test::expect_throw_with<ArgumentError>([&] { split.update(exec, other); }, "another graph");
  const Kokkos::View<double*, TypeParam> wrong("Tessera::Test::x", 1);
  test::expect_throw_with<ArgumentError>([&] { split.take(exec, 0, system.rhs(), wrong); }, "1 entries");
  using None = Identity<double, TypeParam>;
  test::expect_throw_with<ArgumentError>(
      [&] { BlockTriangular<None, None, TypeParam>(exec, split, None(1), None(split.rows(1))); },
      "preconditioners of 1 and");
}

} // namespace solvers_fields_block_triangular

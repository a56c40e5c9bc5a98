// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/advection_diffusion_reaction.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/incomplete_lu.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace solvers_incomplete_lu {

using namespace tessera;
using namespace tessera::solvers;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;
using test::expect_throw_with;

/// Strong advection across a unit square.
System advection() {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{24, 24, 1}, {1, 1, 1}});
  FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("ymin"), {1.0});
  const Vector anywhere("Tessera::Test::anywhere", space.num_dofs());
  const System system(space);
  const AdvectionDiffusionReaction<2> form{.advection = {20, 9}, .reaction = 1};
  assembly::ElementAtomic{}
      .plan(space, system.graph())
      .assemble(jacobian(weak_form(form, 1.0), mesh, anywhere), system);
  return system;
}

/// Of an arrow, whose first level of fill is everything: many times the entries of the matrix.
TEST(IncompleteLu, HasRoomForAnyFill) {
  constexpr Ordinal rows = 80;
  test::HostMatrix<double> arrow;
  std::map<Ordinal, double> first;
  for (Ordinal column = 0; column < rows; ++column) first[column] = column == 0 ? 3.0 : 0.1;
  arrow.add_row(first);
  for (Ordinal row = 1; row < rows; ++row) arrow.add_row({{0, 0.2}, {row, 2.0}});
  const auto x = test::random_vector<double>(rows);
  const ExecutionSpace exec;
  const IncompleteLu<double, ExecutionSpace> lu(exec, test::to_device<ExecutionSpace>(arrow.row_map),
                                                test::to_device<ExecutionSpace>(arrow.columns),
                                                test::to_device<ExecutionSpace>(arrow.values), 1);
  const Vector found("Tessera::Test::x", to_size(rows));
  lu.apply(exec, test::to_device<ExecutionSpace>(arrow * x), found);
  const auto solution = test::to_host(found);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(solution[i], x[i], 1e-12) << i;
}

TEST(IncompleteLu, TakesFewerIterationsThanJacobiOnAdvection) {
  const System system = advection();
  const auto& graph = system.graph();
  const ExecutionSpace exec;
  const CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  const CgOptions options{.relative_tolerance = 1e-10};
  const Vector by_jacobi("Tessera::Test::x", matrix.rows());
  const int jacobi = bicgstab(exec, system, by_jacobi, options).iterations;
  int before = jacobi / 2; // half as many at least
  for (const int level : {0, 1, 2}) {
    SCOPED_TRACE(level);
    const IncompleteLu<double, ExecutionSpace> lu(system, level);
    const Vector x("Tessera::Test::x", matrix.rows());
    const auto result = bicgstab(exec, matrix, lu, system.rhs(), x, options);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, before);
    before = result.iterations;
    const auto expected = test::to_host(by_jacobi), found = test::to_host(x);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-7);
  }
}

// A triangular or tridiagonal matrix has no fill: the factors are exact.
TEST(IncompleteLu, SolvesATridiagonalMatrix) {
  using Offsets = std::vector<Offset>;
  const auto row_map = test::to_device<ExecutionSpace>(Offsets{0, 2, 5, 7});
  const auto columns = test::to_device<ExecutionSpace>(std::vector<Ordinal>{0, 1, 0, 1, 2, 1, 2});
  const auto values = test::to_device<ExecutionSpace>(std::vector<double>{4, 1, -2, 5, 3, 1, 2});
  const auto b = test::to_device<ExecutionSpace>(std::vector<double>{6, 17, 8}); // of (1, 2, 3)
  const IncompleteLu<double, ExecutionSpace> lu(ExecutionSpace(), row_map, columns, values);
  const Vector x("Tessera::Test::x", 3);
  lu.apply(ExecutionSpace(), b, x);
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(test::to_host(x)[i], i + 1);
}

TEST(IncompleteLu, SaysWhatItCannotTake) {
  using Lu = IncompleteLu<double, ExecutionSpace>;
  const ExecutionSpace exec;
  const auto row_map = test::to_device<ExecutionSpace>(std::vector<Offset>{0, 2, 4});
  const auto columns = test::to_device<ExecutionSpace>(std::vector<Ordinal>{0, 1, 0, 1});
  const auto matrix = [&](const std::vector<double>& values) {
    return test::to_device<ExecutionSpace>(values);
  };
  expect_throw_with<ArgumentError>([&] { Lu(exec, row_map, columns, matrix({1, 2, 3, 4}), -1); },
                                   "IncompleteLu: the level of fill must be at least 0, got -1");
  expect_throw_with<SolverError>([&] { Lu(exec, row_map, columns, matrix({0, 2, 3, 4})); }, "row 0");
  const Lu lu(exec, row_map, columns, matrix({1, 2, 3, 4}));
  const Vector two("Tessera::Test::two", 2), three("Tessera::Test::three", 3);
  expect_throw_with<ArgumentError>([&] { lu.apply(exec, two, three); },
                                   "IncompleteLu: x has 2 entries and y 3, both need 2");
  expect_throw_with<ArgumentError>([&] { lu.apply(exec, two, two); }, "x and y must be distinct");
}

} // namespace solvers_incomplete_lu
#endif

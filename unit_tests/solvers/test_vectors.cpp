// SPDX-License-Identifier: BSD-3-Clause
// Vectors of wrong lengths: every operator and preconditioner refuses them before it touches memory.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <string>

namespace solvers_vectors {

using namespace tessera;
using namespace tessera::solvers;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using test::expect_throw_with;

class Vectors : public ::testing::Test {
public:
  const ExecutionSpace exec;
  const Mesh<Quad<1>, ExecutionSpace> mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{7, 5, 1}, {1, 1, 1}});
  const FunctionSpace<Quad<1>, ExecutionSpace> space{mesh, 1};
  const LinearSystem<double, ExecutionSpace> system{space};

  Vectors() {
    assembly::ElementAtomic{}.plan(space, system.graph()).assemble(Helmholtz<>{.lambda = 1.0}, system);
  }

  template <class Operator>
  void refuses(const std::string& who, const Operator& a, bool in_place) const {
    SCOPED_TRACE(who);
    const std::size_t rows = a.rows();
    const Vector right("Tessera::Test::right", rows), other("Tessera::Test::other", rows),
        shorter("Tessera::Test::shorter", rows - 1);
    EXPECT_NO_THROW(a.apply(exec, right, other));
    const std::string n = std::to_string(rows), less = std::to_string(rows - 1);
    expect_throw_with<ArgumentError>([&] { a.apply(exec, shorter, right); },
                                     who + ": x has " + less + " entries and y " + n + ", both need " + n);
    expect_throw_with<ArgumentError>([&] { a.apply(exec, right, shorter); },
                                     who + ": x has " + n + " entries and y " + less + ", both need " + n);
    if (!in_place)
      expect_throw_with<ArgumentError>([&] { a.apply(exec, right, right); },
                                       who + ": x and y must be distinct");
  }
};

TEST_F(Vectors, OfWrongLengthsAreRefused) {
  const auto& graph = system.graph();
  const CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns, system.values());
  refuses("CrsOperator", matrix, false);
  const Kokkos::View<double, ExecutionSpace> sum("Tessera::Test::sum");
  const DeviceScalar<ExecutionSpace> dot(sum);
  const Vector right("Tessera::Test::right", matrix.rows()), shorter("Tessera::Test::shorter", 3);
  expect_throw_with<ArgumentError>([&] { matrix.apply_dot(exec, right, shorter, dot); },
                                   "CrsOperator: x has");
  refuses("Jacobi", Jacobi<double, ExecutionSpace>(exec, graph.row_map, graph.columns, system.values()),
          true);
  refuses("BlockJacobi",
          BlockJacobi<2, double, ExecutionSpace>(exec, graph.row_map, graph.columns, system.values()), false);
  const Multigrid<ExecutionSpace> multigrid(system, space);
  refuses("Multigrid", multigrid, true);
  expect_throw_with<ArgumentError>([&] { multigrid.solve(exec, shorter, dot); },
                                   "Multigrid: x has 3 entries");
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  refuses("KokkosKernelsOperator",
          KokkosKernelsOperator<double, ExecutionSpace>(exec, graph.row_map, graph.columns, system.values()),
          false);
  refuses(
      "KokkosKernelsGaussSeidel",
      KokkosKernelsGaussSeidel<double, ExecutionSpace>(exec, graph.row_map, graph.columns, system.values()),
      false);
#endif
}

} // namespace solvers_vectors

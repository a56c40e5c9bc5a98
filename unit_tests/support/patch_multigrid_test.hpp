// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Systems that patch multigrid solves, and its solutions.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/patch_multigrid/patch_multigrid.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <vector>

namespace tessera::test {

using namespace tessera::solvers;

/// −Δu + u on a sheared box of tetrahedra with shuffled numbers.
inline HostMatrix<double> tetrahedra(Ordinal cells) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto mesh = distorted_box<Tet<1>, Host>({{cells, cells, cells}, {1, 1, 1}});
  const FunctionSpace<Tet<1>, Host> space(mesh, 1);
  const auto graph = sparsity_graph(Host(), space);
  const auto system =
      reference_assembly(Helmholtz<>{.sigma = 1.0, .lambda = 1.0, .source = 1.0}, space, graph);
  return {to_host(graph.row_map), to_host(graph.columns), system.values};
}

template <class ExecutionSpace>
class PatchMultigridTest : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  template <BlockFormat Format = BlockFormat::symmetric_coo>
  static PatchMultigrid<ExecutionSpace, Format> make(const HostMatrix<double>& matrix,
                                                     const PatchMultigridOptions& options = {}) {
    return {ExecutionSpace(), to_device<ExecutionSpace>(matrix.row_map),
            to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values), options};
  }

  template <class Preconditioner>
  static CgResult solve(const HostMatrix<double>& matrix, const Preconditioner& preconditioner, Vector x) {
    const CrsOperator<double, ExecutionSpace> a(ExecutionSpace(), to_device<ExecutionSpace>(matrix.row_map),
                                                to_device<ExecutionSpace>(matrix.columns),
                                                to_device<ExecutionSpace>(matrix.values));
    const Vector b("Tessera::Test::b", matrix.rows());
    Kokkos::deep_copy(b, 1.0);
    Kokkos::deep_copy(x, 0.0);
    return cg(ExecutionSpace(), a, preconditioner, b, x);
  }
  template <class Preconditioner>
  static int iterations(const HostMatrix<double>& matrix, const Preconditioner& preconditioner) {
    const CgResult result = solve(matrix, preconditioner, Vector("Tessera::Test::x", matrix.rows()));
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.true_residual, 1.1e-8 * std::sqrt(matrix.rows()));
    return result.iterations;
  }

  template <class Multigrid>
  static std::vector<double> applied(const Multigrid& multigrid, const std::vector<double>& x) {
    const Vector y("Tessera::Test::y", x.size());
    multigrid.apply(ExecutionSpace(), to_device<ExecutionSpace>(x), y);
    return to_host(y);
  }
};

} // namespace tessera::test

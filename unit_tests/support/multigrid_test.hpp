// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tessera::test {

using solvers::Aggregation;
using solvers::CgResult;
using solvers::MultigridOptions;
using solvers::MultigridStorage;

template <class ExecutionSpace>
class MultigridTest : public ::testing::Test {
public:
  using Multigrid = solvers::Multigrid<ExecutionSpace>;
  using Nodes = solvers::MultigridNodes<ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  static Multigrid make(const HostMatrix<double>& matrix, const Nodes& nodes = {},
                        const MultigridOptions& options = {}) {
    return Multigrid(ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
                     to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values),
                     nodes, options);
  }

  static void refresh(Multigrid& multigrid, const HostMatrix<double>& matrix) {
    multigrid.refresh(ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
                      to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values));
  }

  /// Points of the nx × ny grid of `laplace`, `stretch` times closer along y.
  static Nodes grid(int nx, int ny, double stretch = 1) {
    Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> points("Tessera::Test::points", nx * ny, 2);
    const auto host = Kokkos::create_mirror_view(points);
    for (int n = 0; n < nx * ny; ++n) {
      host(n, 0) = n % nx;
      host(n, 1) = (n / nx) / stretch;
    }
    Kokkos::deep_copy(points, host);
    Nodes nodes;
    nodes.coordinates = points;
    return nodes;
  }

  static std::vector<double> apply(const Multigrid& multigrid, const std::vector<double>& x) {
    const Vector y("Tessera::Test::y", x.size());
    multigrid.apply(ExecutionSpace{}, to_device<ExecutionSpace>(x), y);
    Kokkos::fence();
    return to_host(y);
  }

  static std::pair<CgResult, std::vector<double>> solve(const HostMatrix<double>& matrix,
                                                        const Multigrid& multigrid,
                                                        const std::vector<double>& b,
                                                        double tolerance = 1e-8) {
    const solvers::CrsOperator<double, ExecutionSpace> a(
        ExecutionSpace{}, to_device<ExecutionSpace>(matrix.row_map),
        to_device<ExecutionSpace>(matrix.columns), to_device<ExecutionSpace>(matrix.values));
    const auto x = to_device<ExecutionSpace>(std::vector<double>(matrix.rows()));
    const CgResult result = solvers::cg(ExecutionSpace{}, a, multigrid, to_device<ExecutionSpace>(b), x,
                                        {.relative_tolerance = tolerance, .max_iterations = 200});
    return {result, to_host(x)};
  }

  /// Solves for a known solution in at most `iterations`.
  static void expect_solution(const HostMatrix<double>& matrix, const Multigrid& multigrid, int iterations) {
    const auto solution = random_vector<double>(matrix.rows());
    const auto [result, found] = solve(matrix, multigrid, matrix * solution, 1e-10);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, iterations);
    for (std::size_t row = 0; row < found.size(); ++row)
      ASSERT_NEAR(found[row], solution[row], 1e-5) << "row " << row;
  }
};

} // namespace tessera::test

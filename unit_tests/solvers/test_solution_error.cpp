// SPDX-License-Identifier: BSD-3-Clause
// The error that is estimated of a solution, against exact and direct solutions.

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/solution_error.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/systems.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace solvers_solution_error {

using namespace tessera;
using namespace tessera::test;
using solvers::CgOptions;
using solvers::CgResult;

template <class ExecutionSpace>
class ErrorOfSolutions : public ::testing::Test {
protected:
  /// Conjugate gradients with Jacobi's preconditioner.
  static auto solver(const DeviceSystem<double, ExecutionSpace>& system) {
    return [&system](const auto& b, const auto& x, const CgOptions& options = {}) {
      return solvers::cg(ExecutionSpace(), system.a, system.jacobi, b, x, options);
    };
  }
  static auto error(const DeviceSystem<double, ExecutionSpace>& system) {
    return solvers::solution_error(ExecutionSpace(), system.a, system.b, system.x, solver(system));
  }
  static double largest(const std::vector<double>& v) {
    double found = 0;
    for (const double value : v) found = std::max(found, std::abs(value));
    return found;
  }
};
TYPED_TEST_SUITE(ErrorOfSolutions, ExecutionSpaceTypes, ExecutionSpaceName);

/// Displacements of a chain of springs between a wall and a free end under forces.
std::vector<double> displacements(const std::vector<double>& stiffness, const std::vector<double>& forces) {
  std::vector<double> u(forces.size());
  std::vector<double> carried(forces.size() + 1, 0.0);
  for (std::size_t i = forces.size(); i-- > 0;) carried[i] = carried[i + 1] + forces[i];
  double at = 0;
  for (std::size_t i = 0; i < forces.size(); ++i) u[i] = at += carried[i] / stiffness[i];
  return u;
}

/// Norms of the residual do not hear the soft end, whose force is as small as its stiffness.
TYPED_TEST(ErrorOfSolutions, SoftPartsHaveTheirSay) {
  for (const double soft : {1e-3, 1e-7, 1e-12, 1e-18}) {
    std::vector<double> stiffness(31, 1.0), forces(30, 1.0);
    for (std::size_t i = 15; i < 30; ++i) {
      stiffness[i] = soft;
      forces[i] = soft * static_cast<double>(i % 3);
    }
    stiffness[30] = 0; // a free end
    const auto exact = displacements(stiffness, forces);
    const DeviceSystem<double, TypeParam> system(chain(stiffness), forces);
    const CgResult result = TestFixture::solver(system)(system.b, system.x);
    ASSERT_TRUE(result.converged());
    const auto x = to_host(system.x);
    const auto found = TestFixture::error(system);
    EXPECT_TRUE(found.known) << soft;
    EXPECT_GT(found.iterations, 0);
    const auto e = to_host(found.entries);
    double wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      wrong = std::max(wrong, std::abs(exact[i] - x[i]));
      ASSERT_NEAR(x[i] + e[i], exact[i], 1e-12 * TestFixture::largest(exact)) << soft << " " << i;
    }
    EXPECT_NEAR(TestFixture::largest(e), wrong, 0.1 * wrong + 1e-12 * TestFixture::largest(exact)) << soft;
    if (soft < 1e-10) EXPECT_GT(wrong, 0.1 * TestFixture::largest(exact)) << soft;    // and yet converged
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(to_host(system.x)[i], x[i]); // x stays
  }
}

/// Solves by elimination in long double.
std::vector<double> direct(const HostMatrix<double>& matrix, const std::vector<double>& b) {
  const std::size_t n = matrix.rows();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (Offset k = matrix.row_map[i]; k < matrix.row_map[i + 1]; ++k)
      a[i][matrix.columns[k]] = matrix.values[k];
    a[i][n] = b[i];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  std::vector<double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    long double sum = a[i][n];
    for (std::size_t j = i + 1; j < n; ++j) sum -= a[i][j] * x[j];
    x[i] = static_cast<double>(sum / a[i][i]);
  }
  return x;
}

/// Networks of springs of any stiffness, solved to any tolerance: what is said is what is.
TYPED_TEST(ErrorOfSolutions, AgreesWithDirectSolutionsOfRandomNetworks) {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int known = 0, problems = 0;
  for (int problem = 0; problem < 60; ++problem) {
    const auto rows = static_cast<std::size_t>(uniform(2, 40));
    const double contrast = uniform(0, 9);
    std::vector<std::map<Ordinal, double>> entries(rows);
    for (std::size_t i = 0; i < rows; ++i) { // a chain and some more, one end at the wall
      const double k = std::pow(10, uniform(-contrast, 0));
      entries[i][static_cast<Ordinal>(i)] += k;
      if (i > 0) {
        entries[i - 1][static_cast<Ordinal>(i - 1)] += k;
        entries[i][static_cast<Ordinal>(i - 1)] -= k;
        entries[i - 1][static_cast<Ordinal>(i)] -= k;
      }
    }
    HostMatrix<double> matrix;
    for (const auto& row : entries) matrix.add_row(row);
    std::vector<double> b(rows);
    for (double& force : b) {
      force = std::pow(10, uniform(-contrast, 0));
      force *= uniform(-1, 1);
    }
    const DeviceSystem<double, TypeParam> system(matrix, b);
    const CgOptions options{.relative_tolerance = std::pow(10, uniform(-12, -2))};
    if (!TestFixture::solver(system)(system.b, system.x, options).converged()) continue;
    const auto x = to_host(system.x), exact = direct(matrix, b);
    double wrong = 0;
    for (std::size_t i = 0; i < rows; ++i) wrong = std::max(wrong, std::abs(exact[i] - x[i]));
    const auto found = TestFixture::error(system);
    ++problems;
    if (!found.known) continue;
    ++known;
    const double said = TestFixture::largest(to_host(found.entries)), size = TestFixture::largest(exact);
    EXPECT_LE(wrong, 4 * said + 1e-15 * size) << problem;
    // Not much more than rounding of the stiffest can do to the softest.
    EXPECT_LE(said, 2 * wrong + 1e-14 * std::pow(10, contrast) * static_cast<double>(rows * rows) * size)
        << problem;
  }
  EXPECT_GT(problems, 40);
  EXPECT_GT(known, problems - 4);
}

/// What the solver throws goes on, and what it leaves undone is said.
TYPED_TEST(ErrorOfSolutions, IsNotKnownWhereTheSolverGivesUp) {
  const DeviceSystem<double, TypeParam> system(chain(std::vector<double>(101, 1.0)),
                                               std::vector<double>(100, 1.0));
  const auto solve = TestFixture::solver(system);
  ASSERT_TRUE(solve(system.b, system.x).converged());
  const auto hasty = [&](const auto& b, const auto& x) { return solve(b, x, {.max_iterations = 3}); };
  EXPECT_FALSE(solvers::solution_error(TypeParam(), system.a, system.b, system.x, hasty).known);
  const auto fails = [](const auto&, const auto&) -> CgResult { throw SolverError("out of luck"); };
  expect_throw_with<SolverError>(
      [&] { solvers::solution_error(TypeParam(), system.a, system.b, system.x, fails); }, "out of luck");
}

} // namespace solvers_solution_error

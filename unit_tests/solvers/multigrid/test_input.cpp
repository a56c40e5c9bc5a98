// SPDX-License-Identifier: BSD-3-Clause
// What multigrid takes, reports and refuses.

#include <gtest/gtest.h>

#include "support/multigrid_test.hpp"
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace solvers_multigrid_input {

using namespace tessera;
using namespace tessera::test;

TYPED_TEST_SUITE(MultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MultigridTest, TakesNearNullSpacesOfTheUser) {
  // Variables scaled by a smooth function: its inverse is what the matrix nearly annihilates.
  auto matrix = laplace<double>(50, 50);
  std::vector<double> scale(2500);
  for (int n = 0; n < 2500; ++n) scale[n] = 2 + std::sin(0.3 * (n % 50)) * std::cos(0.2 * (n / 50));
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      matrix.values[k] *= scale[row] * scale[matrix.columns[k]];
  auto nodes = this->grid(50, 50);
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> modes("Tessera::Test::modes", 2500, 1);
  const auto host = Kokkos::create_mirror_view(modes);
  for (int n = 0; n < 2500; ++n) host(n, 0) = -1 / scale[n];
  Kokkos::deep_copy(modes, host);
  nodes.near_null_space = modes;
  this->expect_solution(matrix, this->make(matrix, nodes), 25);
}

TYPED_TEST(MultigridTest, SolvesCoupledComponents) {
  const auto matrix = times_block<double>(laplace<double>(40, 40), {{2, 0.9}, {0.9, 1}});
  typename TestFixture::Nodes nodes;
  nodes.components = 2;
  this->expect_solution(matrix, this->make(matrix, nodes), 40);
}

TYPED_TEST(MultigridTest, ReportsItsLevels) {
  const auto matrix = laplace<double>(100, 80);
  const auto report = this->make(matrix, this->grid(100, 80)).report();
  ASSERT_EQ(report.levels.size(), 3u);
  EXPECT_EQ(report.levels[0].rows, 8000);
  EXPECT_EQ(report.levels[0].entries, matrix.columns.size());
  EXPECT_EQ(report.levels[1].rows, 667);
  EXPECT_EQ(report.levels[2].rows, 56);
  EXPECT_GE(report.levels[0].spectral_bound, 1.99); // 2 − O(h²) is the largest eigenvalue of D⁻¹A
  EXPECT_LE(report.levels[0].spectral_bound, 2.0001);
  EXPECT_EQ(report.levels[2].spectral_bound, 0);
  EXPECT_GT(report.operator_complexity, 1);
  EXPECT_LT(report.operator_complexity, 1.2);
  EXPECT_GT(report.bytes, 8000u * 100u);
  EXPECT_LT(report.bytes, 8000u * 450u);
  EXPECT_GT(report.setup_seconds, 0);
}

TYPED_TEST(MultigridTest, StopsAtTheLevelsThatAreAllowed) {
  MultigridOptions options;
  options.max_levels = 1; // the smoother alone
  const auto matrix = laplace<double>(40, 40);
  const auto multigrid = this->make(matrix, {}, options);
  EXPECT_EQ(multigrid.report().levels.size(), 1u);
  const auto [result, x] = this->solve(matrix, multigrid, std::vector<double>(1600, 1.0));
  EXPECT_TRUE(result.converged());
  options.max_levels = 2;
  EXPECT_EQ(this->make(matrix, {}, options).report().levels.size(), 2u);
}

TYPED_TEST(MultigridTest, NamesWhatIsWrongWithAMatrix) {
  const auto matrix = laplace<double>(20, 20);
  const auto expect = [&](const HostMatrix<double>& bad, const std::string& message) {
    expect_throw_with<SolverError>([&] { this->make(bad); }, message);
  };
  const auto with = [&](Ordinal row, Ordinal column, double value) {
    auto changed = matrix;
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.columns[k] == column) changed.values[k] = value;
    return changed;
  };
  expect(with(33, 34, std::nan("")), "row 33 of the matrix has an entry that is not finite");
  expect(with(7, 7, std::numeric_limits<double>::infinity()), "row 7 of the matrix");
  expect(with(21, 21, 0), "the diagonal entry of row 21 is missing, not positive");
  expect(with(21, 21, -4), "the diagonal entry of row 21");
  expect(with(150, 151, -0.9), "the matrix is not symmetric");
  HostMatrix<double> missing;
  missing.add_row({{0, 1.0}, {1, 0.5}});
  missing.add_row({{0, 0.5}});
  expect(missing, "the diagonal entry of row 1 is missing");
  // Positive diagonal, negative eigenvalues.
  HostMatrix<double> indefinite;
  indefinite.add_row({{0, 1.0}, {1, 3.0}});
  indefinite.add_row({{0, 3.0}, {1, 1.0}});
  expect(indefinite, "the matrix is not positive definite");
  auto shifted = laplace<double>(20, 20);
  for (std::size_t row = 0; row < shifted.rows(); ++row)
    for (Offset k = shifted.row_map[row]; k < shifted.row_map[row + 1]; ++k)
      if (shifted.columns[k] == static_cast<Ordinal>(row)) shifted.values[k] -= 1;
  expect_throw_with<SolverError>(
      [&] { this->solve(shifted, this->make(shifted), random_vector<double>(400)); }, "not");
}

TYPED_TEST(MultigridTest, SmoothsTheUsualRangeIfNoneIsGiven) {
  const auto matrix = laplace<double>(20, 20);
  const auto applied = [&](const MultigridOptions& options) {
    return this->apply(this->make(matrix, this->grid(20, 20), options), random_vector<double>(400));
  };
  const double usual = runs_on_host<TypeParam> ? 0.1 : 0.14;
  EXPECT_EQ(applied({}), applied({.smoothing_range = usual}));
  EXPECT_NE(applied({}), applied({.smoothing_range = 0.2}));
}

TYPED_TEST(MultigridTest, RefusesBadArguments) {
  const auto matrix = laplace<double>(10, 10);
  const auto expect = [&](const typename TestFixture::Nodes& nodes, const MultigridOptions& options,
                          const std::string& message) {
    expect_throw_with<ArgumentError>([&] { this->make(matrix, nodes, options); }, message);
  };
  expect({}, {.run_length = 1}, "run_length must be at least 2, got 1");
  expect({}, {.strength = 1}, "strength must be at least 0 and below 1");
  expect({}, {.smoothing_range = 0}, "smoothing_range must be above 0");
  expect({}, {.coarsest_rows = 513}, "coarsest_rows must be 1 to 512, got 513");
  expect({}, {.max_levels = 0}, "max_levels must be at least 1");
  expect(this->grid(9, 10), {}, "90 coordinates for 100 nodes");
  typename TestFixture::Nodes nodes;
  nodes.components = 3;
  expect(nodes, {}, "3 components, of which the rows are no multiple");
  nodes.components = 0;
  expect(nodes, {}, "components must be at least 1");
  nodes = {};
  nodes.near_null_space =
      Kokkos::View<double**, Kokkos::LayoutRight, TypeParam>("Tessera::Test::modes", 99, 1);
  expect(nodes, {}, "the near-null space has 99 rows and 1 modes");
  nodes = {};
  nodes.row_component = Kokkos::View<Ordinal*, TypeParam>("Tessera::Test::component", 3);
  expect(nodes, {}, "3 components of rows");
  nodes = {};
  nodes.coordinates = Kokkos::View<double**, Kokkos::LayoutRight, TypeParam>("Tessera::Test::points", 100, 1);
  expect(nodes, {}, "coordinates must have 2 or 3 columns, got 1");
  auto broken = matrix;
  broken.columns[3] = 100;
  expect_throw_with<ArgumentError>([&] { this->make(broken); }, "Multigrid: row 1 of 100");
  auto points = this->grid(10, 10);
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> bad("Tessera::Test::points", 100, 2);
  Kokkos::deep_copy(bad, std::nan(""));
  points.coordinates = bad;
  expect_throw_with<MeshError>([&] { this->make(matrix, points); }, "coordinate that is not finite");
}

} // namespace solvers_multigrid_input

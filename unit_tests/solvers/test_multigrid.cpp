#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::test;
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

TYPED_TEST_SUITE(MultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

/// −Δ on a grid with natural boundary values all around: rows sum to zero.
HostMatrix<double> natural(int nx, int ny) {
  auto matrix = laplace<double>(nx, ny);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.columns[k] == static_cast<Ordinal>(row))
        matrix.values[k] = static_cast<double>(matrix.row_map[row + 1] - matrix.row_map[row] - 1);
  return matrix;
}

/// −u_xx − s u_yy.
HostMatrix<double> anisotropic(int nx, int ny, double s) {
  auto matrix = laplace<double>(nx, ny);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      const auto distance = std::abs(matrix.columns[k] - static_cast<Ordinal>(row));
      matrix.values[k] = distance == 0 ? 2 + 2 * s : distance == 1 ? -1 : -s;
    }
  return matrix;
}

/// Harmonic means of `inside` in a disc and 1 outside as conductivities between neighbours.
HostMatrix<double> jumping(int n, double inside) {
  const auto conductivity = [&](int node) {
    const double x = node % n - n / 2.3, y = node / n - n / 1.9;
    return x * x + y * y < n * n / 9.0 ? inside : 1.0;
  };
  auto matrix = laplace<double>(n, n);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    Offset diagonal = 0;
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      if (matrix.columns[k] == static_cast<Ordinal>(row)) {
        diagonal = k;
        continue;
      }
      const double a = conductivity(static_cast<int>(row)), b = conductivity(matrix.columns[k]);
      matrix.values[k] = -2 * a * b / (a + b);
      sum -= matrix.values[k];
    }
    matrix.values[diagonal] =
        sum + (4 - (matrix.row_map[row + 1] - matrix.row_map[row] - 1)) * conductivity(row);
  }
  return matrix;
}

TYPED_TEST(MultigridTest, SolvesLaplaceWithEveryOption) {
  const auto matrix = laplace<double>(70, 60);
  for (const auto storage : {MultigridStorage::half, MultigridStorage::single})
    for (const auto aggregation :
         {Aggregation::runs, Aggregation::independent_sets, Aggregation::automatic}) {
      MultigridOptions options;
      options.storage = storage;
      options.aggregation = aggregation;
      options.run_length = 9;
      const auto multigrid = this->make(matrix, this->grid(70, 60), options);
      this->expect_solution(matrix, multigrid, 22);
      EXPECT_EQ(multigrid.report().levels[0].aggregation,
                aggregation == Aggregation::independent_sets ? "independent sets" : "runs of 9");
    }
  this->expect_solution(matrix, this->make(matrix), 22);
  this->expect_solution(badly_scaled(matrix, 1e3), this->make(badly_scaled(matrix, 1e3), this->grid(70, 60)),
                        40);
}

TYPED_TEST(MultigridTest, IsSymmetricAndPositive) {
  const auto matrix = laplace<double>(40, 30);
  const auto multigrid = this->make(matrix, this->grid(40, 30));
  for (unsigned seed = 1; seed < 6; ++seed) {
    const auto x = random_vector<double>(1200, seed), y = random_vector<double>(1200, seed + 100);
    const auto mx = this->apply(multigrid, x), my = this->apply(multigrid, y);
    double xmy = 0, ymx = 0, xmx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xmy += x[i] * my[i];
      ymx += y[i] * mx[i];
      xmx += x[i] * mx[i];
    }
    EXPECT_GT(xmx, 0);
    EXPECT_NEAR(xmy, ymx, 1e-4 * xmx);
  }
}

TYPED_TEST(MultigridTest, RepeatsBitForBit) {
  const auto matrix = jumping(50, 100);
  const auto b = random_vector<double>(2500);
  const auto first = this->solve(matrix, this->make(matrix, this->grid(50, 50)), b);
  for (int repetition = 0; repetition < 10; ++repetition) {
    const auto again = this->solve(matrix, this->make(matrix, this->grid(50, 50)), b);
    ASSERT_EQ(again.first.history, first.first.history);
    ASSERT_EQ(again.second, first.second);
  }
}

TYPED_TEST(MultigridTest, RefreshEqualsSetUp) {
  MultigridOptions options;
  options.aggregation = Aggregation::runs;
  const auto before = laplace<double>(50, 40), after = badly_scaled(jumping(50, 2), 3);
  auto changed = before;
  for (std::size_t k = 0; k < changed.values.size(); ++k) changed.values[k] *= 3.5;
  auto multigrid = this->make(before, this->grid(50, 40), options);
  this->refresh(multigrid, changed);
  const auto x = random_vector<double>(2000);
  EXPECT_EQ(this->apply(multigrid, x), this->apply(this->make(changed, this->grid(50, 40), options), x));
  this->expect_solution(changed, multigrid, 25);
  EXPECT_GT(multigrid.report().refresh_seconds, 0);
  expect_throw_with<ArgumentError>([&] { this->refresh(multigrid, after); },
                                   "wants the pattern of the set-up");
}

TYPED_TEST(MultigridTest, RefreshKeepsAggregatesOfStrongCouplings) {
  const auto even = jumping(50, 50), steeper = jumping(50, 80);
  auto multigrid = this->make(even, this->grid(50, 50));
  EXPECT_EQ(multigrid.report().levels[0].aggregation, "independent sets");
  this->refresh(multigrid, steeper);
  this->expect_solution(steeper, multigrid, 25);
}

TYPED_TEST(MultigridTest, SolvesUnevenProblems) {
  for (const double inside : {1e2, 1e4, 1e6})
    this->expect_solution(jumping(60, inside), this->make(jumping(60, inside), this->grid(60, 60)), 30);
  const auto stretched = anisotropic(60, 60, 1e4);
  this->expect_solution(stretched, this->make(stretched, this->grid(60, 60, 100)), 25);
  this->expect_solution(stretched, this->make(stretched), 25);
}

TYPED_TEST(MultigridTest, SolvesTrivialMatrices) {
  HostMatrix<double> one, diagonal;
  one.add_row({{0, 4.0}});
  for (Ordinal row = 0; row < 500; ++row) diagonal.add_row({{row, 1.0 + row}});
  EXPECT_NEAR(this->apply(this->make(one), {8.0})[0], 2, 1e-5);
  const auto b = random_vector<double>(500);
  const auto [result, x] = this->solve(diagonal, this->make(diagonal), b);
  EXPECT_LE(result.iterations, 2); // single precision's rounding takes the second
  for (std::size_t row = 0; row < x.size(); ++row) EXPECT_NEAR(x[row], b[row] / (1.0 + row), 1e-6);
  EXPECT_EQ(this->make(HostMatrix<double>{}).rows(), 0u);
  EXPECT_TRUE(this->apply(this->make(HostMatrix<double>{}), {}).empty());
  for (const int size : {2, 3, 128, 129, 300}) {
    const auto path = laplace<double>(size, 1);
    this->expect_solution(path, this->make(path), 30);
  }
}

TYPED_TEST(MultigridTest, LeavesIdentityRowsToTheSmoother) {
  auto matrix = laplace<double>(50, 50); // every seventh row is the identity's, and its column
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (row % 7 == 0 || matrix.columns[k] % 7 == 0)
        matrix.values[k] = matrix.columns[k] == static_cast<Ordinal>(row) ? 1 : 0;
  for (const auto aggregation : {Aggregation::runs, Aggregation::independent_sets}) {
    MultigridOptions options;
    options.aggregation = aggregation;
    this->expect_solution(matrix, this->make(matrix, this->grid(50, 50), options), 30);
  }
}

TYPED_TEST(MultigridTest, SolvesDisconnectedParts) {
  auto matrix = laplace<double>(60, 40);
  for (std::size_t row = 0; row < matrix.rows(); ++row) // cut between columns 29 and 30 of the grid
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if ((row % 60 < 30) != (matrix.columns[k] % 60 < 30)) matrix.values[k] = 0;
  this->expect_solution(matrix, this->make(matrix, this->grid(60, 40)), 25);
}

TYPED_TEST(MultigridTest, FindsAndProjectsConstants) {
  const auto matrix = natural(50, 40);
  const auto multigrid = this->make(matrix, this->grid(50, 40));
  EXPECT_TRUE(multigrid.report().singular);
  const auto b = to_device<TypeParam>(random_vector<double>(2000));
  multigrid.remove_null_space(TypeParam{}, b);
  const auto balanced = to_host(b);
  double sum = 0;
  for (const double value : balanced) sum += value;
  EXPECT_NEAR(sum, 0, 1e-10);
  const auto [result, x] = this->solve(matrix, multigrid, balanced);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 24);
  const auto product = matrix * x;
  for (std::size_t row = 0; row < x.size(); ++row) EXPECT_NEAR(product[row], balanced[row], 1e-6);
  // A matrix that is not singular is left alone.
  const auto regular = laplace<double>(20, 20);
  const auto c = to_device<TypeParam>(std::vector<double>(400, 1.0));
  this->make(regular).remove_null_space(TypeParam{}, c);
  EXPECT_EQ(to_host(c), std::vector<double>(400, 1.0));
  expect_throw_with<ArgumentError>([&] { multigrid.remove_null_space(TypeParam{}, c); },
                                   "400 entries for 2000 rows");
}

TYPED_TEST(MultigridTest, ToleratesNearlySingularMatrices) {
  auto matrix = natural(50, 40);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.columns[k] == static_cast<Ordinal>(row)) matrix.values[k] += 1e-8;
  const auto multigrid = this->make(matrix, this->grid(50, 40));
  EXPECT_FALSE(multigrid.report().singular);
  const auto [result, x] = this->solve(matrix, multigrid, std::vector<double>(2000, 1.0));
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 30);
}

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
  EXPECT_EQ(report.levels[1].rows, 297);
  EXPECT_EQ(report.levels[2].rows, 11);
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

} // namespace

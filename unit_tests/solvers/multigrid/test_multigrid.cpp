// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/multigrid_test.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace solvers_multigrid_multigrid {

using namespace tessera;
using namespace tessera::test;

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

/// A grid's Laplacian and on some of its cells a stiff u₁ + u₂ − u₃ − u₄ = 0, as slivers have: the corners of
/// such a cell have entries that outweigh the diagonal.
HostMatrix<double> with_slivers(int n) {
  const auto size = static_cast<std::size_t>(n) * n;
  std::vector<std::map<Ordinal, double>> rows(size);
  const auto grid = laplace<double>(n, n);
  for (std::size_t row = 0; row < size; ++row)
    for (Offset k = grid.row_map[row]; k < grid.row_map[row + 1]; ++k)
      rows[row][grid.columns[k]] = grid.values[k];
  for (int y = 0; y + 1 < n; ++y)
    for (int x = y % 3; x + 1 < n; x += 3) {
      const Ordinal corners[] = {y * n + x, y * n + x + n + 1, y * n + x + 1, y * n + x + n};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) rows[corners[i]][corners[j]] += 50 * ((i < 2) == (j < 2) ? 1 : -1);
    }
  HostMatrix<double> matrix;
  for (const auto& row : rows) matrix.add_row(row);
  return matrix;
}

TYPED_TEST(MultigridTest, BoundsTheSpectrumAmongSlivers) {
  const auto matrix = with_slivers(60);
  const auto multigrid = this->make(matrix, this->grid(60, 60), {.aggregation = Aggregation::runs});
  EXPECT_LE(multigrid.report().levels[0].spectral_bound, 2.03); // it is 3.8 with the diagonal alone
  this->expect_solution(matrix, multigrid, 120);
  auto again = this->make(matrix, this->grid(60, 60), {.aggregation = Aggregation::runs});
  this->refresh(again, matrix);
  EXPECT_EQ(this->apply(again, random_vector<double>(3600)),
            this->apply(multigrid, random_vector<double>(3600)));
}

TYPED_TEST(MultigridTest, SolvesLaplaceWithEveryOption) {
  const auto matrix = laplace<double>(70, 60);
  for (const auto storage : {MultigridStorage::half, MultigridStorage::single})
    for (const auto aggregation : {Aggregation::runs, Aggregation::independent_sets,
                                   Aggregation::matched_pairs, Aggregation::automatic}) {
      MultigridOptions options;
      options.storage = storage;
      options.aggregation = aggregation;
      options.run_length = 9;
      const auto multigrid = this->make(matrix, this->grid(70, 60), options);
      this->expect_solution(matrix, multigrid, 22);
      EXPECT_EQ(multigrid.report().levels[0].aggregation,
                aggregation == Aggregation::independent_sets ? "independent sets"
                : aggregation == Aggregation::matched_pairs  ? "matched pairs"
                                                             : "runs of 9");
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

template <class Space>
struct Give {
  solvers::multigrid::Gate<Space> gate;
  Kokkos::View<double*, Space> to;
  KOKKOS_FUNCTION void operator()(int row) const { to(row) = gate.give(row); }
};

TYPED_TEST(MultigridTest, GivesThroughTheGateWhatItApplies) {
  const auto matrix = laplace<double>(40, 30);
  const auto multigrid = this->make(matrix, this->grid(40, 30));
  const auto r = random_vector<double>(1200);
  const auto z = this->apply(multigrid, r);
  double expected = 0;
  for (std::size_t i = 0; i < r.size(); ++i) expected += r[i] * z[i];
  const Kokkos::View<double, TypeParam> dot(std::string("dot"));
  multigrid.solve(TypeParam{}, to_device<TypeParam>(r), dot);
  double found = 0;
  Kokkos::deep_copy(found, dot);
  EXPECT_NEAR(found, expected, 1e-6 * expected);
  const auto given = to_device<TypeParam>(std::vector<double>(1200));
  const auto gate = multigrid.gate();
  Kokkos::parallel_for("give", Kokkos::RangePolicy<TypeParam>(0, 1200), Give<TypeParam>{gate, given});
  EXPECT_EQ(to_host(given), z);
}

TYPED_TEST(MultigridTest, RepeatsBitForBit) {
  const auto matrix = jumping(50, 100);
  const auto b = random_vector<double>(2500);
  const auto first = this->solve(matrix, this->make(matrix, this->grid(50, 50)), b);
  const int repetitions = TypeParam().concurrency() == 1 ? 2 : 10; // threads and devices change their order
  for (int repetition = 0; repetition < repetitions; ++repetition) {
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

/// As many rows and entries in other places.
TYPED_TEST(MultigridTest, RefreshRefusesAnotherPattern) {
  const auto wide = laplace<double>(40, 30), high = laplace<double>(30, 40);
  ASSERT_EQ(wide.columns.size(), high.columns.size());
  auto multigrid = this->make(wide, this->grid(40, 30));
  expect_throw_with<ArgumentError>(
      [&] { this->refresh(multigrid, high); },
      "Multigrid: refresh wants the pattern of the set-up; this one has as many rows "
      "and entries, but other places");
  auto reversed = wide; // columns of two rows of as many entries, exchanged
  std::swap_ranges(reversed.columns.begin() + wide.row_map[41], reversed.columns.begin() + wide.row_map[42],
                   reversed.columns.begin() + wide.row_map[42]);
  expect_throw_with<ArgumentError>([&] { this->refresh(multigrid, reversed); }, "but other places");
  this->expect_solution(wide, multigrid, 25); // as it was
  this->refresh(multigrid, wide);
  this->expect_solution(wide, multigrid, 25);
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
  for (const auto aggregation :
       {Aggregation::runs, Aggregation::independent_sets, Aggregation::matched_pairs}) {
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
  // The solution is 10^8: rounding keeps the residual above 4e-8.
  const auto [result, x] = this->solve(matrix, multigrid, std::vector<double>(2000, 1.0), 1e-6);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 30);
}

} // namespace solvers_multigrid_multigrid

// SPDX-License-Identifier: BSD-3-Clause
// Patch multigrid: its matrices against the source entry by entry, the cycle's symmetry, and iterations of
// CG.

#include <tessera/solvers/jacobi.hpp>

#include <gtest/gtest.h>

#include "support/patch_multigrid_test.hpp"
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace solvers_patch_multigrid_patch_multigrid {

using namespace tessera;
using namespace tessera::solvers;
using namespace tessera::test;
namespace pm = tessera::solvers::patch_multigrid::detail;

/// A_I + A_B + A_D gathered entry by entry.
template <BlockFormat Format, class ExecutionSpace>
void expect_same_entries(const HostMatrix<double>& matrix) {
  using Graph = NodeGraph<ExecutionSpace>;
  const ExecutionSpace exec;
  const Graph graph{to_device<ExecutionSpace>(matrix.row_map), to_device<ExecutionSpace>(matrix.columns)};
  const auto partition = double_partition(exec, graph);
  ASSERT_GT(partition.num_patches, 1);
  const auto a = pm::permuted<ExecutionSpace>(
      exec, {graph.row_map, graph.columns, to_device<ExecutionSpace>(matrix.values)}, partition.nodes);
  const auto p = patch_multigrid::patch_matrix<double, Format, ExecutionSpace>(
      exec, pm::views(a), pm::patches_of_rows(exec, partition), partition.patch_offsets);
  const auto old_row = to_host(partition.nodes.new_to_old);
  std::map<std::pair<Ordinal, Ordinal>, double> entries;
  const auto note = [&](Ordinal i, Ordinal j, double value) {
    EXPECT_TRUE(entries.emplace(std::pair(old_row[i], old_row[j]), value).second) << i << ", " << j;
  };
  const auto offsets = to_host(p.patch_offsets);
  const auto begin = to_host(p.block_begin);
  const auto places = to_host(p.places);
  const auto values = to_host(p.values), diagonal = to_host(p.diagonal);
  const auto row_begin = to_host(p.row_begin);
  for (Ordinal patch = 0; patch < p.patches(); ++patch) {
    const Ordinal first = offsets[patch], size = offsets[patch + 1] - first;
    Ordinal row = 0;
    for (Offset k = begin[patch]; k < begin[patch + 1]; ++k) {
      if constexpr (Format == BlockFormat::symmetric_coo) {
        const Ordinal i = first + (places[k] >> 16), j = first + (places[k] & 0xffff);
        EXPECT_LT(i, j);
        note(i, j, values[k]);
        note(j, i, values[k]);
      } else if constexpr (Format == BlockFormat::csr) {
        while (row_begin[first + row + 1] <= k) ++row;
        note(first + row, first + places[k], values[k]);
      } else if (places[k] != decltype(p)::padding) {
        note(first + static_cast<Ordinal>((k - begin[patch]) % size), first + places[k], values[k]);
      }
    }
  }
  const auto rows = to_host(p.boundary_rows), columns = to_host(p.boundary_columns);
  const auto boundary = to_host(p.boundary_begin);
  const auto boundary_values = to_host(p.boundary_values);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (Offset k = boundary[r]; k < boundary[r + 1]; ++k) note(rows[r], columns[k], boundary_values[k]);
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    note(static_cast<Ordinal>(i), static_cast<Ordinal>(i), diagonal[i]);
  std::map<std::pair<Ordinal, Ordinal>, double> expected;
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (Offset k = matrix.row_map[i]; k < matrix.row_map[i + 1]; ++k)
      expected[{static_cast<Ordinal>(i), matrix.columns[k]}] = matrix.values[k];
  // The upper half stands for both: they differ by the rounding of the assembly.
  ASSERT_EQ(entries.size(), expected.size());
  for (const auto& [at, value] : expected) {
    ASSERT_TRUE(entries.contains(at));
    EXPECT_NEAR(entries[at], value, 1e-14);
  }
}

TYPED_TEST_SUITE(PatchMultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(PatchMultigridTest, PatchMatrixHoldsEveryEntryOnce) {
  const auto matrix = tetrahedra(11);
  expect_same_entries<BlockFormat::symmetric_coo, TypeParam>(matrix);
  expect_same_entries<BlockFormat::csr, TypeParam>(matrix);
  expect_same_entries<BlockFormat::ell, TypeParam>(matrix);
}

TYPED_TEST(PatchMultigridTest, ProductsAgreeWithTheirDefinition) {
  const TypeParam exec;
  const auto matrix = tetrahedra(8);
  const pm::SparseMatrix<TypeParam> a{
      {to_device<TypeParam>(matrix.row_map), to_device<TypeParam>(matrix.columns)},
      to_device<TypeParam>(matrix.values)};
  const auto square = pm::product(exec, "square", a, a, a.rows());
  const HostMatrix<double> host{to_host(square.graph.row_map), to_host(square.graph.columns),
                                to_host(square.values)};
  const auto x = random_vector<double>(matrix.rows());
  const auto expected = matrix * (matrix * x), got = host * x;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13);
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (Offset k = host.row_map[i] + 1; k < host.row_map[i + 1]; ++k)
      EXPECT_LT(host.columns[k - 1], host.columns[k]);

  const auto p =
      pm::tentative_prolongator<TypeParam>(exec, to_device<TypeParam>(std::vector<Ordinal>{2, 0, 2, 1, 2}));
  Kokkos::deep_copy(p.values, to_device<TypeParam>(std::vector<double>{1, 2, 3, 4, 5}));
  const auto r = pm::transposed(exec, p, 4);
  EXPECT_EQ(to_host(r.graph.row_map), (std::vector<Offset>{0, 1, 2, 5, 5}));
  EXPECT_EQ(to_host(r.graph.columns), (std::vector<Ordinal>{1, 3, 0, 2, 4}));
  EXPECT_EQ(to_host(r.values), (std::vector<double>{2, 4, 1, 3, 5}));
}

TYPED_TEST(PatchMultigridTest, CycleIsSymmetricAndPositive) {
  const auto matrix = tetrahedra(13);
  const auto multigrid = this->make(matrix, {.precision = {Precision::double_precision}});
  ASSERT_GE(multigrid.report().levels.size(), 2u);
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (unsigned seed : {1, 2, 3}) {
    const auto x = random_vector<double>(matrix.rows(), seed),
               y = random_vector<double>(matrix.rows(), seed + 9);
    const auto mx = this->applied(multigrid, x), my = this->applied(multigrid, y);
    EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-12 * std::sqrt(dot(mx, x) * dot(my, y)));
    EXPECT_GT(dot(mx, x), 0);
  }
}

TYPED_TEST(PatchMultigridTest, IterationsAreFew) {
  const auto matrix = tetrahedra(15);
  const int patches = this->iterations(matrix, this->make(matrix));
  EXPECT_LE(patches, 20);
  EXPECT_EQ(this->iterations(matrix, this->template make<BlockFormat::csr>(matrix)), patches);
  EXPECT_EQ(this->iterations(matrix, this->template make<BlockFormat::ell>(matrix)), patches);
  for (const std::vector<Precision>& precision :
       {std::vector{Precision::double_precision}, {Precision::double_precision, Precision::single_precision}})
    EXPECT_NEAR(this->iterations(matrix, this->make(matrix, {.coarsest = 50, .precision = precision})),
                patches, 2);
  // Jacobi's relaxation, and aggregates that are not smoothed, need more.
  EXPECT_GT(this->iterations(matrix, this->make(matrix, {.inner_iterations = 1})), patches);
  EXPECT_GT(this->iterations(matrix, this->make(matrix, {.smoothing = 0})), patches);
}

// One partition of the mesh's nodes serves assembly and solver: that which the solver makes by itself changes
// nothing when it is given, and another one is taken as it is.
TYPED_TEST(PatchMultigridTest, TakesAndReturnsThePartitionOfTheMesh) {
  const auto matrix = tetrahedra(13);
  const auto row_map = to_device<TypeParam>(matrix.row_map);
  const auto columns = to_device<TypeParam>(matrix.columns);
  const auto with = [&](const DoublePartition<TypeParam>& partition) {
    return PatchMultigrid<TypeParam>(TypeParam(), row_map, columns, to_device<TypeParam>(matrix.values),
                                     partition);
  };
  const auto own = this->make(matrix);
  ASSERT_EQ(own.partition().num_patches, own.report().levels[0].patches);
  const auto again = with(own.partition());
  EXPECT_EQ(this->iterations(matrix, again), this->iterations(matrix, own));
  const auto small = double_partition<TypeParam>(TypeParam(), {row_map, columns},
                                                 {.lightest_patch = 20, .heaviest_patch = 60});
  const auto of_mesh = with(small);
  EXPECT_EQ(of_mesh.report().levels[0].patches, small.num_patches);
  EXPECT_GT(small.num_patches, own.partition().num_patches);
  EXPECT_EQ(of_mesh.partition().nodes.new_to_old.data(), small.nodes.new_to_old.data());
  EXPECT_LE(this->iterations(matrix, of_mesh), 22);
  const auto other =
      double_partition<TypeParam>(TypeParam(), {to_device<TypeParam>(std::vector<Offset>{0, 0}), {}});
  expect_throw_with<ArgumentError>([&] { with(other); },
                                   "PatchMultigrid: a partition of 1 nodes for a matrix of " +
                                       std::to_string(matrix.rows()) + " rows");
}

TYPED_TEST(PatchMultigridTest, SolvesSmallSystemsDirectly) {
  const auto matrix = tetrahedra(4);
  const auto multigrid = this->make(matrix);
  EXPECT_EQ(multigrid.report().levels.size(), 1u);
  EXPECT_EQ(this->iterations(matrix, multigrid), 1);
  HostMatrix<double> one;
  one.add_row({{0, 4.0}});
  EXPECT_DOUBLE_EQ(this->applied(this->make(one), {2.0})[0], 0.5);
}

TYPED_TEST(PatchMultigridTest, RepeatsBitwiseByRows) {
  const auto matrix = tetrahedra(13);
  std::vector<double> first;
  const int runs = TypeParam().concurrency() == 1 ? 2 : 5; // threads and devices change their order
  for (int run = 0; run < runs; ++run) {
    const typename TestFixture::Vector x("Tessera::Test::x", matrix.rows());
    this->solve(matrix, this->template make<BlockFormat::csr>(matrix), x);
    if (run == 0) first = to_host(x);
    EXPECT_EQ(to_host(x), first);
  }
}

TYPED_TEST(PatchMultigridTest, RefusesBadInput) {
  const auto matrix = tetrahedra(4);
  const auto refuse = [&](const PatchMultigridOptions& options, const std::string& message) {
    expect_throw_with<ArgumentError>([&] { this->make(matrix, options); }, "PatchMultigrid: " + message);
  };
  refuse({.inner_iterations = 0}, "inner_iterations must be at least 1, got 0");
  refuse({.relaxation = 2}, "relaxation must lie between 0 and 2");
  refuse({.smoothing = -1}, "smoothing must be at least 0 and below 2");
  refuse({.coarsest = 0}, "coarsest must be at least 1, got 0");
  refuse({.precision = {}}, "precision must name at least one level's");

  HostMatrix<double> loose;
  for (Ordinal row = 0; row < 600; ++row) loose.add_row({{row, 1.0}});
  expect_throw_with<UnsupportedError>([&] { this->make(loose); }, "600 nodes without neighbours are left");
  auto broken = matrix;
  broken.columns[3] = -1;
  expect_throw_with<ArgumentError>([&] { this->make(broken); }, "PatchMultigrid: row ");
  for (const double bad : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    auto wrong = tetrahedra(9);
    for (Offset k = wrong.row_map[7]; k < wrong.row_map[8]; ++k)
      if (wrong.columns[k] == 7) wrong.values[k] = bad;
    expect_throw_with<SolverError>([&] { this->make(wrong); },
                                   "PatchMultigrid: the diagonal entry of row 7 is ");
  }
  auto indefinite = matrix;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (Offset k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.columns[k] != static_cast<Ordinal>(row)) indefinite.values[k] *= 3;
  expect_throw_with<SolverError>([&] { this->make(indefinite); }, "is not positive definite: pivot ");
}

} // namespace solvers_patch_multigrid_patch_multigrid

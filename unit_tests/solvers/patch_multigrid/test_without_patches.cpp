// SPDX-License-Identifier: BSD-3-Clause
// Multigrid without patches, against its definition and against patches with one inner iteration.

#include <gtest/gtest.h>

#include "support/patch_multigrid_test.hpp"
#include <algorithm>
#include <numeric>
#include <vector>

namespace solvers_patch_multigrid_without_patches {

using namespace tessera;
using namespace tessera::test;

TYPED_TEST_SUITE(PatchMultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

/// The V-cycle of two levels by its definition: from zero, `sweeps` of Jacobi's method, the coarser level's
/// solution, and `sweeps` again.
std::vector<double> two_level_cycle(const HostMatrix<double>& a, const std::vector<Ordinal>& aggregate,
                                    double radius, int sweeps, const std::vector<double>& b) {
  constexpr double weight = 4.0 / 3; // of relaxation and of smoothing, as the options have them
  const std::size_t rows = a.rows();
  std::vector<double> d(rows), u(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (Offset k = a.row_map[i]; k < a.row_map[i + 1]; ++k)
      if (a.columns[k] == static_cast<Ordinal>(i)) d[i] = a.values[k];
  const auto residual = [&] {
    auto r = a * u;
    for (std::size_t i = 0; i < rows; ++i) r[i] = b[i] - r[i];
    return r;
  };
  const auto relax = [&] {
    for (int k = 0; k < sweeps; ++k) {
      const auto r = residual();
      for (std::size_t i = 0; i < rows; ++i) u[i] += weight / radius / d[i] * r[i];
    }
  };
  relax();
  const auto count = static_cast<std::size_t>(*std::max_element(aggregate.begin(), aggregate.end())) + 1;
  const auto smoothed = [&](const std::vector<double>& fine) {
    auto product = a * fine;
    for (std::size_t i = 0; i < rows; ++i) product[i] = fine[i] - weight / radius / d[i] * product[i];
    return product;
  };
  const auto prolong = [&](const std::vector<double>& coarse) {
    std::vector<double> fine(rows);
    for (std::size_t i = 0; i < rows; ++i) fine[i] = coarse[aggregate[i]];
    return smoothed(fine);
  };
  const auto restricted = [&](std::vector<double> fine) { // P̂ᵀ (I − ω A D⁻¹)
    auto scaled = fine;
    for (std::size_t i = 0; i < rows; ++i) scaled[i] *= weight / radius / d[i];
    const auto product = a * scaled;
    std::vector<double> coarse(count);
    for (std::size_t i = 0; i < rows; ++i) coarse[aggregate[i]] += fine[i] - product[i];
    return coarse;
  };
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  // R A P by conjugate gradients, to rounding.
  std::vector<double> r = restricted(residual()), p = r, e(count);
  const double begin = dot(r, r);
  for (double now = begin; now > 1e-30 * begin;) {
    const auto ap = restricted(a * prolong(p));
    const double alpha = now / dot(p, ap);
    for (std::size_t i = 0; i < count; ++i) e[i] += alpha * p[i], r[i] -= alpha * ap[i];
    const double next = dot(r, r);
    for (std::size_t i = 0; i < count; ++i) p[i] = r[i] + next / now * p[i];
    now = next;
  }
  const auto correction = prolong(e);
  for (std::size_t i = 0; i < rows; ++i) u[i] += correction[i];
  relax();
  return u;
}

// Without patches: the aggregates of a partition with patches give what one inner iteration on these gives,
// and what the definition does on the host, whatever the number of sweeps.
TYPED_TEST(PatchMultigridTest, WithoutPatchesRelaxesByJacobi) {
  const auto matrix = tetrahedra(13);
  const auto row_map = to_device<TypeParam>(matrix.row_map);
  const auto columns = to_device<TypeParam>(matrix.columns);
  const auto partition = double_partition<TypeParam>(TypeParam(), {row_map, columns});
  const auto x = random_vector<double>(matrix.rows());
  for (int inner : {1, 2}) {
    const PatchMultigridOptions options{.inner_iterations = inner,
                                        .precision = {Precision::double_precision}};
    const PatchMultigrid<TypeParam, BlockFormat::none> rows(
        TypeParam(), row_map, columns, to_device<TypeParam>(matrix.values), partition, options);
    ASSERT_EQ(rows.report().levels.size(), 2u);
    EXPECT_EQ(rows.report().levels[0].patches + rows.partition().num_patches, 0);
    EXPECT_EQ(rows.partition().patch_offsets.extent(0), 0u);
    const double radius = rows.report().levels[0].spectral_radius;
    const auto y = this->applied(rows, x);
    const auto expected = two_level_cycle(matrix, to_host(partition.aggregate_of_node), radius, inner, x);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-10) << i;
    if (inner > 1) continue;
    // The estimate of the spectral radius begins from the rows' numbers: weights that make up for it.
    const auto with = [&](const PatchMultigridOptions& chosen) {
      return PatchMultigrid<TypeParam>(TypeParam(), row_map, columns, to_device<TypeParam>(matrix.values),
                                       partition, chosen);
    };
    const double more = with(options).report().levels[0].spectral_radius / radius;
    auto same = options;
    same.relaxation *= more;
    same.smoothing *= more;
    const auto patches = with(same);
    const auto by_patches = this->applied(patches, x);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], by_patches[i], 1e-12) << i;
  }
}

// Its set-up makes the aggregates that patches would be made of, and no patches. Steps read and write
// different vectors: threads change no bit.
TYPED_TEST(PatchMultigridTest, WithoutPatchesMakesAggregatesAlone) {
  const auto matrix = tetrahedra(15);
  const auto rows = this->template make<BlockFormat::none>(matrix, {.inner_iterations = 1, .coarsest = 50});
  const auto blocks = this->make(matrix, {.inner_iterations = 1, .coarsest = 50});
  ASSERT_GE(rows.report().levels.size(), 3u);
  for (const PatchMultigridLevel& level : rows.report().levels) EXPECT_EQ(level.patches, 0);
  EXPECT_EQ(rows.partition().num_aggregates, blocks.partition().num_aggregates);
  EXPECT_EQ(to_host(rows.partition().nodes.new_to_old)[5], 5);
  EXPECT_NEAR(this->iterations(matrix, rows), this->iterations(matrix, blocks), 1);
  const auto x = random_vector<double>(matrix.rows());
  const auto first = this->applied(rows, x);
  for (int run = 0; run < 5; ++run)
    EXPECT_EQ(this->applied(
                  this->template make<BlockFormat::none>(matrix, {.inner_iterations = 1, .coarsest = 50}), x),
              first);
  expect_throw_with<ArgumentError>(
      [&] { this->template make<BlockFormat::none>(matrix, {.partition = {.aggregate_radius = 0}}); },
      "aggregate_radius must be at least 1, got 0");
}

} // namespace solvers_patch_multigrid_without_patches

// SPDX-License-Identifier: BSD-3-Clause
// The parts of patch multigrid, each against its definition on the host.

#include <tessera/solvers/patch_multigrid/detail/level.hpp>
#include <tessera/solvers/patch_multigrid/detail/prolongator.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace solvers_patch_multigrid_parts {

using namespace tessera;
using namespace tessera::solvers;
using tessera::solvers::patch_multigrid::BlockFormat;
using namespace tessera::test;
namespace pm = tessera::solvers::patch_multigrid::detail;
using Numbers = std::vector<double>;

constexpr double pi = 3.14159265358979323846;

template <class ExecutionSpace>
class PatchMultigridParts : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using Matrix = pm::SparseMatrix<ExecutionSpace>;

  static Matrix to_matrix(const HostMatrix<double>& matrix) {
    return {{to_device<ExecutionSpace>(matrix.row_map), to_device<ExecutionSpace>(matrix.columns)},
            to_device<ExecutionSpace>(matrix.values)};
  }
  static Numbers diagonal(const HostMatrix<double>& matrix) {
    Numbers d(matrix.rows());
    for (std::size_t i = 0; i < matrix.rows(); ++i)
      for (Offset k = matrix.row_map[i]; k < matrix.row_map[i + 1]; ++k)
        if (matrix.columns[k] == static_cast<Ordinal>(i)) d[i] = matrix.values[k];
    return d;
  }
  static Vector inverse_diagonal(const HostMatrix<double>& matrix) {
    Numbers d = diagonal(matrix);
    for (double& value : d) value = 1 / value;
    return to_device<ExecutionSpace>(d);
  }

  /// Rows 0 … 19, 20 … 54 and 55, which is alone.
  static inline const std::vector<Ordinal> offsets{0, 20, 55, 56};
  static Ordinal patch_of(std::size_t row) {
    return static_cast<Ordinal>(std::upper_bound(offsets.begin(), offsets.end(), static_cast<Ordinal>(row)) -
                                offsets.begin() - 1);
  }

  /// What `inner` steps of Jacobi make of b within the patches, from zero.
  static Numbers relaxed(const HostMatrix<double>& matrix, const Numbers& b, double omega, int inner) {
    const Numbers d = diagonal(matrix);
    Numbers u(b.size());
    for (int step = 0; step < inner; ++step) {
      Numbers next = u;
      for (std::size_t i = 0; i < u.size(); ++i) {
        double r = b[i];
        for (Offset k = matrix.row_map[i]; k < matrix.row_map[i + 1]; ++k)
          if (patch_of(matrix.columns[k]) == patch_of(i)) r -= matrix.values[k] * u[matrix.columns[k]];
        next[i] += omega / d[i] * r;
      }
      u = next;
    }
    return u;
  }

  template <BlockFormat Format>
  static void expect_relaxation(const HostMatrix<double>& matrix, int inner, bool staged) {
    SCOPED_TRACE("format " + std::to_string(static_cast<int>(Format)) + ", " + std::to_string(inner));
    const ExecutionSpace exec;
    constexpr double omega = 0.6;
    std::vector<Ordinal> patches(matrix.rows());
    for (std::size_t i = 0; i < patches.size(); ++i) patches[i] = patch_of(i);
    pm::Level<double, ExecutionSpace, Format> level;
    level.matrix = patch_multigrid::patch_matrix<double, Format, ExecutionSpace>(
        exec, pm::views(to_matrix(matrix)), to_device<ExecutionSpace>(patches),
        to_device<ExecutionSpace>(offsets));
    level.omega = omega;
    level.inner = inner;
    level.staged = staged;
    level.make_vectors(exec, level.matrix.rows());
    const Numbers b = random_vector<double>(matrix.rows());
    Kokkos::deep_copy(level.b, to_device<ExecutionSpace>(b));

    // Algorithm 5.3, lines 1 and 2.
    level.relax_before(exec);
    const Numbers u = to_host(level.u), r = to_host(level.r), expected = relaxed(matrix, b, omega, inner);
    const Numbers product = matrix * expected;
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_NEAR(u[i], expected[i], 1e-14) << i;
      EXPECT_NEAR(r[i], b[i] - product[i], 1e-13) << i;
    }
    // Its last two lines: u += B (b − A u), from any u.
    const Numbers start = random_vector<double>(matrix.rows(), 5), product_of_start = matrix * start;
    Kokkos::deep_copy(level.u, to_device<ExecutionSpace>(start));
    Numbers rest(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) rest[i] = b[i] - product_of_start[i];
    const Numbers correction = relaxed(matrix, rest, omega, inner);
    level.relax_after(exec);
    const Numbers after = to_host(level.u);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(after[i], start[i] + correction[i], 1e-13) << i;
  }
};
TYPED_TEST_SUITE(PatchMultigridParts, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(PatchMultigridParts, RelaxationIsJacobisWithinPatches) {
  const auto matrix = laplace<double>(8, 7);
  for (int inner : {1, 3})
    for (bool staged : {false, true}) {
      this->template expect_relaxation<BlockFormat::symmetric_coo>(matrix, inner, staged);
      this->template expect_relaxation<BlockFormat::csr>(matrix, inner, staged);
      this->template expect_relaxation<BlockFormat::ell>(matrix, inner, staged);
    }
}

TYPED_TEST(PatchMultigridParts, SpectralRadiusIsEstimatedFromBelow) {
  for (int n : {2, 10, 200}) {
    const auto matrix = laplace<double>(n, 1);
    const double exact = 1 + std::cos(pi / (n + 1)); // of D⁻¹A
    const double found =
        pm::spectral_radius(TypeParam(), this->to_matrix(matrix), this->inverse_diagonal(matrix));
    EXPECT_LE(found, exact * (1 + 1e-14));
    EXPECT_GE(found, 0.8 * exact) << n; // 4 / (3 rho) stays below 2 / rho down to two thirds
  }
}

TYPED_TEST(PatchMultigridParts, ProlongatorIsSmoothedOnce) {
  const TypeParam exec;
  const auto matrix = laplace<double>(6, 5);
  std::vector<Ordinal> aggregate(matrix.rows());
  for (std::size_t i = 0; i < aggregate.size(); ++i)
    aggregate[i] = static_cast<Ordinal>(i % 6 / 3 + 2 * (i / 18));
  const auto tentative = pm::tentative_prolongator<TypeParam>(exec, to_device<TypeParam>(aggregate));
  constexpr double omega = 0.7;
  const auto p = pm::smoothed_prolongator(exec, this->to_matrix(matrix), this->inverse_diagonal(matrix),
                                          tentative, 4, omega);
  const HostMatrix<double> host{to_host(p.graph.row_map), to_host(p.graph.columns), to_host(p.values)};
  const Numbers d = this->diagonal(matrix);
  for (Ordinal column = 0; column < 4; ++column) {
    Numbers indicator(matrix.rows()), unit(4);
    unit[column] = 1;
    for (std::size_t i = 0; i < indicator.size(); ++i) indicator[i] = aggregate[i] == column ? 1 : 0;
    const Numbers product = matrix * indicator, got = host * unit;
    for (std::size_t i = 0; i < indicator.size(); ++i)
      EXPECT_NEAR(got[i], indicator[i] - omega / d[i] * product[i], 1e-15) << i << ", " << column;
  }
}

TYPED_TEST(PatchMultigridParts, TransfersBetweenPrecisions) {
  const TypeParam exec;
  HostMatrix<double> matrix; // 3 x 2
  matrix.add_row({{0, 0.5}, {1, 0.25}});
  matrix.add_row({});
  matrix.add_row({{1, -2.0}});
  const pm::TransferMatrix<float, TypeParam> transfer(exec, this->to_matrix(matrix));
  const auto x = to_device<TypeParam>(Numbers{4, 8});
  const auto y = to_device<TypeParam>(std::vector<float>{1, 2, 3});
  pm::Transfer<float, double, float, TypeParam, true>{transfer, x, y, 1}.run(exec, "Tessera::Test::add", 1);
  EXPECT_EQ(to_host(y), (std::vector<float>{5, 2, -13}));
  pm::Transfer<float, double, float, TypeParam, false>{transfer, x, y, 1}.run(exec, "Tessera::Test::set", 32);
  EXPECT_EQ(to_host(y), (std::vector<float>{4, 0, -16}));
}

TYPED_TEST(PatchMultigridParts, CoarsestLevelIsSolvedDirectly) {
  const TypeParam exec;
  const auto matrix = laplace<double>(9, 6);
  const pm::DenseInverse<TypeParam> inverse(exec, this->to_matrix(matrix));
  const Numbers b = random_vector<double>(matrix.rows());
  const typename TestFixture::Vector u("Tessera::Test::u", b.size());
  pm::DenseSolve<double, TypeParam>{inverse.values(), to_device<TypeParam>(b), u}.run(exec);
  const Numbers product = matrix * to_host(u);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(product[i], b[i], 1e-12);
}

} // namespace solvers_patch_multigrid_parts

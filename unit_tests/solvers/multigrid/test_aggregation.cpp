// SPDX-License-Identifier: BSD-3-Clause
// Which aggregates multigrid takes by itself, and that they serve.

#include <gtest/gtest.h>

#include "support/multigrid_test.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace solvers_multigrid_aggregation {

using namespace tessera;
using namespace tessera::test;

TYPED_TEST_SUITE(MultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

/// −div T grad u by bilinear quadrilaterals, T with eigenvalue 1 along a line at `degrees` to x and s across
/// it.
HostMatrix<double> rotated(int n, double degrees, double s) {
  const double angle = degrees * std::acos(-1.0) / 180, c = std::cos(angle), d = std::sin(angle);
  const double xx = c * c + s * d * d, yy = d * d + s * c * c, xy = (1 - s) * c * d;
  const auto coupling = [&](int i, int j) { // of neighbours i and j cells away along x and y
    const double first = (2.0 - 3 * std::abs(i)) * (4.0 - 3 * std::abs(j)) / 6;
    const double second = (2.0 - 3 * std::abs(j)) * (4.0 - 3 * std::abs(i)) / 6;
    return xx * first + yy * second - xy * i * j / 2;
  };
  HostMatrix<double> matrix;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      std::map<Ordinal, double> row;
      for (int j = std::max(-1, -y); j <= std::min(1, n - 1 - y); ++j)
        for (int i = std::max(-1, -x); i <= std::min(1, n - 1 - x); ++i)
          row[(y + j) * n + x + i] = coupling(i, j);
      matrix.add_row(row);
    }
  return matrix;
}

TYPED_TEST(MultigridTest, FollowsConductivitiesAcrossTheGrid) {
  // To 1e-8 runs of 27 take 44 to 88 iterations, these 12 to 21.
  for (const double degrees : {0.0, 22.5, 45.0, 100.0}) {
    const auto matrix = rotated(60, degrees, 1e-3);
    const auto multigrid = this->make(matrix, this->grid(60, 60));
    EXPECT_EQ(multigrid.report().levels[0].aggregation, "independent sets");
    this->expect_solution(matrix, multigrid, 30);
  }
  const auto even = rotated(60, 22.5, 0.5);
  const auto multigrid = this->make(even, this->grid(60, 60));
  EXPECT_EQ(multigrid.report().levels[0].aggregation, "runs of 12");
  this->expect_solution(even, multigrid, 30);
}

TYPED_TEST(MultigridTest, FollowsCoilsThatTheCurveLeaves) {
  // A wire of three nodes by 2,000, wound to a spring of 16 turns: the Hilbert curve jumps from turn to turn.
  const int wide = 3, turns = 16, n = 2000;
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> points("Tessera::Test::points", wide * n, 3);
  const auto host = Kokkos::create_mirror_view(points);
  for (int node = 0; node < wide * n; ++node) {
    const double angle = 2 * std::acos(-1.0) * turns * (node / wide) / n;
    host(node, 0) = std::cos(angle);
    host(node, 1) = std::sin(angle);
    host(node, 2) = 0.05 * (node % wide) + 0.05 * angle;
  }
  Kokkos::deep_copy(points, host);
  typename TestFixture::Nodes nodes;
  nodes.coordinates = points;
  const auto matrix = laplace<double>(wide, n);
  const auto multigrid = this->make(matrix, nodes);
  EXPECT_EQ(multigrid.report().levels[0].aggregation, "independent sets");
  this->expect_solution(matrix, multigrid, 20);
}

} // namespace solvers_multigrid_aggregation

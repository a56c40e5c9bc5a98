// SPDX-License-Identifier: BSD-3-Clause
// Multigrid where some rows have very many entries.

#include <gtest/gtest.h>

#include "support/multigrid_test.hpp"
#include <map>
#include <random>
#include <vector>

namespace solvers_multigrid_long_rows {

using namespace tessera;
using namespace tessera::test;

TYPED_TEST_SUITE(MultigridTest, ExecutionSpaceTypes, ExecutionSpaceName);

/// Conductances between nodes, each of which loses a little to the outside.
class Network {
public:
  explicit Network(Ordinal nodes) : rows_(nodes) {}

  void link(Ordinal a, Ordinal b, double conductance = 1) {
    if (a == b) return;
    rows_[a][b] = rows_[b][a] = -conductance;
  }

  HostMatrix<double> matrix(double loss) {
    HostMatrix<double> result;
    for (Ordinal node = 0; node < static_cast<Ordinal>(rows_.size()); ++node) {
      auto row = rows_[node];
      double diagonal = loss;
      for (const auto& [other, value] : row) diagonal -= value;
      row[node] = diagonal;
      result.add_row(row);
    }
    return result;
  }

private:
  std::vector<std::map<Ordinal, double>> rows_;
};

/// A cube of n³ nodes, one face of which is coupled to a node of its own: a floating electrode.
HostMatrix<double> electrode(int n, double conductance) {
  const auto id = [n](int i, int j, int k) { return (k * n + j) * n + i; };
  Network network(n * n * n + 1);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (i + 1 < n) network.link(id(i, j, k), id(i + 1, j, k));
        if (j + 1 < n) network.link(id(i, j, k), id(i, j + 1, k));
        if (k + 1 < n) network.link(id(i, j, k), id(i, j, k + 1));
        if (k == 0) network.link(id(i, j, k), n * n * n, conductance);
      }
  return network.matrix(1e-3);
}

/// Each node in turn is coupled to four before it, the more likely the more neighbours these have (A.-L.
/// Barabási and R. Albert, "Emergence of scaling in random networks", Science 286, 1999): a few steps lead
/// anywhere.
HostMatrix<double> small_world(Ordinal nodes) {
  std::mt19937 random(1);
  Network network(nodes);
  std::vector<Ordinal> ends{0};
  for (Ordinal node = 1; node < nodes; ++node)
    for (int k = 0; k < 4; ++k) {
      const Ordinal other = ends[random() % ends.size()];
      network.link(node, other);
      ends.push_back(node);
      ends.push_back(other);
    }
  return network.matrix(1e-3);
}

TYPED_TEST(MultigridTest, TakesANodeThatIsCoupledToAWholeFace) {
  constexpr int n = 24; // 576 couplings
  typename TestFixture::Nodes nodes;
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> points("Tessera::Test::points", n * n * n + 1, 3);
  const auto host = Kokkos::create_mirror_view(points);
  for (int p = 0; p < n * n * n; ++p) {
    host(p, 0) = p % n;
    host(p, 1) = p / n % n;
    host(p, 2) = p / (n * n);
  }
  host(n * n * n, 2) = -1;
  Kokkos::deep_copy(points, host);
  nodes.coordinates = points;
  for (const auto& [conductance, most] : {std::pair{0.001, 18}, {1.0, 18}, {1000.0, 45}}) {
    SCOPED_TRACE(conductance);
    const auto matrix = electrode(n, conductance);
    for (const auto& known : {typename TestFixture::Nodes(), nodes}) {
      auto multigrid = this->make(matrix, known);
      EXPECT_LE(multigrid.report().operator_complexity, 1.6);
      EXPECT_EQ(multigrid.report().levels[0].aggregation, "independent sets");
      this->expect_solution(matrix, multigrid, most);
      this->refresh(multigrid, matrix);
      this->expect_solution(matrix, multigrid, most);
    }
    this->expect_solution(matrix, this->make(matrix, nodes, {.aggregation = Aggregation::runs}), 2 * most);
  }
}

TYPED_TEST(MultigridTest, LeavesProlongatorsOfSmallWorldsAsTheyAre) {
  const auto matrix = small_world(20'000); // smoothed, a complexity of ten
  auto multigrid = this->make(matrix);
  EXPECT_LE(multigrid.report().operator_complexity, 2);
  this->expect_solution(matrix, multigrid, 16);
  this->refresh(multigrid, matrix);
  this->expect_solution(matrix, multigrid, 16);
}

TYPED_TEST(MultigridTest, TakesAStar) {
  Network network(5000);
  for (Ordinal leaf = 1; leaf < 5000; ++leaf) network.link(0, leaf);
  const auto matrix = network.matrix(1e-3);
  this->expect_solution(matrix, this->make(matrix), 12);
}

} // namespace solvers_multigrid_long_rows

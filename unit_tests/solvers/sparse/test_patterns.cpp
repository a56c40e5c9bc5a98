// SPDX-License-Identifier: BSD-3-Clause
// Patterns, products of matrices and loops over rows, against sets and maps on the host.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/sparse/detail/product_of_matrices.hpp>
#include <tessera/solvers/sparse/detail/products.hpp>
#include <tessera/solvers/sparse/detail/short_unions.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace solvers_sparse_patterns {

using namespace tessera;
using test::HostMatrix;
using test::to_device;
using test::to_host;
namespace sparse = tessera::solvers::sparse::detail;

template <class Space>
class Patterns : public ::testing::Test {
public:
  using Sets = std::vector<std::set<Ordinal>>;

  sparse::Pool<Space> kept{"Tessera::Test::kept", 4096}, temporary{"Tessera::Test::temporary", 4096};
  const sparse::Workspace<Space> work{Space(), "Test", kept, temporary};

  /// Rows of up to `longest` random entries, some of them empty.
  static HostMatrix<float> random_matrix(Ordinal rows, Ordinal columns, unsigned longest, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    HostMatrix<float> matrix;
    for (Ordinal r = 0; r < rows; ++r) {
      std::map<Ordinal, float> row;
      for (unsigned k = r % 7 == 3 ? 0 : random() % (longest + 1); k > 0; --k)
        row[static_cast<Ordinal>(random() % static_cast<unsigned>(columns))] = uniform(random);
      matrix.add_row(row);
    }
    return matrix;
  }

  static sparse::Matrix<Space> on_device(const HostMatrix<float>& host) {
    sparse::Matrix<Space> matrix;
    matrix.graph.row_map = to_device<Space>(host.row_map);
    matrix.graph.columns = to_device<Space>(host.columns);
    matrix.values = to_device<Space>(host.values);
    return matrix;
  }

  static Sets sets_of(const sparse::Graph<Space>& graph) {
    const auto row_map = to_host(graph.row_map);
    const auto columns = to_host(graph.columns);
    Sets sets(row_map.size() - 1);
    Offset longest = 0;
    for (std::size_t r = 0; r < sets.size(); ++r) {
      for (Offset k = row_map[r]; k < row_map[r + 1]; ++k) {
        EXPECT_TRUE(k == row_map[r] || columns[k - 1] < columns[k]) << "row " << r;
        sets[r].insert(columns[k]);
      }
      longest = std::max(longest, row_map[r + 1] - row_map[r]);
    }
    EXPECT_EQ(graph.longest, static_cast<Ordinal>(longest));
    return sets;
  }
};
TYPED_TEST_SUITE(Patterns, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

// Rows beyond the first capacity are made again.
TYPED_TEST(Patterns, ProductsEqualSumsOfRows) {
  using Test = TestFixture;
  for (const unsigned longest : {3u, 40u}) {
    const auto a = Test::random_matrix(150, 90, longest, 1), b = Test::random_matrix(90, 700, longest, 2);
    std::vector<std::map<Ordinal, double>> expected(a.rows());
    typename Test::Sets pattern(a.rows());
    for (std::size_t r = 0; r < a.rows(); ++r)
      for (Offset k = a.row_map[r]; k < a.row_map[r + 1]; ++k)
        for (Offset l = b.row_map[to_size(a.columns[k])]; l < b.row_map[to_size(a.columns[k]) + 1]; ++l) {
          expected[r][b.columns[l]] += static_cast<double>(a.values[k]) * static_cast<double>(b.values[l]);
          pattern[r].insert(b.columns[l]);
        }
    Offset counted = 0;
    const auto graph =
        sparse::unions(this->work, "pattern",
                       sparse::ProductLists<TypeParam>{Test::on_device(a).graph, Test::on_device(b).graph},
                       150, 700, 32, 2, [&](Offset count) { counted = count; });
    EXPECT_EQ(Test::sets_of(graph), pattern);
    EXPECT_EQ(counted, graph.columns.extent(0));

    const auto c = sparse::product(this->work, "product", Test::on_device(a), Test::on_device(b), 700);
    EXPECT_EQ(Test::sets_of(c.graph), pattern);
    const auto columns = to_host(c.graph.columns);
    const auto row_map = to_host(c.graph.row_map);
    const auto values = to_host(c.values);
    for (std::size_t r = 0; r < a.rows(); ++r)
      for (Offset k = row_map[r]; k < row_map[r + 1]; ++k)
        ASSERT_NEAR(values[k], expected[r][columns[k]], 1e-5) << "row " << r;
  }
}

/// Runs of columns; rows of a multiple of five have none.
template <class Space>
struct Runs {
  solvers::multigrid::detail::Aggregates<Space> aggregates;
  KOKKOS_FUNCTION Ordinal number(Ordinal column) const { return aggregates.of(column); }
  KOKKOS_FUNCTION bool none(Ordinal row) const { return row % 5 == 0; }
};

TYPED_TEST(Patterns, ShortUnionsListDistinctRuns) {
  using Test = TestFixture;
  const Runs<TypeParam> runs{solvers::multigrid::detail::runs_of_nodes<TypeParam>(2000, 150)}; // 14 runs
  const auto a = Test::random_matrix(300, 2000, 60, 3);
  typename Test::Sets expected(a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (Offset k = a.row_map[r]; r % 5 != 0 && k < a.row_map[r + 1]; ++k)
      expected[r].insert(a.columns[k] / 150);
  sparse::Graph<TypeParam> graph;
  const auto nothing = [](Offset) {};
  ASSERT_TRUE(sparse::short_unions(this->work, "short", Test::on_device(a), runs, nothing, graph));
  EXPECT_EQ(Test::sets_of(graph), expected);

  // More than 16 in a row.
  const Runs<TypeParam> many{solvers::multigrid::detail::runs_of_nodes<TypeParam>(2000, 20)};
  EXPECT_FALSE(sparse::short_unions(this->work, "long", Test::on_device(a), many, nothing, graph));
  EXPECT_EQ(Test::sets_of(graph), expected);
}

/// y(row) = Σ value · (column + 1), and the sum of all columns.
template <class Space>
struct SumRows {
  sparse::Doubles<Space> y;
  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, double& columns) const {
    double sum = 0, own = 0;
    entries.each([](Ordinal column) { return 1.0 + column; },
                 [&](Ordinal, float value, double fetched) { sum += value * fetched; });
    entries.each_column([&](Ordinal column) { own += column; });
    if (!entries.is_row()) return;
    y(row) = sum;
    columns += own;
  }
};

// Few rows, and enough that devices stage them.
TYPED_TEST(Patterns, LoopsOverRowsSeeEveryEntry) {
  using Test = TestFixture;
  for (const Ordinal rows : {33, sparse::tuning::many_rows + 5}) {
    const auto a = Test::random_matrix(rows, 1000, 50, 4);
    const sparse::Doubles<TypeParam> y("Tessera::Test::y", a.rows());
    double columns = 0, expected_columns = 0;
    sparse::for_each_staged_row<true>(TypeParam(), "Tessera::Test::sum_rows", Test::on_device(a),
                                      SumRows<TypeParam>{y}, columns);
    const auto found = to_host(y);
    for (std::size_t r = 0; r < a.rows(); ++r) {
      double sum = 0;
      for (Offset k = a.row_map[r]; k < a.row_map[r + 1]; ++k) {
        sum += static_cast<double>(a.values[k]) * (1.0 + a.columns[k]);
        expected_columns += a.columns[k];
      }
      ASSERT_NEAR(found[r], sum, 1e-9) << "row " << r;
    }
    EXPECT_EQ(columns, expected_columns);
  }
}

TYPED_TEST(Patterns, ProductsWithVectorsEqualSums) {
  using Test = TestFixture;
  const auto a = Test::random_matrix(400, 500, 60, 5);
  std::vector<float> x(500), before(a.rows(), 2.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  for (const bool add : {false, true}) {
    const auto y = to_device<TypeParam>(before);
    const auto loop =
        sparse::rows_product<TypeParam>(TypeParam(), Test::on_device(a), to_device<TypeParam>(x), y, add);
    Kokkos::parallel_for("Tessera::Test::product", loop.policy, loop.functor);
    const auto found = to_host(y);
    for (std::size_t r = 0; r < a.rows(); ++r) {
      double sum = add ? 2 : 0;
      for (Offset k = a.row_map[r]; k < a.row_map[r + 1]; ++k)
        sum += static_cast<double>(a.values[k]) * static_cast<double>(x[to_size(a.columns[k])]);
      ASSERT_NEAR(found[r], sum, 1e-5) << "row " << r;
    }
  }
}

} // namespace solvers_sparse_patterns

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/solvers/multigrid/detail/next_level.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace solvers_multigrid_slices {

using namespace tessera;
using namespace tessera::test;
namespace mg = tessera::solvers::multigrid::detail;

template <class Space>
class MultigridSlices : public ::testing::Test {
public:
  /// Rows of 1 to 9 entries, among them the diagonal, near it and anywhere in `columns`.
  static HostMatrix<float> make(Ordinal rows, Ordinal columns, bool diagonal) {
    std::mt19937 random(rows);
    HostMatrix<float> matrix;
    for (Ordinal row = 0; row < rows; ++row) {
      std::map<Ordinal, float> entries;
      const auto value = [&] { return static_cast<float>(random() % 1000) / 500 - 1; };
      if (diagonal) entries[row] = value();
      for (Ordinal k = static_cast<Ordinal>(random() % 5); k > 0; --k) {
        entries[static_cast<Ordinal>(random() % columns)] = value();
        entries[std::min(row / 2 + k, columns - 1)] = value();
      }
      matrix.add_row(entries);
    }
    return matrix;
  }

  static mg::Matrix<Space> on(const HostMatrix<float>& matrix) {
    return {{to_device<Space>(matrix.row_map), to_device<Space>(matrix.columns)},
            to_device<Space>(matrix.values)};
  }

  static void expect_near(const std::vector<float>& found, const std::vector<float>& expected,
                          double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t row = 0; row < found.size(); ++row)
      ASSERT_NEAR(found[row], expected[row], tolerance) << "row " << row;
  }
};

TYPED_TEST_SUITE(MultigridSlices, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(MultigridSlices, CombineMultipliesNearAndFarEntries) {
  const TypeParam exec;
  for (const Ordinal rows : {1, 15, 16, 33, 40000})
    for (const bool half : {true, false}) {
      const auto host = this->make(rows, rows, true);
      const auto matrix = this->on(host);
      const auto packed = mg::packed_pattern(mg::Workspace<TypeParam>(exec, "Test"), matrix, half);
      mg::pack(exec, matrix, {}, {}, half, packed);
      const auto x = random_vector<float>(rows), y = random_vector<float>(rows, 7);
      const auto product = host * x;
      std::vector<float> expected(rows);
      for (Ordinal row = 0; row < rows; ++row) expected[row] = 0.5f * y[row] + 2 * x[row] - 3 * product[row];
      // Nine entries, each with eight bits of precision or all of single precision's.
      const double tolerance = 3 * 9 * (half ? 1.0 / 256 : 1e-6);
      const auto out = to_device<TypeParam>(y); // y may be out
      mg::Combine<TypeParam> combine{packed, {to_device<TypeParam>(x), out, out, 0.5f, 2, -3}};
      Kokkos::parallel_for("combine", mg::Range<TypeParam>(exec, 0, mg::Slices<TypeParam>::items(rows)),
                           combine);
      this->expect_near(to_host(out), expected, tolerance);
      combine.lanes = runs_on_host<TypeParam> ? 1 : 8;
      combine.step.y = to_device<TypeParam>(y);
      mg::for_each_row(exec, "combine", rows, combine.lanes, 0, combine);
      this->expect_near(to_host(out), expected, tolerance);
    }
}

TYPED_TEST(MultigridSlices, PackingKeepsTheProductWithAVector) {
  const TypeParam exec;
  constexpr Ordinal rows = 40005;
  std::mt19937 random(3);
  HostMatrix<float> host;
  // Most rows are short, some long, some have one far entry or more.
  for (Ordinal row = 0; row < rows; ++row) {
    std::map<Ordinal, float> entries{{row, 1.0f}};
    const Ordinal length = row / 64 % 5 == 0 ? 90 : static_cast<Ordinal>(random() % 30);
    for (Ordinal k = 0; k < length; ++k)
      entries[std::min(row / 2 + static_cast<Ordinal>(random() % 200) * (k % 9 == 0 ? 99 : 1), rows - 1)] =
          static_cast<float>(random() % 1000) / 500 - 1;
    if (row % 100 == 0) entries = {{row, 1.0f}};
    host.add_row(entries);
  }
  auto vector = random_vector<float>(rows), expected = random_vector<float>(rows, 5);
  for (auto& value : vector) value = 1 + std::abs(value);
  const auto matrix = this->on(host);
  const auto test = to_device<TypeParam>(vector);
  for (const bool half : {true, false}) {
    const auto packed = mg::packed_pattern(mg::Workspace<TypeParam>(exec, "Test"), matrix, half);
    const auto found = mg::pack(exec, matrix, test, to_device<TypeParam>(expected), half, packed);
    const mg::Floats<TypeParam> out("Tessera::Test::out", rows);
    Kokkos::parallel_for("combine", mg::Range<TypeParam>(exec, 0, mg::Slices<TypeParam>::items(rows)),
                         mg::Combine<TypeParam>{packed, {test, out, out, 0, 0, 1}});
    this->expect_near(to_host(out), expected, 1e-4);
    const auto diagonal = to_host(packed.diagonal);
    double bound = 0;
    Ordinal coupled = 0;
    for (Ordinal row = 0; row < rows; ++row) {
      double absolute = 0;
      for (Offset k = host.row_map[row]; k < host.row_map[row + 1]; ++k)
        if (host.columns[k] != row) absolute += std::abs(host.values[k]) * vector[host.columns[k]];
      bound = std::max(bound, std::abs(diagonal[row]) + absolute / vector[row]);
      coupled += absolute > 0 ? 1 : 0;
    }
    EXPECT_NEAR(found.row_sum_bound, bound, bound / 250);
    EXPECT_EQ(found.coupled_rows, coupled);
  }
}

TYPED_TEST(MultigridSlices, TransfersMultiplyLikeTheirMatrices) {
  const TypeParam exec;
  for (const Ordinal rows : {1, 16, 1003}) {
    const auto host = this->make(rows, 70, false);
    const auto matrix = this->on(host);
    const auto x = random_vector<float>(70), y = random_vector<float>(rows, 7);
    auto expected = host * x;
    const auto of_x = to_device<TypeParam>(x), sum = to_device<TypeParam>(y);
    const auto run = [&](bool add) {
      const auto product = mg::rows_product<TypeParam>(exec, matrix, of_x, sum, add);
      Kokkos::parallel_for("product", product.policy, product.functor);
    };
    run(false);
    this->expect_near(to_host(sum), expected, 1e-5);
    run(true);
    for (auto& value : expected) value *= 2;
    this->expect_near(to_host(sum), expected, 1e-5);
    Kokkos::parallel_for("add", mg::Range<TypeParam>(exec, 0, rows),
                         mg::AddProduct<TypeParam>{matrix, of_x, sum});
    for (auto& value : expected) value *= 1.5f;
    this->expect_near(to_host(sum), expected, 1e-5);
    if constexpr (!runs_on_host<TypeParam>) continue;
    const auto sliced = mg::sliced_pattern(mg::Workspace<TypeParam>(exec, "Test"), matrix);
    mg::sliced_values(exec, matrix, sliced);
    const mg::AddSlicedProduct<TypeParam> add{sliced, of_x, sum};
    Kokkos::parallel_for("add", add.range(exec), add);
    for (auto& value : expected) value *= 4.0f / 3;
    this->expect_near(to_host(sum), expected, 1e-5);
  }
}

TYPED_TEST(MultigridSlices, LongRowsSumEveryEntry) {
  const TypeParam exec;
  for (const Ordinal length : {1, 15, 16, 17, 100}) {
    HostMatrix<float> host;
    std::map<Ordinal, float> entries;
    for (Ordinal k = 0; k < length; ++k) entries[k] = static_cast<float>(k + 1);
    host.add_row(entries);
    const auto x = to_device<TypeParam>(std::vector<float>(length, 1.0f)),
               y = to_device<TypeParam>(std::vector<float>(1));
    const auto product = mg::rows_product<TypeParam>(exec, this->on(host), x, y, false);
    Kokkos::parallel_for("product", product.policy, product.functor);
    EXPECT_EQ(to_host(y)[0], static_cast<float>(length * (length + 1) / 2));
  }
}

TYPED_TEST(MultigridSlices, ProlongatorsHaveTheAggregatesOfTheirColumns) {
  const TypeParam exec;
  constexpr Ordinal rows = 500;
  mg::Aggregates<TypeParam> sets{100, rows, rows, 0, {}, {}, {}};
  std::vector<Ordinal> of_node(rows);
  for (Ordinal node = 0; node < rows; ++node) of_node[node] = node * 37 % 101 - 1; // some in none
  sets.of_node = to_device<TypeParam>(of_node);
  for (const auto& aggregates : {mg::runs_of_nodes<TypeParam>(rows, 7), sets})
    for (const Ordinal reach : {20, 60, 500}) { // few and more than eight distinct ones, and more than 16
      std::mt19937 random(reach);
      HostMatrix<float> host;
      std::vector<std::set<Ordinal>> expected(rows);
      for (Ordinal row = 0; row < rows; ++row) {
        std::map<Ordinal, float> entries{{row, 1.0f}};
        for (auto k = static_cast<Ordinal>(random() % 30); k > 0; --k)
          entries[std::min(row / 2 + static_cast<Ordinal>(random() % reach), rows - 1)] = 1;
        host.add_row(entries);
        const auto aggregate_of = [&](Ordinal node) {
          return aggregates.run_length > 0 ? node / 7 : of_node[node];
        };
        for (const auto& [column, value] : entries)
          if (aggregate_of(row) >= 0 && aggregate_of(column) >= 0) expected[row].insert(aggregate_of(column));
      }
      const auto graph =
          mg::prolongator_pattern(mg::Workspace<TypeParam>(exec, "Test"), this->on(host), aggregates);
      const auto row_map = to_host(graph.row_map);
      const auto columns = to_host(graph.columns);
      for (Ordinal row = 0; row < rows; ++row) {
        const std::vector<Ordinal> found(columns.begin() + static_cast<std::ptrdiff_t>(row_map[row]),
                                         columns.begin() + static_cast<std::ptrdiff_t>(row_map[row + 1]));
        ASSERT_EQ(found, std::vector<Ordinal>(expected[row].begin(), expected[row].end()))
            << "row " << row << ", reach " << reach;
      }
    }
}

} // namespace solvers_multigrid_slices

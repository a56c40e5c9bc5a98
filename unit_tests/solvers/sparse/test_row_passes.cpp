// SPDX-License-Identifier: BSD-3-Clause
// One pass over a short row, against loops without any of its tricks: rows of all lengths around those of
// vectors.

#include <tessera/solvers/sparse/detail/host_lists.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace solvers_sparse_row_passes {

using namespace tessera;
namespace sparse = tessera::solvers::sparse::detail;

/// A row of distinct ascending columns, and a vector over all columns.
class RowPasses : public ::testing::Test {
public:
  static constexpr Ordinal columns_in_all = 200'000;
  std::vector<float> x;
  std::vector<Ordinal> columns;
  std::vector<double> doubles;
  std::vector<float> values;
  Ordinal row = 0;

  RowPasses() : x(columns_in_all) {
    for (float& entry : x) entry = static_cast<float>(uniform_(random_));
  }

  void make_row(Ordinal length) {
    columns.clear();
    while (columns.size() < to_size(length)) {
      columns.push_back(static_cast<Ordinal>(random_() % columns_in_all));
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    }
    row = length == 0 ? 7 : columns[to_size(length / 2)]; // the diagonal is there
    doubles.clear();
    values.clear();
    for (Ordinal k = 0; k < length; ++k) {
      doubles.push_back(uniform_(random_));
      values.push_back(static_cast<float>(doubles.back()));
    }
  }

  sparse::SparseRow sparse_row() const {
    return {values.data(), columns.data(), static_cast<Ordinal>(values.size())};
  }

  /// Calls check() with rows of many lengths.
  template <class Check>
  void for_lengths(const Check& check) {
    for (Ordinal length = 0; length <= 70; ++length) {
      SCOPED_TRACE("length " + std::to_string(length));
      make_row(length);
      check();
    }
  }

protected:
  std::mt19937 random_{20261126};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

TEST_F(RowPasses, GatherRow) {
  std::vector<Ordinal> from(columns_in_all);
  for (Ordinal i = 0; i < columns_in_all; ++i) from[to_size(i)] = 3 * i + 1;
  for_lengths([&] {
    std::vector<Ordinal> out(columns.size() + 1, -5), expected;
    sparse::gather_row(from.data(), columns.data(), columns.size(), out.data());
    for (const Ordinal column : columns) expected.push_back(3 * column + 1);
    expected.push_back(-5); // nothing behind the row is written
    EXPECT_EQ(out, expected);
  });
}

TEST_F(RowPasses, ScaleRow) {
  for_lengths([&] {
    std::vector<float> out(columns.size() + 1, -5.0f);
    sparse::scale_row(1.75, doubles.data(), columns.data(), columns.size(), x.data(), out.data());
    for (std::size_t k = 0; k < columns.size(); ++k)
      EXPECT_NEAR(out[k], 1.75 * doubles[k] * x[to_size(columns[k])], 1e-7);
    EXPECT_EQ(out.back(), -5.0f);
  });
}

TEST_F(RowPasses, Dots) {
  for_lengths([&] {
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
      sum += static_cast<double>(values[k]) * static_cast<double>(x[to_size(columns[k])]);
    EXPECT_NEAR(sparse::double_dot(sparse_row(), x.data()), sum, 1e-13);
    EXPECT_NEAR(sparse::long_dot(values.data(), columns.data(), sparse_row().count, x.data()), sum, 1e-5);
  });
}

TEST_F(RowPasses, WeightAndNearColumns) {
  for_lengths([&] {
    double sum = 0;
    float largest = 0;
    Ordinal near = 0, far = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      sum += std::abs(static_cast<double>(values[k]));
      if (columns[k] == row) continue;
      largest = std::max(largest, std::abs(values[k]));
      (std::abs(columns[k] - row) < 32768 || columns[k] - row == -32768 ? near : far) += 1;
    }
    const auto weight = sparse::weight_of(sparse_row(), row);
    EXPECT_NEAR(weight.sum, sum, 1e-5);
    EXPECT_EQ(weight.largest, largest);
    const auto found = sparse::near_columns(sparse_row(), row);
    EXPECT_EQ(found.near, near);
    EXPECT_EQ(found.far, far);
  });
}

TEST_F(RowPasses, RowSums) {
  for_lengths([&] {
    double diagonal = 0, all = 0, absolute = 0, skew = 0, squares = 0;
    const auto own = sparse::random_pair(row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      all += doubles[k];
      absolute += std::abs(doubles[k]);
      const auto other = sparse::random_pair(columns[k]);
      const double term = doubles[k] * (own.first * other.second - own.second * other.first);
      if (columns[k] == row)
        diagonal = doubles[k];
      else
        skew += term, squares += term * term;
    }
    const auto sums = sparse::row_sums(doubles.data(), columns.data(), columns.size(), row);
    EXPECT_EQ(sums.diagonal, diagonal);
    EXPECT_NEAR(sums.all, all, 1e-13);
    EXPECT_NEAR(sums.absolute, absolute, 1e-13);
    EXPECT_NEAR(sums.skew, skew, 1e-13);
    EXPECT_NEAR(sums.squares, squares, 1e-13);
  });
}

TEST_F(RowPasses, SpreadRow) {
  for_lengths([&] {
    std::vector<Ordinal> place(columns_in_all, -1);
    for (std::size_t k = 0; k < columns.size(); ++k)
      place[to_size(columns[k])] = static_cast<Ordinal>(95 - k);
    std::vector<float> to(96 + 1, -5.0f), expected(96, 0.0f);
    sparse::spread_row(sparse_row(), place.data(), 96, to.data());
    for (std::size_t k = 0; k < columns.size(); ++k) expected[95 - k] = values[k];
    expected.push_back(-5.0f);
    EXPECT_EQ(to, expected);
  });
}

TEST_F(RowPasses, AddDenseRows) {
  constexpr Ordinal stride = 7 * sparse::host_lanes; // more than are added up at a time
  std::vector<float> rows(80 * stride);
  for (float& entry : rows) entry = static_cast<float>(uniform_(random_));
  for_lengths([&] {
    std::vector<Ordinal> place(columns_in_all, -1);
    for (std::size_t k = 0; k < columns.size(); ++k)
      place[to_size(columns[k])] = static_cast<Ordinal>(79 - k);
    std::vector<float> sums(stride + 1, -5.0f);
    sparse::add_dense_rows(sparse_row(), place.data(), rows.data(), stride, sums.data());
    for (Ordinal j = 0; j < stride; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < columns.size(); ++k)
        sum += static_cast<double>(values[k]) * static_cast<double>(rows[(79 - k) * stride + to_size(j)]);
      ASSERT_NEAR(sums[to_size(j)], sum, 2e-5) << j;
    }
    EXPECT_EQ(sums.back(), -5.0f);
  });
}

TEST_F(RowPasses, SumsOfGroups) {
  for_lengths([&] {
    const std::vector<Ordinal> groups = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto group_of = [&](Ordinal k) { return columns[to_size(k)] % 11; };
    std::vector<float> out(groups.size() + 1, -5.0f);
    sparse::sums_of_groups(
        groups.data(), static_cast<Ordinal>(groups.size()), static_cast<Ordinal>(columns.size()),
        [&](Ordinal k) { return std::pair(group_of(k), doubles[to_size(k)]); }, out.data());
    for (const Ordinal group : groups) {
      double sum = 0;
      for (std::size_t k = 0; k < columns.size(); ++k)
        sum += group_of(static_cast<Ordinal>(k)) == group ? doubles[k] : 0;
      EXPECT_NEAR(out[to_size(group)], sum, 1e-6);
    }
    EXPECT_EQ(out.back(), -5.0f);
  });
}

TEST_F(RowPasses, CountSmaller) {
  for_lengths([&] {
    for (const Ordinal number : {0, columns_in_all / 2, columns_in_all}) {
      const auto smaller = std::lower_bound(columns.begin(), columns.end(), number) - columns.begin();
      EXPECT_EQ(sparse::count_smaller(columns.data(), sparse_row().count, number), smaller);
    }
  });
}

// Slices of rows side by side, all their lanes and a part of them.
TEST_F(RowPasses, SumsByLanes) {
  constexpr int lanes = sparse::host_lanes;
  for (const Offset count : {0, 1, 3, 20})
    for (const int used : {1, 5, lanes}) {
      std::vector<float> entries(count * lanes), sums(lanes), word_sums(lanes);
      std::vector<Ordinal> at(count * lanes);
      std::vector<std::uint32_t> words(count * lanes);
      std::vector<double> expected(lanes), word_expected(lanes);
      constexpr Ordinal middle = columns_in_all / 2;
      for (int lane = 0; lane < lanes; ++lane)
        sums[to_size(lane)] = word_sums[to_size(lane)] =
            static_cast<float>(expected[to_size(lane)] = word_expected[to_size(lane)] = lane);
      for (Offset k = 0; k < entries.size(); ++k) {
        entries[k] = static_cast<float>(uniform_(random_));
        at[k] = static_cast<Ordinal>(random_() % columns_in_all);
        const auto offset = static_cast<std::int16_t>(random_());
        const std::uint32_t upper = Kokkos::bit_cast<std::uint32_t>(entries[k]) & 0xffff0000u;
        words[k] = upper | static_cast<std::uint16_t>(offset);
        if (k % lanes >= to_size(used)) continue;
        expected[k % lanes] += static_cast<double>(entries[k]) * x[to_size(at[k])];
        word_expected[k % lanes] +=
            static_cast<double>(Kokkos::bit_cast<float>(upper)) * x[to_size(middle + offset) + k % lanes];
      }
      sparse::add_entries(entries.data(), at.data(), count, used, x.data(), sums.data());
      sparse::add_words(words.data(), count, used, x.data() + middle, word_sums.data());
      for (int lane = 0; lane < lanes; ++lane) {
        EXPECT_NEAR(sums[to_size(lane)], expected[to_size(lane)], 1e-5) << lane;
        EXPECT_NEAR(word_sums[to_size(lane)], word_expected[to_size(lane)], 1e-5) << lane;
      }
    }
}

} // namespace solvers_sparse_row_passes

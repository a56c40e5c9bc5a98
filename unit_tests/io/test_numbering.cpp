// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/numbering.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace io_numbering {

using namespace tessera;
using io::Numbering;

/// Appends all ids and checks both directions, and ids that are not there.
void expect_round_trip(const std::vector<std::int64_t>& ids) {
  Numbering numbering;
  for (const std::int64_t id : ids) numbering.append(id);
  ASSERT_EQ(numbering.build_index(), std::nullopt);
  ASSERT_EQ(numbering.size(), static_cast<Ordinal>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(numbering.find(ids[i]), static_cast<Ordinal>(i)) << "id " << ids[i];
    EXPECT_EQ(numbering.id(static_cast<Ordinal>(i)), ids[i]) << "index " << i;
  }
  std::vector<std::int64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t id : sorted)
    for (const std::int64_t near : {id - 1, id + 1}) {
      const bool there = std::binary_search(sorted.begin(), sorted.end(), near);
      EXPECT_EQ(numbering.find(near) >= 0, there || false) << "id " << near;
    }
  EXPECT_EQ(numbering.find(Numbering::max_id),
            ids.empty() || sorted.back() != Numbering::max_id ? -1 : numbering.size() - 1);
}

TEST(Numbering, Empty) {
  Numbering numbering;
  EXPECT_EQ(numbering.build_index(), std::nullopt);
  EXPECT_EQ(numbering.find(0), -1);
  EXPECT_EQ(numbering.size(), 0);
}

TEST(Numbering, ConsecutiveFromAnyStart) {
  expect_round_trip({0, 1, 2, 3});
  expect_round_trip({1, 2, 3, 4});
  expect_round_trip({1000000000000, 1000000000001});
}

TEST(Numbering, DenseOutOfOrder) {
  std::vector<std::int64_t> ids(1000);
  std::iota(ids.begin(), ids.end(), 5);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
  expect_round_trip(ids);
}

TEST(Numbering, SparseOutOfOrder) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 300; ++i) ids.push_back(i * i * 1000003);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(2));
  expect_round_trip(ids);
}

TEST(Numbering, RunsWithGaps) { expect_round_trip({10, 11, 12, 1, 2, 3, 100, 101, 50}); }

TEST(Numbering, LargestId) { expect_round_trip({7, Numbering::max_id}); }

TEST(Numbering, RangesAndTakingBack) {
  Numbering numbering;
  numbering.append_range(5, 3);
  numbering.append_range(8, 2);
  numbering.append_range(1, 0);
  numbering.append(3);
  numbering.drop_last();
  numbering.drop_last();
  numbering.append(20);
  ASSERT_EQ(numbering.build_index(), std::nullopt);
  EXPECT_EQ(numbering.size(), 5);
  EXPECT_EQ(numbering.find(8), 3);
  EXPECT_EQ(numbering.find(9), -1);
  EXPECT_EQ(numbering.find(20), 4);
  EXPECT_EQ(numbering.id(4), 20);
}

TEST(Numbering, RepeatedIdsAreReported) {
  for (const std::vector<std::int64_t>& ids :
       {std::vector<std::int64_t>{1, 2, 3, 2}, {7, 7}, {4, 5, 6, 1, 2, 3, 4}, {1, 1000000, 500, 1000000}}) {
    Numbering numbering;
    for (const std::int64_t id : ids) numbering.append(id);
    const auto repeated = numbering.build_index();
    ASSERT_TRUE(repeated.has_value());
    EXPECT_GE(std::count(ids.begin(), ids.end(), *repeated), 2) << *repeated;
  }
}

TEST(Numbering, OwnersNameTheirNumbers) {
  Numbering numbering;
  for (const std::int64_t id : {7, 1007, 1012, 2001}) numbering.append(id);
  EXPECT_EQ(numbering.name(2), "1012");
  numbering.set_owners({{1000, "part-1"}, {2000, ""}});
  std::vector<std::string> names;
  for (Ordinal index = 0; index < 4; ++index) names.push_back(numbering.name(index));
  EXPECT_EQ(names, (std::vector<std::string>{"7", "part-1.7", "part-1.12", "1"}));
}

} // namespace io_numbering

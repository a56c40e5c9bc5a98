// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/graphs/fill_bins.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace core_graphs_fill_bins {

using tessera::Offset;
using tessera::Ordinal;

template <class ExecutionSpace>
class FillBins : public ::testing::Test {
protected:
  struct OnHost {
    std::vector<Ordinal> bins, starts, heights;
  };

  template <class T>
  static Kokkos::View<const T*, ExecutionSpace> to_device(const std::vector<T>& data) {
    Kokkos::View<T*, ExecutionSpace> view("Tessera::Test::data", data.size());
    Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace>(data.data(), data.size()));
    return view;
  }

  static std::vector<Ordinal> to_host(const Kokkos::View<Ordinal*, ExecutionSpace>& view) {
    std::vector<Ordinal> data(view.extent(0));
    Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(data.data(), data.size()), view);
    return data;
  }

  static OnHost fill(const std::vector<Offset>& offsets, const std::vector<Ordinal>& lengths, Ordinal bins) {
    const auto places = tessera::fill_bins(ExecutionSpace{}, to_device(offsets), to_device(lengths), bins);
    return {to_host(places.bin_of_list), to_host(places.start_of_list), to_host(places.height_of_block)};
  }
};

TYPED_TEST_SUITE(FillBins, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

/// Smallest possible load of the fullest bin, by trying every placement.
Ordinal best_height(const std::vector<Ordinal>& lengths, std::size_t list, std::vector<Ordinal>& loads) {
  if (list == lengths.size()) return *std::max_element(loads.begin(), loads.end());
  Ordinal best = std::numeric_limits<Ordinal>::max();
  for (std::size_t bin = 0; bin < loads.size(); ++bin) {
    loads[bin] += lengths[list];
    best = std::min(best, best_height(lengths, list + 1, loads));
    loads[bin] -= lengths[list];
    if (loads[bin] == 0) break; // the other empty bins are equal to this one
  }
  return best;
}

/// Longest processing time first written the plain way.
std::vector<Ordinal> reference_bins(const std::vector<Ordinal>& lengths, Ordinal bins) {
  std::vector<Ordinal> order(lengths.size()), loads(bins), bin_of_list(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Ordinal a, Ordinal b) { return lengths[a] > lengths[b]; });
  for (const Ordinal list : order) {
    const auto bin = std::min_element(loads.begin(), loads.end()) - loads.begin();
    loads[bin] += lengths[list];
    bin_of_list[list] = static_cast<Ordinal>(bin);
  }
  return bin_of_list;
}

TYPED_TEST(FillBins, PlacesLongListsFirst) {
  // Graham's worst case for two bins: LPT gives 7, the best is 6.
  const auto places = TestFixture::fill({0, 5}, {2, 3, 2, 3, 2}, 2);
  EXPECT_EQ(places.bins, (std::vector<Ordinal>{0, 0, 1, 1, 0}));
  EXPECT_EQ(places.starts, (std::vector<Ordinal>{3, 0, 3, 0, 5}));
  EXPECT_EQ(places.heights, (std::vector<Ordinal>{7}));
}

TYPED_TEST(FillBins, EqualsTheReferenceBlockByBlock) {
  std::mt19937 random(7);
  // Lengths up to 24 are below the number of bins and sorted by counting, those up to 5000 by heap sort.
  for (const Ordinal longest : {24, 5000}) {
    std::vector<Offset> offsets{0};
    std::vector<Ordinal> lengths;
    for (const int lists : {500, 0, 1, 31, 32, 33, 1000}) {
      for (int list = 0; list < lists; ++list)
        lengths.push_back(static_cast<Ordinal>(random() % (longest + 1)));
      offsets.push_back(lengths.size());
    }
    const Ordinal bins = 32;
    const auto places = TestFixture::fill(offsets, lengths, bins);
    ASSERT_EQ(places.heights.size(), offsets.size() - 1);
    for (std::size_t block = 0; block + 1 < offsets.size(); ++block) {
      const std::vector<Ordinal> block_lengths(lengths.begin() + offsets[block],
                                               lengths.begin() + offsets[block + 1]);
      const auto reference = reference_bins(block_lengths, bins);
      std::vector<Ordinal> loads(bins);
      for (std::size_t list = 0; list < reference.size(); ++list) {
        ASSERT_EQ(places.bins[offsets[block] + list], reference[list])
            << "block " << block << " list " << list;
        loads[reference[list]] += block_lengths[list];
      }
      EXPECT_EQ(places.heights[block], *std::max_element(loads.begin(), loads.end())) << "block " << block;
    }
  }
}

TYPED_TEST(FillBins, ListsOfABinFollowEachOtherWithoutOverlap) {
  std::mt19937 random(11);
  std::vector<Ordinal> lengths(2000);
  for (auto& length : lengths) length = static_cast<Ordinal>(1 + random() % 40);
  const Ordinal bins = 256;
  const auto places = TestFixture::fill({0, lengths.size()}, lengths, bins);
  std::vector<std::vector<char>> taken(bins, std::vector<char>(places.heights[0], 0));
  for (std::size_t list = 0; list < lengths.size(); ++list)
    for (Ordinal k = 0; k < lengths[list]; ++k) {
      char& cell = taken.at(places.bins[list]).at(places.starts[list] + k);
      ASSERT_EQ(cell, 0) << "list " << list << " overlaps another";
      cell = 1;
    }
  for (const auto& bin : taken) // no hole below a bin's load
    EXPECT_TRUE(std::is_sorted(bin.begin(), bin.end(), std::greater<>()));
}

TYPED_TEST(FillBins, KeepsGrahamsBound) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const auto bins = static_cast<Ordinal>(2 + random() % 3);
    std::vector<Ordinal> lengths(4 + random() % 5);
    for (auto& length : lengths) length = static_cast<Ordinal>(1 + random() % 20);
    std::vector<Ordinal> loads(bins);
    const Ordinal best = best_height(lengths, 0, loads);
    const auto places = TestFixture::fill({0, lengths.size()}, lengths, bins);
    EXPECT_LE(3 * bins * places.heights[0], (4 * bins - 1) * best) << "trial " << trial;
  }
}

TYPED_TEST(FillBins, AcceptsNothing) {
  EXPECT_TRUE(TestFixture::fill({}, {}, 4).heights.empty());
  EXPECT_TRUE(TestFixture::fill({0}, {}, 4).heights.empty());
  EXPECT_EQ(TestFixture::fill({0, 0, 0}, {}, 4).heights, (std::vector<Ordinal>{0, 0}));
}

TYPED_TEST(FillBins, RefusesBadInput) {
  using tessera::ArgumentError;
  using tessera::test::expect_throw_with;
  expect_throw_with<ArgumentError>([] { TestFixture::fill({0, 1}, {1}, 0); }, "at least 1, got 0");
  expect_throw_with<ArgumentError>([] { TestFixture::fill({0, 1, 2}, {1, -1}, 2); }, "block 1");
  expect_throw_with<ArgumentError>([] { TestFixture::fill({0, 2, 1}, {1, 1}, 2); }, "block 1");
  expect_throw_with<ArgumentError>([] { TestFixture::fill({0, 3}, {1, 1}, 2); }, "block 0");
  expect_throw_with<ArgumentError>([] { TestFixture::fill({0, 2}, {2147483647, 1}, 2); }, "below 2^31");
}

} // namespace core_graphs_fill_bins

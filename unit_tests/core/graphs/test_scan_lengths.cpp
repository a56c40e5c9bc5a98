// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/graphs/detail/scan_lengths.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <algorithm>
#include <string>

namespace core_graphs_scan_lengths {

using namespace tessera;
using namespace tessera::test;

/// Two lengths for each item, which their sums overwrite.
template <class Space>
struct TwoLengths {
  static constexpr int kinds = 2;
  Kokkos::View<Offset* [2], Kokkos::LayoutRight, Space> offsets;

  KOKKOS_FUNCTION tessera::detail::LengthSums<2> lengths(Ordinal item) const {
    return {{offsets(item, 0), offsets(item, 1)}, {offsets(item, 0), offsets(item, 1)}};
  }
  KOKKOS_FUNCTION void store(Ordinal item, const Kokkos::Array<Offset, 2>& sums) const {
    offsets(item, 0) = sums[0];
    offsets(item, 1) = sums[1];
  }
};

template <class Space>
class ScanLengths : public ::testing::Test {
public:
  /// Compares with sums on the host.
  template <bool Teams>
  static void check(Ordinal items) {
    SCOPED_TRACE(std::to_string(items) + (Teams ? " items by teams" : " items"));
    const Space exec;
    using Lists = TwoLengths<Space>;
    const Lists lists{decltype(Lists::offsets)("offsets", items)};
    const auto host = Kokkos::create_mirror_view(lists.offsets);
    const auto length = [](Ordinal item, int kind) {
      return kind == 0 ? static_cast<Offset>(item * 7 % 11) : Offset{3'000'000'000} + item % 13;
    };
    for (Ordinal item = 0; item < items; ++item)
      for (int kind : {0, 1}) host(item, kind) = length(item, kind);
    Kokkos::deep_copy(lists.offsets, host);
    using Sums = Kokkos::View<tessera::detail::LengthSums<2>*, Space>;
    const Sums sums("sums", tessera::detail::scan_capacity<Teams, Space, Lists>(items));
    tessera::detail::scan_lengths<Teams>(exec, "scan", lists, items, sums);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    Kokkos::deep_copy(host, lists.offsets);
    const auto& total = found(found.extent(0) - 1);
    for (int kind : {0, 1}) {
      Offset sum = 0, longest = 0;
      for (Ordinal item = 0; item < items; ++item) {
        sum += length(item, kind);
        longest = std::max(longest, length(item, kind));
        ASSERT_EQ(host(item, kind), sum) << item;
      }
      EXPECT_EQ(total.sum[kind], sum);
      EXPECT_EQ(total.longest[kind], longest);
    }
  }
};

TYPED_TEST_SUITE(ScanLengths, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(ScanLengths, AddsUpWhatComesBefore) {
  // No items, one, a part of a chunk, whole chunks of devices and more, by one team and by many.
  for (const Ordinal items : {0, 1, 3, 4, 5, 17, 1023, 1024, 1025, 4096, 4097, 50'000, 1'500'000})
    this->template check<true>(items);
  if constexpr (runs_on_host<TypeParam>)
    for (const Ordinal items : {0, 1, 1025}) this->template check<false>(items);
}

} // namespace core_graphs_scan_lengths

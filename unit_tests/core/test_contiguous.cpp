// SPDX-License-Identifier: BSD-3-Clause
// Ranges of which each thread takes one piece.

#include <tessera/core/contiguous.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cstdint>

namespace core_contiguous {

using namespace tessera;

template <class ExecutionSpace>
class Contiguous : public ::testing::Test {};
TYPED_TEST_SUITE(Contiguous, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class Range>
std::int64_t sum_over(const Range& range) {
  std::int64_t sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::test::sum", range, KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& part) { part += i; },
      sum);
  return sum;
}

TYPED_TEST(Contiguous, RangesHaveAsManyPiecesAsThreads) {
  const TypeParam exec;
  for (const int count : {0, 1, 2, 3, 1000, 100001}) {
    const Kokkos::RangePolicy<TypeParam> range(exec, 5, 5 + count);
    const auto pieces = contiguous(range);
    EXPECT_EQ(pieces.begin(), range.begin());
    EXPECT_EQ(pieces.end(), range.end());
    if (runs_on_host<TypeParam> && count > 0) {
      EXPECT_GE(pieces.chunk_size() * exec.concurrency(), count);
      EXPECT_LT((pieces.chunk_size() - 1) * exec.concurrency(), count);
    } else {
      EXPECT_EQ(pieces.chunk_size(), range.chunk_size());
    }
    EXPECT_EQ(sum_over(pieces), std::int64_t{count} * (2 * 5 + count - 1) / 2);
  }
}

} // namespace core_contiguous

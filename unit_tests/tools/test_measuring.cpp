// SPDX-License-Identifier: BSD-3-Clause
// What measures: that it sees what is wrong, and that ceilings are ceilings.

#include <tessera/strategies/best/machine.hpp>

#include <gtest/gtest.h>

#include "support/agreement.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/report/fingerprint.hpp"
#include <cmath>
#include <vector>

namespace tools_measuring {

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::test;

template <class ExecutionSpace>
class Measuring : public ::testing::Test {};
TYPED_TEST_SUITE(Measuring, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(Measuring, FingerprintsTellBitsAndPlaces) {
  const TypeParam exec;
  const auto of = [&](const auto& list) { return fingerprint(exec, to_device<TypeParam>(list)); };
  const std::vector<double> numbers{1, 2, 3, NAN};
  EXPECT_EQ(of(numbers), of(numbers));
  EXPECT_NE(of(numbers), of(std::vector<double>{2, 1, 3, NAN}));
  EXPECT_NE(of(std::vector<double>{0.0}), of(std::vector<double>{-0.0}));
  EXPECT_NE(of(std::vector<double>{1.0}), of(std::vector<double>{std::nextafter(1.0, 2.0)}));
  EXPECT_NE(of(std::vector<float>{1.0f}), of(std::vector<float>{std::nextafter(1.0f, 2.0f)}));
}

TYPED_TEST(Measuring, RepetitionIsMeasuredNotDeclared) {
  const TypeParam exec;
  const Kokkos::View<double*, TypeParam> values("Tessera::Test::values", 100), rhs("Tessera::Test::rhs", 3);
  int calls = 0;
  EXPECT_TRUE(repeats(exec, 4, [&] { Kokkos::deep_copy(values, 0.1), ++calls; }, values, rhs));
  EXPECT_EQ(calls, 4);
  // The last bit of one entry, in the last of the runs.
  calls = 0;
  const auto drift = [&] {
    Kokkos::deep_copy(values, 0.1);
    Kokkos::deep_copy(Kokkos::subview(rhs, 2), ++calls < 4 ? 1.0 : std::nextafter(1.0, 2.0));
  };
  EXPECT_FALSE(repeats(exec, 4, drift, values, rhs));
}

TYPED_TEST(Measuring, TheCopyIsTheBestOfBothWidths) {
  const TypeParam exec;
  EXPECT_EQ(sizeof(PairOfDoubles), 16u);
  EXPECT_EQ(alignof(PairOfDoubles), 16u);
  EXPECT_GT(copy_bandwidth<double>(exec, 1 << 20), 0);
  EXPECT_GT(copy_bandwidth<PairOfDoubles>(exec, 1 << 20), 0);
}

TEST(Agreement, LargeSystemsAreSampledUnlessAllIsAskedFor) {
  EXPECT_EQ(rows_to_check(whole_rows, false), std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(rows_to_check(whole_rows + 1, false), sampled_rows);
  EXPECT_EQ(rows_to_check(10 * whole_rows, true), std::numeric_limits<std::size_t>::max());
}

} // namespace tools_measuring

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/system/deviation.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cmath>
#include <limits>
#include <support/matrices.hpp>
#include <vector>

namespace core_system_deviation {

using namespace tessera;
using namespace tessera::test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(WorseOf, KeepsTheLargerAndMakesNanInfinite) {
  EXPECT_EQ(worse_of(1, 2), 2);
  EXPECT_EQ(worse_of(2, 1), 2);
  EXPECT_EQ(worse_of(0, nan), INFINITY);
  EXPECT_EQ(worse_of(nan, 0), INFINITY);
  EXPECT_EQ(worse_of(INFINITY, 3), INFINITY);
}

template <class ExecutionSpace>
class Deviation : public ::testing::Test {
protected:
  static double of(const std::vector<double>& values, const std::vector<double>& reference) {
    return relative_deviation(ExecutionSpace(), to_device<ExecutionSpace>(values),
                              to_device<ExecutionSpace>(reference));
  }
};
TYPED_TEST_SUITE(Deviation, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(Deviation, IsRelativeToTheLargestEntry) {
  EXPECT_EQ(this->of({1, 2, -4}, {1, 2, -4}), 0);
  EXPECT_EQ(this->of({1, 2.5, -4}, {1, 2, -4}), 0.125);
  EXPECT_EQ(this->of({}, {}), 0);
  EXPECT_EQ(this->of({0, 0}, {0, 0}), 0);
}

TYPED_TEST(Deviation, SeesWhatMaximaDrop) {
  std::vector<double> reference(1000, 1.0);
  for (const std::size_t place : {0, 500, 999}) {
    auto values = reference;
    values[place] = nan;
    EXPECT_EQ(this->of(values, reference), INFINITY);
    EXPECT_EQ(this->of(reference, values), INFINITY);
  }
  EXPECT_EQ(this->of({1, INFINITY}, {1, INFINITY}), INFINITY);
  EXPECT_EQ(this->of({1e-300}, {0}), INFINITY);
  EXPECT_EQ(this->of({1, 2}, {1}), INFINITY);
}

} // namespace core_system_deviation

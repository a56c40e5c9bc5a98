// SPDX-License-Identifier: BSD-3-Clause
// Reciprocals without a branch are as good as divisions, over the numbers that they are promised for: on
// devices of numbers, on the host of the packs that strategies use there.

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/execution_spaces.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cmath>
#include <limits>
#include <type_traits>

namespace core_arithmetic_reciprocal {

using namespace tessera;

template <class ExecutionSpace>
class Reciprocal : public ::testing::Test {};
TYPED_TEST_SUITE(Reciprocal, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// The i-th of some numbers between 2^-range and 2^range, of both signs.
template <class Scalar>
struct Numbers {
  static constexpr int range = std::numeric_limits<Scalar>::max_exponent - 3;
  static constexpr int count = 2 * 1000 * range;
  KOKKOS_FUNCTION static Scalar at(int i) {
    const Scalar mantissa = Scalar(1) + Scalar(i % 997) / Scalar(997);
    return (i % 2 ? 1 : -1) * mantissa * Kokkos::exp2(Scalar(i / 1000 - range));
  }
};

/// The largest |x r - 1|, without rounding but that of the result, over the numbers that each pack (on
/// devices: each number) begins at.
template <class Scalar, class Real>
struct Error {
  KOKKOS_FUNCTION void operator()(int i, double& worst) const {
    const Real x = from_lanes<Real>([&](int lane) { return Numbers<Scalar>::at(i + lane); });
    const Real result = reciprocal(x);
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      const double error = Kokkos::abs(Kokkos::fma(lane_of(x, lane), lane_of(result, lane), Scalar(-1)));
      if (!(error <= worst)) worst = error;
    }
  }
};

template <class Scalar, class ExecutionSpace>
double worst_error() {
  using Real = std::conditional_t<runs_on_host<ExecutionSpace>, NativePack<Scalar>, Scalar>;
  double worst = 0;
  Kokkos::parallel_reduce(
      "Tessera::Test::reciprocal",
      Kokkos::RangePolicy<ExecutionSpace>(0, Numbers<Scalar>::count - (lanes_v<Real> - 1)),
      Error<Scalar, Real>(), Kokkos::Max<double>(worst));
  return worst;
}

TYPED_TEST(Reciprocal, TimesTheNumberIsOneToTwoUnits) {
  EXPECT_LE((worst_error<double, TypeParam>()), 2 * std::numeric_limits<double>::epsilon());
  EXPECT_LE((worst_error<float, TypeParam>()), 2 * std::numeric_limits<float>::epsilon());
}

struct OfZero {
  KOKKOS_FUNCTION void operator()(int, int& finite) const {
    finite += Kokkos::isfinite(reciprocal(0.0)) + Kokkos::isfinite(reciprocal(0.0f));
  }
};

TYPED_TEST(Reciprocal, OfZeroIsNotFinite) {
  int finite = 0;
  Kokkos::parallel_reduce("Tessera::Test::of_zero", Kokkos::RangePolicy<TypeParam>(0, 1), OfZero(), finite);
  EXPECT_EQ(finite, 0);
}

} // namespace core_arithmetic_reciprocal

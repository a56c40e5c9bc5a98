// Every residual strategy on Hex<1> against the oracle.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualHex1 : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualHex1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(ResidualHex1, AgreesWithOracle) {
  tessera::test::ResidualChecks<tessera::Hex<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(ResidualHex1, AgreesInSinglePrecision) {
  tessera::test::ResidualChecks<tessera::Hex<1>, TypeParam>::expect_single_precision();
}

} // namespace

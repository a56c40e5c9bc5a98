// Every residual strategy on Tri<1> against the oracle.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualTri1 : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualTri1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(ResidualTri1, AgreesWithOracle) {
  tessera::test::ResidualChecks<tessera::Tri<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(ResidualTri1, AgreesInSinglePrecision) {
  tessera::test::ResidualChecks<tessera::Tri<1>, TypeParam>::expect_single_precision();
}

} // namespace

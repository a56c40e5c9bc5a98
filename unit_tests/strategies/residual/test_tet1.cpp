// Every residual strategy on Tet<1> against the oracle.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualTet1 : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualTet1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(ResidualTet1, AgreesWithOracle) {
  tessera::test::ResidualChecks<tessera::Tet<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(ResidualTet1, AgreesInSinglePrecision) {
  tessera::test::ResidualChecks<tessera::Tet<1>, TypeParam>::expect_single_precision();
}

} // namespace

// Every residual strategy on Tet<2> against the oracle.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualTet2 : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualTet2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(ResidualTet2, AgreesWithOracle) {
  tessera::test::ResidualChecks<tessera::Tet<2>, TypeParam>::expect_agreement();
}

TYPED_TEST(ResidualTet2, AgreesInSinglePrecision) {
  tessera::test::ResidualChecks<tessera::Tet<2>, TypeParam>::expect_single_precision();
}

} // namespace

// Every residual strategy on Tri<2> against the oracle.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualTri2 : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualTri2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(ResidualTri2, AgreesWithOracle) {
  tessera::test::ResidualChecks<tessera::Tri<2>, TypeParam>::expect_agreement();
}

} // namespace

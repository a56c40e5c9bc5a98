// Every matrix-free operator of Tri<2> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeTri2 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeTri2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeTri2, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Tri<2>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeTri2, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Tri<2>, TypeParam>::expect_rigid_modes();
}

} // namespace

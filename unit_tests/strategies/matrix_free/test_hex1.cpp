// Every matrix-free operator of Hex<1> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeHex1 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeHex1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeHex1, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Hex<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeHex1, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Hex<1>, TypeParam>::expect_rigid_modes();
}

} // namespace

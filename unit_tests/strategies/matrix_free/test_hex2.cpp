// Every matrix-free operator of Hex<2> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeHex2 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeHex2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeHex2, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Hex<2>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeHex2, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Hex<2>, TypeParam>::expect_rigid_modes();
}

} // namespace

// Every matrix-free operator of Quad<1> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeQuad1 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeQuad1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeQuad1, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Quad<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeQuad1, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Quad<1>, TypeParam>::expect_rigid_modes();
}

} // namespace

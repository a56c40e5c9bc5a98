// Every matrix-free operator of Quad<2> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeQuad2 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeQuad2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeQuad2, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Quad<2>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeQuad2, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Quad<2>, TypeParam>::expect_rigid_modes();
}

} // namespace

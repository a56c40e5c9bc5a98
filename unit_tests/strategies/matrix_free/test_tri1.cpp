// Every matrix-free operator of Tri<1> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeTri1 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeTri1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeTri1, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Tri<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeTri1, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Tri<1>, TypeParam>::expect_rigid_modes();
}

} // namespace

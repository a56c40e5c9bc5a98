// Every matrix-free operator of Tet<1> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeTet1 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeTet1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeTet1, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Tet<1>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeTet1, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Tet<1>, TypeParam>::expect_rigid_modes();
}

} // namespace

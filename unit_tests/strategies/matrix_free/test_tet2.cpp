// Every matrix-free operator of Tet<2> against the oracle.

#include "support/operators.hpp"

namespace {

template <class ExecutionSpace>
class MatrixFreeTet2 : public ::testing::Test {};

TYPED_TEST_SUITE(MatrixFreeTet2, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(MatrixFreeTet2, AgreesWithOracle) {
  tessera::test::OperatorChecks<tessera::Tet<2>, TypeParam>::expect_agreement();
}

TYPED_TEST(MatrixFreeTet2, LeavesRigidModesWithoutForce) {
  tessera::test::OperatorChecks<tessera::Tet<2>, TypeParam>::expect_rigid_modes();
}

} // namespace

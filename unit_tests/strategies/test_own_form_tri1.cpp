// A form of an application's own in every assembly strategy, Tri<1>.

#include "support/execution_spaces.hpp"
#include "support/own_form.hpp"

namespace {

template <class ExecutionSpace>
class OwnFormTri1 : public ::testing::Test {};
TYPED_TEST_SUITE(OwnFormTri1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(OwnFormTri1, AgreesAndRepeatsInEveryStrategy) {
  tessera::test::expect_own_form<tessera::Tri<1>, TypeParam>();
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
// A form of an application's own in every assembly strategy, Hex<1>.

#include "support/execution_spaces.hpp"
#include "support/own_form.hpp"

namespace strategies_assembly_own_form_hex1 {

template <class ExecutionSpace>
class OwnFormHex1 : public ::testing::Test {};
TYPED_TEST_SUITE(OwnFormHex1, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

TYPED_TEST(OwnFormHex1, AgreesAndRepeatsInEveryStrategy) {
  tessera::test::expect_own_form<tessera::Hex<1>, TypeParam>();
}

} // namespace strategies_assembly_own_form_hex1

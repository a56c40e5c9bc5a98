// SPDX-License-Identifier: BSD-3-Clause
// Compiled with optimization, without which there is nothing to choose from.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/instruction_sets.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <support/meshes/test_meshes.hpp>

namespace core_instruction_sets {

using namespace tessera;
using Wide = NativePack<double>;

TEST(InstructionSets, TheProcessorsBestRuns) {
#ifdef TESSERA_CHOOSES_INSTRUCTIONS
  volatile double given = 1 + 0x1p-30;
  const double x = given;
  const auto rest = [&]() TESSERA_INLINED { return x * x - (1 + 0x1p-29); }; // rounded to zero unless fused
  EXPECT_EQ(by_best_instructions<Wide>(rest), __builtin_cpu_supports("x86-64-v3") ? 0x1p-60 : 0.0);
  EXPECT_EQ(by_best_instructions<double>(rest), 0.0);
#else
  GTEST_SKIP() << "compiled for one instruction set";
#endif
}

template <class Element>
void expect_packs_like_scalars() {
  const auto mesh = test::distorted_box<Element, Kokkos::DefaultHostExecutionSpace>({{3, 2, 2}});
  const auto kernel = Helmholtz<>{.sigma = 1.5, .lambda = 2.0, .source = 1.0}.kernel();
  element_system_t<Element, decltype(kernel), Wide> packed;
  ASSERT_TRUE(integrate(kernel, mesh.kernel().template cell<Wide>(0), packed));
  for (int lane = 0; lane < lanes_v<Wide>; ++lane) {
    element_system_t<Element, decltype(kernel), double> single;
    ASSERT_TRUE(integrate(kernel, mesh.kernel().template cell<double>(lane), single));
    for (int i = 0; i < Element::nodes; ++i)
      for (int j = 0; j < Element::nodes; ++j)
        EXPECT_NEAR(packed(i, 0, j, 0)[lane], single(i, 0, j, 0),
                    1e-14 * std::sqrt(single(i, 0, i, 0) * single(j, 0, j, 0)));
  }
}

TEST(InstructionSets, ElementsAreTheSame) {
  expect_packs_like_scalars<Tet<1>>();
  expect_packs_like_scalars<Hex<1>>();
}

} // namespace core_instruction_sets

// SPDX-License-Identifier: BSD-3-Clause
// Manufactured solutions of the Helmholtz form in three dimensions converge at order P + 1 in L2.

#include <tessera/core/elements/elements.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/manufactured.hpp"
#include "support/waves.hpp"

namespace strategies_assembly_convergence_3d {

using namespace tessera;

/// -div(sigma grad u) + lambda u = f with the source as a callable.
template <class Element, class ExecutionSpace>
void expect_order(Ordinal n) {
  using Wave = test::Wave<Element::dimension>;
  constexpr double sigma = 1.5, lambda = 0.7;
  const Helmholtz<CellField, CellField, test::HelmholtzSource<Element::dimension>> form{
      .sigma = sigma, .lambda = lambda, .source = {sigma * Wave::square() + lambda}};
  test::expect_optimal_order<Element, ExecutionSpace>(form, [](const auto& x, int) { return Wave()(x); }, n);
}

template <class ExecutionSpace>
class Convergence3D : public ::testing::Test {};
TYPED_TEST_SUITE(Convergence3D, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Convergence3D, Tet1) { expect_order<Tet<1>, TypeParam>(8); }
TYPED_TEST(Convergence3D, Tet2) { expect_order<Tet<2>, TypeParam>(4); }
TYPED_TEST(Convergence3D, Tet3) { expect_order<Tet<3>, TypeParam>(3); }
TYPED_TEST(Convergence3D, Hex1) { expect_order<Hex<1>, TypeParam>(8); }
TYPED_TEST(Convergence3D, Hex2) { expect_order<Hex<2>, TypeParam>(4); }

} // namespace strategies_assembly_convergence_3d

// SPDX-License-Identifier: BSD-3-Clause
// Manufactured solutions of the Helmholtz form in two dimensions converge at order P + 1 in L2.

#include <tessera/core/elements/elements.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/manufactured.hpp"
#include "support/waves.hpp"

namespace strategies_assembly_convergence_2d {

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
class Convergence2D : public ::testing::Test {};
TYPED_TEST_SUITE(Convergence2D, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Convergence2D, Tri1) { expect_order<Tri<1>, TypeParam>(16); }
TYPED_TEST(Convergence2D, Tri2) { expect_order<Tri<2>, TypeParam>(8); }
TYPED_TEST(Convergence2D, Tri3) { expect_order<Tri<3>, TypeParam>(6); }
TYPED_TEST(Convergence2D, Tri4) { expect_order<Tri<4>, TypeParam>(4); }
TYPED_TEST(Convergence2D, Tri5) { expect_order<Tri<5>, TypeParam>(4); }
TYPED_TEST(Convergence2D, Quad1) { expect_order<Quad<1>, TypeParam>(16); }
TYPED_TEST(Convergence2D, Quad2) { expect_order<Quad<2>, TypeParam>(8); }

} // namespace strategies_assembly_convergence_2d

// SPDX-License-Identifier: BSD-3-Clause
// Forms by quadrature, which Best is calibrated for: the form's system, without its refinements.

#include <tessera/core/forms/shipped.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/best/trial.hpp>

#include <gtest/gtest.h>

#include "compare/by_quadrature.hpp"
#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"

namespace tools_by_quadrature {

using namespace tessera;
using tools::ByQuadrature;

template <class ExecutionSpace>
class FormsByQuadrature : public ::testing::Test {};
TYPED_TEST_SUITE(FormsByQuadrature, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class Element, class ExecutionSpace, class Form>
void expect_same_system(const Form& form) {
  EXPECT_TRUE((tessera::detail::is_refined<Element, Form, double>));
  EXPECT_FALSE((tessera::detail::is_refined<Element, ByQuadrature<Form>, double>));
  const FunctionSpace<Element, ExecutionSpace> space(
      test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1.3, 1.0, 1.0}}), Form::components);
  const LinearSystem<double, ExecutionSpace> system(space);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(ByQuadrature<Form>{form}, system);
  EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
}

TYPED_TEST(FormsByQuadrature, HaveTheSameSystemWithoutRefinements) {
  expect_same_system<Tet<1>, TypeParam>(Helmholtz<>{.sigma = 2.0, .lambda = 3.0, .source = 4.0});
  expect_same_system<Quad<1>, TypeParam>(LinearElasticity<2>{.young = 2.0, .poisson = 0.3});
}

} // namespace tools_by_quadrature

// SPDX-License-Identifier: BSD-3-Clause
// Residuals with other batches than the default's, and with fields of floats.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/residuals.hpp"
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace strategies_residual_settings {

template <class ExecutionSpace>
class ResidualSettings : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualSettings, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

/// Batches and chunks of other sizes, on a mesh that fills many of the default's and leaves cells over,
/// beside the other strategies of the paper's setting: against a thread per cell.
template <class Element, class Scalar, class ExecutionSpace, class Form>
void expect_same_in_all_settings(const Form& form, double tolerance) {
  using namespace tessera;
  SCOPED_TRACE(std::string(Element::name) + (sizeof(Scalar) == 4 ? ", float, " : ", double, ") +
               std::to_string(Form::components) + " components");
  using Checks = test::ResidualChecks<Element, ExecutionSpace>;
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{41, 40}, {1.0, 1.0}});
  const typename Checks::Space space(mesh, Form::components);
  const Kokkos::View<const Scalar*, ExecutionSpace> nodal =
      Checks::template device<Scalar>(Checks::state(space.num_dofs(), 8, 1.0));
  using Kernel = decltype(as_weak_form(form).kernel(mesh.kernel()));
  const auto vectors = [&](const auto& strategy) {
    const auto arrays = residual::element_arrays<Kernel::template degree<Element>>(
        ExecutionSpace(), mesh, nodal, Form::components, true);
    strategy.plan(space).integrate_elements(form, arrays);
    return tessera::detail::host_vector<Scalar>(
        Kokkos::View<Scalar*, ExecutionSpace>(arrays.vectors.data(), arrays.vectors.size()));
  };
  const auto expected = vectors(residual::ThreadPerCell{});
  ASSERT_EQ(expected.size(), std::size_t(Element::nodes) * Form::components * mesh.num_elements());
  const Scalar largest = *std::ranges::max_element(expected);
  ASSERT_GT(largest, 0.1);
  const auto check = [&](const auto& strategy, const std::string& what) {
    const auto found = vectors(strategy);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], tolerance * largest) << what << ", " << i;
  };
  check(residual::QuadratureReduction{}, "QuadratureReduction");
  check(residual::BasisVectorized{}, "BasisVectorized");
  for (const int blocks : {0, 1, 3, 32, 36})
    for (const int batches : {1, 4, 16}) {
      try {
        check(residual::ThreadTransposition{.blocks = blocks, .batches = batches},
              std::to_string(blocks) + " blocks, " + std::to_string(batches) + " batches");
      } catch (const UnsupportedError& error) { // more threads or scratch memory than a device's team has
        EXPECT_FALSE(runs_on_host<ExecutionSpace>);
        EXPECT_GT(blocks, 3);
        EXPECT_GT(Element::order * Form::components, 1);
        EXPECT_THAT(error.what(), ::testing::HasSubstr(std::to_string(blocks) + " blocks of "));
      }
    }
}

TYPED_TEST(ResidualSettings, AnyBlocksAndBatchesGiveTheSame) {
  using namespace tessera;
  expect_same_in_all_settings<Tri<1>, double, TypeParam>(Laplace{}, 1e-14); // one point
  expect_same_in_all_settings<Tri<1>, float, TypeParam>(Laplace{}, 1e-6);
  expect_same_in_all_settings<Tri<2>, double, TypeParam>(Laplace{}, 1e-14); // three
  expect_same_in_all_settings<Tri<2>, float, TypeParam>(Laplace{}, 1e-6);
  expect_same_in_all_settings<Tri<1>, double, TypeParam>(HookeanSolid<2>{}, 1e-14);
  expect_same_in_all_settings<Tri<2>, double, TypeParam>(HookeanSolid<2>{}, 1e-14);
  expect_same_in_all_settings<Tri<2>, float, TypeParam>(HookeanSolid<2>{}, 1e-6);
}

// Fields of floats hold the same values as fields of doubles: the numbers are exact in both, so that
// residuals differ by rounding in double precision (a compiler contracts products and sums of the two
// otherwise).
TYPED_TEST(ResidualSettings, FieldsOfFloatsAreThoseOfDoubles) {
  using namespace tessera;
  using Checks = test::ResidualChecks<Tri<1>, TypeParam>;
  const auto mesh = Checks::Operators::bent_mesh();
  const typename Checks::Space space(mesh, 1);
  const auto u = Checks::state(space.num_dofs(), 8, 1.0);
  const auto values = [](std::size_t count) {
    std::vector<double> list(count);
    for (std::size_t i = 0; i < count; ++i) list[i] = 1 + static_cast<double>(i % 8) / 8;
    return list;
  };
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto same = [&](const auto& of_floats, const auto& of_doubles) {
    const auto expected = Checks::integrate(plan, weak_form(VariableLaplace{}, of_doubles), u);
    ASSERT_GT(*std::ranges::max_element(expected), 1);
    EXPECT_THAT(
        Checks::integrate(plan, weak_form(VariableLaplace{}, of_floats), u),
        ::testing::Pointwise(::testing::DoubleNear(1e-14 * *std::ranges::max_element(expected)), expected));
  };
  const auto elements = static_cast<std::size_t>(mesh.num_elements());
  const auto nodal = values(mesh.num_nodes()), corners = values(3 * elements), cells = values(elements);
  same(NodalField<1, TypeParam, float>{Checks::template device<float>(nodal)},
       NodalField<1, TypeParam>{Checks::device(nodal)});
  same(ElementField<1, TypeParam, float>{Checks::template device<float>(corners)},
       ElementField<1, TypeParam>{Checks::device(corners)});
  same(PiecewiseConstantField<TypeParam, float>{Checks::template device<float>(cells)},
       CellField::per_element(Checks::device(cells)));
  const PiecewiseConstantField<TypeParam, float> few{Checks::template device<float>(values(elements - 1))};
  test::expect_throw_with<ArgumentError>(
      [&] { Checks::integrate(plan, weak_form(VariableLaplace{}, few), u); },
      "auxiliary field 0 has " + std::to_string(elements - 1) + " values, the elements of this mesh have " +
          std::to_string(elements));
}

} // namespace strategies_residual_settings

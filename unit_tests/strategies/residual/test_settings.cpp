// Residuals with other batches than the default's, and with fields of floats.

#include "support/residuals.hpp"

namespace {

template <class ExecutionSpace>
class ResidualSettings : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualSettings, tessera::test::ExecutionSpaceTypes, tessera::test::ExecutionSpaceName);

// Batches and chunks of other sizes, on a mesh that fills many of the default's.
TYPED_TEST(ResidualSettings, AnyBlocksAndBatchesGiveTheSame) {
  using namespace tessera;
  using Checks = test::ResidualChecks<Tri<1>, TypeParam>;
  const auto mesh = io::box_mesh<Tri<1>, TypeParam>({{41, 40}, {1.0, 1.0}});
  const typename Checks::Space space(mesh, 1);
  const auto u = Checks::state(space.num_dofs(), 8, 1.0);
  using Kernel = decltype(as_weak_form(Laplace{}).kernel(mesh.kernel()));
  const auto vectors = [&](const auto& strategy) {
    const Kokkos::View<const double*, TypeParam> nodal = Checks::device(u);
    const auto arrays = element_arrays<Kernel::template degree<Tri<1>>>(TypeParam(), mesh, nodal, 1, true);
    strategy.plan(space).integrate_elements(Laplace{}, arrays);
    return tessera::detail::host_vector<double>(
        Kokkos::View<double*, TypeParam>(arrays.vectors.data(), arrays.vectors.size()));
  };
  const auto expected = vectors(residual::ThreadPerCell{});
  ASSERT_EQ(expected.size(), 3u * mesh.num_elements());
  for (const int blocks : {0, 1, 3, 32, 36})
    for (const int batches : {1, 4, 16}) {
      const auto found = vectors(residual::ThreadTransposition{.blocks = blocks, .batches = batches});
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-14) << blocks << " blocks, " << batches << " batches, " << i;
    }
}

// Fields of floats hold the same values as fields of doubles: the numbers are exact in both.
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
    EXPECT_EQ(Checks::integrate(plan, weak_form(VariableLaplace{}, of_floats), u),
              Checks::integrate(plan, weak_form(VariableLaplace{}, of_doubles), u));
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

} // namespace

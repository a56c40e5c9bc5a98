// SPDX-License-Identifier: BSD-3-Clause
// An element that the library does not have, as an application writes it, in every assembly strategy,
// operator and residual: the pyramid of fourteen nodes.

#include <tessera/core/mesh/elevate.hpp>

#include "support/own_form.hpp"
#include "support/residuals.hpp"

namespace app {

/// `tessera::Pyramid13` and a node in the middle of the base, whose function is a product of two opposite
/// ones of the linear pyramid: biquadratic on the base, as `tessera::Quad<2>`, and zero on the triangles.
struct Pyramid14 {
  using Smaller = tessera::Pyramid13;
  static constexpr tessera::Shape shape = tessera::Shape::pyramid;
  static constexpr int order = 2, dimension = 3, nodes = 14, vertices = 5, sides = 5;
  static constexpr bool affine_simplex = false;
  static constexpr const char* name = "pyramid14";
  template <int P>
  using of_order = std::conditional_t<P == 1, tessera::Pyramid<1>, Pyramid14>;
  using Sides = tessera::SideKinds<tessera::Quad<2>, tessera::Tri<2>>;
  using Point = std::array<double, 3>;

  static constexpr int side_kind(int side) { return side == 0 ? 0 : 1; }
  static constexpr std::array<std::array<int, 9>, 5> side_nodes() {
    return {{{0, 3, 2, 1, 8, 7, 6, 5, 13},
             {0, 1, 4, 5, 10, 9, -1, -1, -1},
             {1, 2, 4, 6, 11, 10, -1, -1, -1},
             {2, 3, 4, 7, 12, 11, -1, -1, -1},
             {3, 0, 4, 8, 9, 12, -1, -1, -1}}};
  }
  static constexpr std::array<Point, nodes> node_coordinates() {
    return with(Smaller::node_coordinates(), middle);
  }
  static constexpr std::array<double, nodes> values(Point xi) {
    const auto linear = tessera::Pyramid<1>::values(xi);
    auto result = with(Smaller::values(xi), 16 * linear[0] * linear[2]);
    constexpr auto at_middle = Smaller::values(middle);
    for (std::size_t n = 0; n < at_middle.size(); ++n) result[n] -= at_middle[n] * result.back();
    return result;
  }
  static constexpr std::array<Point, nodes> gradients(Point xi) {
    const auto linear = tessera::Pyramid<1>::values(xi);
    const auto slopes = tessera::Pyramid<1>::gradients(xi);
    Point slope{};
    for (std::size_t d = 0; d < 3; ++d) slope[d] = 16 * (slopes[0][d] * linear[2] + linear[0] * slopes[2][d]);
    auto result = with(Smaller::gradients(xi), slope);
    constexpr auto at_middle = Smaller::values(middle);
    for (std::size_t n = 0; n < at_middle.size(); ++n)
      for (std::size_t d = 0; d < 3; ++d) result[n][d] -= at_middle[n] * slope[d];
    return result;
  }

private:
  static constexpr Point middle{0.5, 0.5, 0};
  template <class Entry>
  static constexpr std::array<Entry, nodes> with(const std::array<Entry, nodes - 1>& others,
                                                 const Entry& last) {
    std::array<Entry, nodes> all{};
    for (std::size_t n = 0; n < others.size(); ++n) all[n] = others[n];
    all.back() = last;
    return all;
  }
};

} // namespace app

namespace strategies_own_element {

using namespace tessera;
static_assert(Element<app::Pyramid14>);

template <class ExecutionSpace>
class OwnElement : public ::testing::Test {
public:
  using Operators = test::OperatorChecks<app::Pyramid14, ExecutionSpace>;
  using Residuals = test::ResidualChecks<app::Pyramid14, ExecutionSpace>;
  using Space = FunctionSpace<app::Pyramid14, ExecutionSpace>;

  /// Bent and shuffled, of two materials.
  static Mesh<app::Pyramid14, ExecutionSpace> mesh() {
    return elevated<app::Pyramid14>(
        test::distorted_box<Pyramid<1>, ExecutionSpace>({{2, 2, 1}, {1.3, 1.0, 0.8}}));
  }
};
TYPED_TEST_SUITE(OwnElement, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(OwnElement, HasOneFunctionForEachNode) {
  const auto nodes = app::Pyramid14::node_coordinates();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto values = app::Pyramid14::values(nodes[n]);
    for (std::size_t m = 0; m < nodes.size(); ++m) EXPECT_NEAR(values[m], m == n ? 1.0 : 0.0, 1e-15);
  }
}

TYPED_TEST(OwnElement, IsAssembledByEveryStrategy) { test::expect_own_form(TestFixture::mesh()); }

TYPED_TEST(OwnElement, IsMultipliedByEveryOperator) {
  typename TestFixture::Space space(TestFixture::mesh(), 1);
  test::constrain(space);
  TestFixture::Operators::add_robin(space); // triangles and quadrilaterals
  TestFixture::Operators::expect_oracle(Helmholtz<>{.lambda = 2.0}, space);
}

TYPED_TEST(OwnElement, HasEveryResidual) {
  const auto mesh = TestFixture::mesh();
  const auto everything = TestFixture::Residuals::everything(mesh);
  for_each_strategy<ResidualCatalogue>(
      [&](const auto& variant) { TestFixture::Residuals::expect_settings(variant, mesh, everything); });
}

/// The surface of a body closes: a pressure has no resultant.
TYPED_TEST(OwnElement, FeelsNoPressureAllAround) {
  const auto mesh = TestFixture::mesh();
  FunctionSpace<app::Pyramid14, TypeParam> space(mesh, 3);
  space.add_pressure(boundary_sides(mesh), 2.0);
  const auto loads = tessera::detail::host_vector<double>(space.nodal_loads(TypeParam()).values);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, size = 0;
    for (std::size_t i = c; i < loads.size(); i += 3) sum += loads[i], size += std::abs(loads[i]);
    EXPECT_GT(size, 1.0);
    EXPECT_NEAR(sum, 0.0, 1e-13 * size);
  }
}

} // namespace strategies_own_element

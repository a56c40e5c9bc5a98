// SPDX-License-Identifier: BSD-3-Clause
// An element that the library does not have, as an application writes it, in every assembly strategy,
// operator and residual: the wedge of fifteen nodes.

#include <tessera/core/mesh/elevate.hpp>

#include "support/own_form.hpp"
#include "support/residuals.hpp"

namespace app {

/// Corners and middles of edges, in the order of VTK's quadratic wedge (O. C. Zienkiewicz and R. L. Taylor,
/// "The Finite Element Method", 5th ed., vol. 1, section 8.12).
struct Wedge15 {
  static constexpr tessera::Shape shape = tessera::Shape::wedge;
  static constexpr int order = 2, dimension = 3, nodes = 15, vertices = 6, sides = 5;
  static constexpr bool affine_simplex = false;
  static constexpr const char* name = "wedge15";
  template <int P>
  using of_order = std::conditional_t<P == 1, tessera::Wedge<1>, Wedge15>;
  using Sides = tessera::SideKinds<tessera::Tri<2>, tessera::Quad8>;
  using Point = std::array<double, 3>;

  static constexpr int side_kind(int side) { return side < 2 ? 0 : 1; }
  static constexpr std::array<std::array<int, 8>, 5> side_nodes() {
    return {{{0, 2, 1, 8, 7, 6, -1, -1},
             {3, 4, 5, 9, 10, 11, -1, -1},
             {0, 1, 4, 3, 6, 13, 9, 12},
             {1, 2, 5, 4, 7, 14, 10, 13},
             {2, 0, 3, 5, 8, 12, 11, 14}}};
  }
  static constexpr std::array<Point, nodes> node_coordinates() {
    return {{{0, 0, -1},
             {1, 0, -1},
             {0, 1, -1},
             {0, 0, 1},
             {1, 0, 1},
             {0, 1, 1},
             {0.5, 0, -1},
             {0.5, 0.5, -1},
             {0, 0.5, -1},
             {0.5, 0, 1},
             {0.5, 0.5, 1},
             {0, 0.5, 1},
             {0, 0, 0},
             {1, 0, 0},
             {0, 1, 0}}};
  }
  static constexpr std::array<double, nodes> values(Point xi) {
    std::array<double, nodes> result{};
    for (std::size_t n = 0; n < result.size(); ++n) result[n] = basis(xi, n)[0];
    return result;
  }
  static constexpr std::array<Point, nodes> gradients(Point xi) {
    std::array<Point, nodes> result{};
    for (std::size_t n = 0; n < result.size(); ++n) {
      const auto [value, x, y, z] = basis(xi, n);
      result[n] = {x, y, z};
    }
    return result;
  }

private:
  /// Value and derivatives of a function, by barycentric coordinates L_i of the triangle and z.
  static constexpr std::array<double, 4> basis(const Point& xi, std::size_t node) {
    constexpr double slopes[3][2] = {{-1, -1}, {1, 0}, {0, 1}}; // of L
    const double L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]}, z = xi[2];
    const std::size_t i = node % 3, j = (i + 1) % 3;
    const double end = node % 6 < 3 ? -1 : 1, linear = 1 + end * z, bubble = 1 - z * z;
    double value = L[i] * bubble, by_i = bubble, by_j = 0, by_z = -2 * z * L[i]; // an edge along z
    if (node < 6) {
      value = L[i] * ((2 * L[i] - 1) * linear - bubble) / 2;
      by_i = ((4 * L[i] - 1) * linear - bubble) / 2;
      by_z = L[i] * ((2 * L[i] - 1) * end + 2 * z) / 2;
    } else if (node < 12) {
      value = 2 * L[i] * L[j] * linear;
      by_i = 2 * L[j] * linear;
      by_j = 2 * L[i] * linear;
      by_z = 2 * L[i] * L[j] * end;
    }
    return {value, by_i * slopes[i][0] + by_j * slopes[j][0], by_i * slopes[i][1] + by_j * slopes[j][1],
            by_z};
  }
};

} // namespace app

namespace strategies_own_element {

using namespace tessera;
static_assert(Element<app::Wedge15>);

template <class ExecutionSpace>
class OwnElement : public ::testing::Test {
public:
  using Operators = test::OperatorChecks<app::Wedge15, ExecutionSpace>;
  using Residuals = test::ResidualChecks<app::Wedge15, ExecutionSpace>;
  using Space = FunctionSpace<app::Wedge15, ExecutionSpace>;

  /// Bent and shuffled, of two materials.
  static Mesh<app::Wedge15, ExecutionSpace> mesh() {
    return elevated<app::Wedge15>(
        test::distorted_box<Wedge<1>, ExecutionSpace>({{2, 2, 1}, {1.3, 1.0, 0.8}}));
  }
};
TYPED_TEST_SUITE(OwnElement, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(OwnElement, HasOneFunctionForEachNode) {
  const auto nodes = app::Wedge15::node_coordinates();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto values = app::Wedge15::values(nodes[n]);
    for (std::size_t m = 0; m < nodes.size(); ++m) EXPECT_EQ(values[m], m == n ? 1.0 : 0.0);
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
  FunctionSpace<app::Wedge15, TypeParam> space(mesh, 3);
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

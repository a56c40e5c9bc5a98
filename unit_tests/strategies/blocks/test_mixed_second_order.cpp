// SPDX-License-Identifier: BSD-3-Clause
// Mixed meshes of second order: hexahedra, wedges, pyramids and tetrahedra meet at sides with nodes on edges.

#include <tessera/core/blocks/mixed_elevate.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include <gtest/gtest.h>

#include "every_strategy.hpp"
#include "support/compiled_elements.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/meshes/second_order.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace strategies_blocks_mixed_second_order {

using namespace tessera;
using test::expect_sum_by_every_strategy;
using test::MixedBox;
using test::Moved;
using Place = std::array<double, 3>;

/// Nodes at corners and edges alone.
using OnEdges = Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>;
using Lagrange = Blocks<Hex<2>, Wedge<2>, Tet<2>>;
static_assert(detail::shares_sides<Hex20, Wedge15, Pyramid13, Tet<2>>);
static_assert(!detail::shares_sides<Wedge15, Hex<2>> && !detail::shares_sides<Wedge<2>, Tet<2>, Hex20>);

Place sheared(double x, double y, double z) { return {x + 0.3 * y, y + 0.2 * z, z + 0.1 * x + 0.05 * y}; }
/// Bent but for x < 1 < z, where the pyramids are, whose rational functions no rule integrates over bent
/// ones.
Place bent_beside_pyramids(double x, double y, double z) {
  Place place = sheared(x, y, z);
  const double beside = std::max(0.0, x - 1), below = std::max(0.0, 1 - z);
  place[0] += 0.1 * beside * std::sin(2 * y) + 0.1 * below * y * y;
  place[1] += 0.1 * below * x * x - 0.1 * beside * z * z;
  place[2] += 0.05 * (beside + below) * std::cos(3 * x + y);
  return place;
}

template <class List, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> solids(int n, Moved moved) {
  return test::SecondOrder<List>::over(MixedBox(n, test::straight).mesh<ExecutionSpace>(), moved);
}

/// Two squares and three triangles around a node.
template <class List, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> plate() {
  using Linear = MixedMesh<Blocks<Quad<1>, Tri<1>>, ExecutionSpace>;
  static constexpr double places[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {2, 1}, {0, 2}, {1, 2}};
  static constexpr Ordinal quads[][4] = {{0, 1, 2, 3}, {3, 2, 7, 6}};
  static constexpr Ordinal tris[][3] = {{1, 4, 2}, {4, 5, 2}, {2, 5, 7}};
  const auto filled = [](auto view, const auto& rows) {
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      for (std::size_t j = 0; j < host.extent(1); ++j) host(i, j) = rows[i][j];
    Kokkos::deep_copy(view, host);
    return view;
  };
  using QuadNodes = typename Mesh<Quad<1>, ExecutionSpace>::Connectivity;
  using TriNodes = typename Mesh<Tri<1>, ExecutionSpace>::Connectivity;
  const Linear linear(filled(typename Linear::Coordinates("Tessera::Test::coordinates", 8), places),
                      {filled(QuadNodes("Tessera::Test::quads", 2), quads), {}},
                      {filled(TriNodes("Tessera::Test::tris", 3), tris), {}});
  return test::SecondOrder<List>::over(linear, sheared);
}

template <class ExecutionSpace>
class MixedSecondOrder : public ::testing::Test {
public:
  /// K u - f of a form at the nodes inside, relative to the largest |K u| at any node.
  template <class List, class Form, class Field>
  static double patch_residual(const MixedMesh<List, ExecutionSpace>& mesh, const Form& form,
                               const Field& field) {
    constexpr std::size_t components = Form::components;
    const MixedSpace space(mesh, components);
    const LinearSystem<double, ExecutionSpace> system(space);
    auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
    plan.assemble(form, system);
    const auto x = test::on_host(mesh.coordinates());
    std::vector<double> u(components * x.extent(0));
    for (std::size_t node = 0; node < x.extent(0); ++node) {
      Place place{};
      for (std::size_t d = 0; d < x.extent(1); ++d) place[d] = x(node, d);
      const auto value = field(place);
      std::copy(value.begin(), value.begin() + components, u.begin() + static_cast<long>(components * node));
    }
    std::vector<bool> inside(x.extent(0), true);
    for (const Ordinal node : test::to_host(nodes_of_sides(mesh, boundary_sides(mesh))))
      inside[to_size(node)] = false;
    EXPECT_NE(std::find(inside.begin(), inside.end(), true), inside.end());
    const auto row_map = test::to_host(system.graph().row_map);
    const auto columns = test::to_host(system.graph().columns);
    const auto values = test::to_host(system.values()), rhs = test::to_host(system.rhs());
    double worst = 0, size = 0;
    for (std::size_t row = 0; row < u.size(); ++row) {
      double product = 0;
      for (Offset p = row_map[row]; p < row_map[row + 1]; ++p) product += values[p] * u[to_size(columns[p])];
      size = std::max(size, std::abs(product));
      if (inside[row / components]) worst = std::max(worst, std::abs(product - rhs[row]));
    }
    EXPECT_GT(size, 0.01);
    return worst / size;
  }

  /// The rule for elasticity is exact on straight elements alone.
  template <class List>
  static void expect_linear_fields() {
    const auto linear = [](const Place& x) { return Place{x[0] - 2 * x[1] + 0.5 * x[2], x[2], 3 * x[0]}; };
    const auto straight = solids<List, ExecutionSpace>(2, sheared);
    const auto bent = solids<List, ExecutionSpace>(2, bent_beside_pyramids);
    EXPECT_LE(patch_residual(bent, Helmholtz<>{}, linear), 1e-13);
    EXPECT_LE(patch_residual(straight, LinearElasticity<3>{.young = 2.0, .poisson = 0.3}, linear), 1e-13);
  }

  /// -div grad u is a constant.
  template <class List>
  static void expect_quadratic_field(const MixedMesh<List, ExecutionSpace>& mesh) {
    constexpr bool solid = MixedMesh<List, ExecutionSpace>::dimension == 3;
    const auto quadratic = [](const Place& x) {
      return std::array{x[0] * x[0] + 2 * x[0] * x[1] - 3 * x[2] * x[2] + x[1] * x[2] - x[0]};
    };
    EXPECT_LE(patch_residual(mesh, Helmholtz<>{.source = solid ? 4.0 : -2.0}, quadratic), 1e-13);
    EXPECT_GT(patch_residual(mesh, Helmholtz<>{.source = 0.0}, quadratic), 1e-3); // a test that can fail
  }
};
TYPED_TEST_SUITE(MixedSecondOrder, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MixedSecondOrder, HasLinearFieldsExactly) {
  this->template expect_linear_fields<OnEdges>();
  this->template expect_linear_fields<Lagrange>();
}

TYPED_TEST(MixedSecondOrder, HasQuadraticFieldsExactlyOnStraightElements) {
  this->expect_quadratic_field(solids<OnEdges, TypeParam>(2, sheared));
  this->expect_quadratic_field(solids<Lagrange, TypeParam>(2, sheared));
  this->expect_quadratic_field(plate<Blocks<Quad8, Tri<2>>, TypeParam>());
  this->expect_quadratic_field(plate<Blocks<Quad<2>, Tri<2>>, TypeParam>());
}

/// Elements of a list over the linear box have the nodes at the same places as those that are numbered by
/// place, and neighbours share them: there are as many.
template <class List, class ExecutionSpace>
void expect_nodes_at_their_places() {
  const auto linear = MixedBox(2, sheared).template mesh<ExecutionSpace>();
  const auto mesh = elevated<List>(linear);
  const auto by_place = solids<List, ExecutionSpace>(2, sheared);
  EXPECT_EQ(mesh.num_nodes(), by_place.num_nodes());
  const auto x = test::on_host(mesh.coordinates()), y = test::on_host(by_place.coordinates());
  mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    const auto nodes = test::on_host(block.connectivity()),
               others = test::on_host(by_place.template block<Element>().connectivity());
    ASSERT_EQ(nodes.extent(0), others.extent(0));
    for (std::size_t e = 0; e < nodes.extent(0); ++e)
      for (std::size_t n = 0; n < nodes.extent(1); ++n)
        for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(x(nodes(e, n), d), y(others(e, n), d), 1e-14);
    const auto corners =
        test::on_host(linear.template block<typename Element::template of_order<1>>().connectivity());
    for (std::size_t e = 0; e < nodes.extent(0); ++e)
      for (std::size_t n = 0; n < corners.extent(1); ++n) EXPECT_EQ(nodes(e, n), corners(e, n));
  });
}

TYPED_TEST(MixedSecondOrder, ElevatedMeshesShareTheNodesOfAllBlocks) {
  expect_nodes_at_their_places<OnEdges, TypeParam>();
  const auto linear = MixedBox(2, sheared).template mesh<TypeParam>();
  auto named = linear;
  named.add_node_set("boundary", nodes_of_sides(linear, boundary_sides(linear)));
  named.add_side_set("boundary", boundary_sides(linear));
  const auto mesh = elevated<OnEdges>(named);
  EXPECT_EQ(boundary_sides(mesh).count(), boundary_sides(linear).count());
  EXPECT_EQ(mesh.side_set("boundary").count(), boundary_sides(linear).count());
  const auto on_boundary = test::to_host(nodes_of_sides(mesh, boundary_sides(mesh)));
  const auto in_set = test::to_host(mesh.node_set("boundary"));
  for (const Ordinal node : on_boundary)
    EXPECT_NE(std::find(in_set.begin(), in_set.end(), node), in_set.end()) << node;
  EXPECT_EQ(mesh.num_materials(), 2);
  this->expect_quadratic_field(mesh);
}

TYPED_TEST(MixedSecondOrder, FeelsNoPressureAllAround) {
  const auto mesh = solids<OnEdges, TypeParam>(2, test::bent);
  MixedSpace space(mesh, 3);
  space.add_pressure(boundary_sides(mesh), 2.0);
  const auto values = test::to_host(space.nodal_loads().values);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, size = 0;
    for (std::size_t i = c; i < values.size(); i += 3) sum += values[i], size += std::abs(values[i]);
    EXPECT_GT(size, 1.0);
    EXPECT_LE(std::abs(sum), 1e-13 * size);
  }
}

TYPED_TEST(MixedSecondOrder, EveryStrategyAddsTheBlocksOrRefuses) {
  if constexpr (test::is_compiled<Wedge15>) {
    const auto mesh = solids<OnEdges, TypeParam>(1, test::bent);
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      MixedSpace space(mesh, 3, treatment);
      space.add_load(boundary_sides(mesh), std::vector<double>(3, 0.7));
      space.add_robin(boundary_sides(mesh), 1.5, [](const auto& x) { return x(0) - x(2); });
      for (Ordinal node = 0; node < mesh.num_nodes(); node += 7) space.constrain(node, node % 3, 0.1 * node);
      expect_sum_by_every_strategy(LinearElasticity<3>{.young = CellField::per_material({2.0, 5.0}),
                                                       .poisson = 0.3,
                                                       .body_force = {0.5, 0.0, -1.0}},
                                   space, {"Patch", "RowOwner"});
    }
    expect_sum_by_every_strategy(Helmholtz<>{.sigma = 2.0, .lambda = 0.5, .source = 1.5},
                                 MixedSpace(solids<Lagrange, TypeParam>(1, test::bent), 1),
                                 {"Patch", "RowOwner"});
  } else {
    GTEST_SKIP() << "this build's catalogue is without wedge15";
  }
}

} // namespace strategies_blocks_mixed_second_order

// SPDX-License-Identifier: BSD-3-Clause
// Spaces whose last components are linear on a mesh of higher order: what has an equation, what follows from
// corners, where loads go, and Taylor and Hood's matrix.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/system/reference_assembly.hpp>

#include <gtest/gtest.h>

#include "core/space/taylor_hood.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace core_space_linear_components {

using namespace tessera;
using test::expect_throw_with;
using Exec = Kokkos::DefaultExecutionSpace;

template <class Element>
class LinearComponentsOf : public ::testing::Test {
public:
  static constexpr int d = Element::dimension;
  using Space = FunctionSpace<Element, Exec>;
  static Space space(ConstraintTreatment treatment = ConstraintTreatment::removed) {
    return {mesh(), {.components = d + 1, .linear_components = 1, .treatment = treatment}};
  }
  static Mesh<Element, Exec> mesh() {
    return test::distorted_box<Element, Exec>({{2, 2, 1}, {1.2, 1.0, 0.8}});
  }
  static std::vector<bool> corners(const Space& space) {
    std::vector<bool> corner(space.mesh().num_nodes(), false);
    const auto nodes = test::on_host(space.mesh().connectivity());
    for (Ordinal e = 0; e < space.mesh().num_elements(); ++e)
      for (int v = 0; v < Element::vertices; ++v) corner[nodes(e, v)] = true;
    return corner;
  }
};
using Elements =
    ::testing::Types<Tri<2>, Tri<3>, Quad<2>, Quad8, Tet<2>, Hex<2>, Hex20, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(LinearComponentsOf, Elements);

TYPED_TEST(LinearComponentsOf, HaveEquationsAtCornersAlone) {
  auto space = this->space();
  const auto corner = this->corners(space);
  const Ordinal all = space.equations().count;
  EXPECT_EQ(all, space.mesh().num_nodes() * this->d + std::count(corner.begin(), corner.end(), true));
  const std::size_t revision = space.revision();
  EXPECT_NE(revision, 0u);
  // What follows from corners can neither be constrained nor released.
  std::vector<Ordinal> others;
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node)
    if (!corner[node]) others.push_back(node);
  const auto nodes = test::to_device<Exec>(others);
  space.constrain(nodes, this->d, 7.0);
  EXPECT_EQ(space.revision(), revision);
  space.release(nodes);
  EXPECT_EQ(space.equations().count, all);
  space.constrain(others[0], 0, 1.0);
  EXPECT_EQ(space.equations().count, all - 1);
  space.release(nodes);
  EXPECT_EQ(space.equations().count, all);
  EXPECT_EQ(space.revision(), revision); // a graph of it fits again
  space.constrain(nodes, 1, 0.0);
  space.clear_constraints();
  EXPECT_EQ(space.equations().count, all);
}

TYPED_TEST(LinearComponentsOf, FollowFromCornersBetweenThem) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    constexpr int d = TestFixture::d, c = d + 1;
    const auto linear = [&](auto&& x, Ordinal node) { return 2 + x(node, 0) - 3 * x(node, 1); };
    // On straight cells a linear pressure is that of the positions.
    const auto mesh = io::box_mesh<TypeParam, Exec>({{2, 2, 1}, {1.2, 1.0, 0.8}});
    const FunctionSpace<TypeParam, Exec> straight(
        mesh, {.components = c, .linear_components = 1, .treatment = treatment});
    const auto x = test::on_host(mesh.coordinates());
    const auto equations = straight.equations();
    const bool removed = treatment == ConstraintTreatment::removed;
    const std::vector<Ordinal> first = removed ? test::to_host(equations.first) : std::vector<Ordinal>();
    const auto corners = this->corners(straight);
    std::vector<double> solution(equations.count, 0.0);
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
      if (corners[node]) solution[removed ? first[node] + d : node * c + d] = linear(x, node);
    const auto full = test::to_host(straight.expand(test::to_device<Exec>(solution)));
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
      EXPECT_NEAR(full[node * c + d], linear(x, node), 1e-14) << node;
  }
}

TYPED_TEST(LinearComponentsOf, PassTheirLoadsToCorners) {
  auto space = this->space();
  constexpr int d = TestFixture::d, c = d + 1;
  const auto corner = this->corners(space);
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node) space.add_point_load(node, d, 1.0);
  const auto loads = space.nodal_loads();
  const auto dofs = test::to_host(loads.dofs);
  const auto values = test::to_host(loads.values);
  double sum = 0;
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    EXPECT_EQ(dofs[i] % c, d);
    EXPECT_TRUE(corner[dofs[i] / c]);
    sum += values[i];
  }
  EXPECT_NEAR(sum, space.mesh().num_nodes(), 1e-12); // linear functions add up to one at every node
  // A pressure is a load of the first components.
  space.clear_loads();
  space.add_pressure(boundary_sides(space.mesh()), 2.0);
  const auto pressures = space.nodal_loads();
  const auto of_pressures = test::to_host(pressures.values);
  double largest = 0;
  for (std::size_t i = 0; i < of_pressures.size(); ++i) {
    const bool linear = test::to_host(pressures.dofs)[i] % c == d;
    largest = std::max(largest, std::abs(of_pressures[i]));
    EXPECT_TRUE(!linear || of_pressures[i] == 0);
  }
  EXPECT_GT(largest, 0.0);
}

/// As matrix and vector over all degrees of freedom.
template <class Space>
std::pair<std::vector<double>, std::vector<double>> dense_robin(const Space& space) {
  const auto robin = space.robin(Exec());
  const int components = space.components();
  const auto size = to_size(space.num_dofs());
  std::vector<double> matrix(size * size, 0.0), vector(size, 0.0);
  const auto nodes = test::on_host(robin.nodes), offsets = test::on_host(robin.offsets),
             neighbors = test::on_host(robin.neighbors);
  const auto products = test::on_host(robin.products), loads = test::on_host(robin.loads);
  for (std::size_t i = 0; i < nodes.extent(0); ++i)
    for (int a = 0; a < components; ++a) {
      const auto row = to_size(nodes(i) * components + a);
      vector[row] = loads(i, a);
      for (Ordinal k = offsets(i); k < offsets(i + 1); ++k)
        matrix[row * size + to_size(neighbors(k) * components + a)] = products(k, a);
    }
  return {matrix, vector};
}

/// With P for what follows from corners: transposed P times the sides' matrix of quadratic functions times P.
TYPED_TEST(LinearComponentsOf, HaveRobinSidesInTheirFunctions) {
  constexpr int d = TestFixture::d, c = d + 1;
  auto space = this->space();
  FunctionSpace<TypeParam, Exec> full(space.mesh(), c);
  for (auto* const each : {&space, &full})
    each->add_robin(
        boundary_sides(space.mesh()), [](const auto& x) { return 2 + x(0) * x(1); },
        [](const auto& x) { return x(1) - 1; });
  const auto [matrix, vector] = dense_robin(full);
  const auto [found, found_vector] = dense_robin(space);
  const auto size = vector.size();
  std::vector<double> expected(size * size, 0.0), expected_vector(size, 0.0);
  for (std::size_t row = 0; row < size; ++row)
    space.linear().for_each_corner(static_cast<Ordinal>(row) / c, row % c, [&](Ordinal to, double weight) {
      const auto target = to_size(to * c) + row % c;
      expected_vector[target] += weight * vector[row];
      for (std::size_t column = 0; column < size; ++column)
        if (const double entry = matrix[row * size + column]; entry != 0)
          space.linear().for_each_corner(
              static_cast<Ordinal>(column) / c, column % c, [&](Ordinal from, double other) {
                expected[target * size + to_size(from * c) + column % c] += weight * other * entry;
              });
    });
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-14);
    sum += found[i];
  }
  EXPECT_GT(sum, 1.0);
  for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(found_vector[i], expected_vector[i], 1e-14);
}

TYPED_TEST(LinearComponentsOf, MakeTaylorAndHoodsMatrix) {
  constexpr int d = TestFixture::d, c = d + 1;
  const auto space = this->space();
  Stokes<d> form{.viscosity = 0.8};
  for (int a = 0; a < d; ++a) form.body_force[a] = 0.3 - 0.5 * a;
  const test::TaylorHood<TypeParam> book(space.mesh(), form);
  const auto graph = sparsity_graph(Exec(), space);
  const ReferenceSystem ours = reference_assembly(form, space, graph);
  const auto corner = this->corners(space);
  std::vector<std::size_t> dofs;
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node)
    for (int a = 0; a < (corner[node] ? c : d); ++a) dofs.push_back(static_cast<std::size_t>(node) * c + a);
  ASSERT_EQ(dofs.size(), static_cast<std::size_t>(graph.num_rows()));
  for (std::size_t row = 0; row < dofs.size(); ++row) {
    std::vector<double> values(dofs.size(), 0.0);
    for (Offset k = ours.row_map[row]; k < ours.row_map[row + 1]; ++k)
      values[ours.columns[k]] = ours.values[k];
    for (std::size_t column = 0; column < dofs.size(); ++column)
      ASSERT_NEAR(values[column], book.k[dofs[row] * book.size + dofs[column]], 1e-13);
    ASSERT_NEAR(ours.rhs[row], book.f[dofs[row]], 1e-13);
  }
}

TEST(LinearComponents, OfFirstOrderElementsAreAllComponents) {
  const auto mesh = io::box_mesh<Tri<1>, Exec>({{2, 2, 1}});
  const FunctionSpace<Tri<1>, Exec> space(mesh, {.components = 3, .linear_components = 1});
  EXPECT_EQ(space.equations().count, mesh.num_nodes() * 3);
  EXPECT_EQ(space.revision(), 0u);
}

TEST(LinearComponents, AreRefusedWhereTheyCannotBe) {
  using Space = FunctionSpace<Tri<2>, Exec>;
  const auto mesh = io::box_mesh<Tri<2>, Exec>({{2, 2, 1}});
  expect_throw_with<ArgumentError>([&] { Space(mesh, {.components = 2, .linear_components = 3}); },
                                   "0 to 2 linear components of 2, got 3");
  expect_throw_with<ArgumentError>([&] { Space(mesh, {.components = 2, .linear_components = -1}); },
                                   "got -1");
  Space space(mesh, {.components = 3, .linear_components = 1});
  const auto sides = boundary_sides(mesh);
  Space three(mesh, {.components = 4, .linear_components = 1});
  expect_throw_with<ArgumentError>([&] { three.add_pressure(sides, 1.0); },
                                   "needs 2 components per node, the space has 3 besides linear ones");
  expect_throw_with<ArgumentError>([&] { check_form<Exec>("Test", Stokes<2>{}, Space(mesh, 3)); },
                                   "the form has 1 linear components, the space has 0");
  expect_throw_with<FormError>([&] { check_form<Exec>("Test", Stokes<2>{.viscosity = 0}, space); },
                               "viscosity must be positive");
}

} // namespace core_space_linear_components

// SPDX-License-Identifier: BSD-3-Clause
// Several physics on the elements of one type, a block for each: what one physics with a branch at every
// point has on the undivided mesh.

#include <tessera/core/blocks/divided.hpp>
#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace strategies_blocks_divided {

using namespace tessera;
using test::expect_throw_with;
using Ice = BlockOf<Quad<2>, 1>;
using Both = Blocks<Quad<2>, Ice>;
static_assert(Element<Ice> && std::is_same_v<Ice::of_order<1>, BlockOf<Quad<1>, 1>>);

/// A conductivity that rises with u, and a source.
struct InRock {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 5;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return -1.0 - p.position(0) + 0.0 * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u * p.u) * p.grad_u;
  }
};
/// A loss, and a drift.
struct InIce {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 5;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u + p.grad_u(1);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return 3.0 * p.grad_u;
  }
};
/// Of either, by the material.
struct InEither {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 5;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return tessera::select(p.template a<0>() > 0.5, InIce{}.f0(p), InRock{}.f0(p));
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = InRock{}.f1(p);
    const auto other = InIce{}.f1(p);
    for (int d = 0; d < 2; ++d) f(d) = tessera::select(p.template a<0>() > 0.5, other(d), f(d));
    return f;
  }
};
/// On the boundary.
struct Film {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return 2.0 * p.u * p.u * p.u - p.normal(0);
  }
};

template <class ExecutionSpace>
class Divided : public ::testing::Test {
public:
  using View = Kokkos::View<double*, ExecutionSpace>;
  using Whole = Mesh<Quad<2>, ExecutionSpace>;

  static Whole whole() {
    auto mesh = test::distorted_box<Quad<2>, ExecutionSpace>({{5, 4, 1}, {1.2, 1.0, 1.0}});
    mesh.add_side_set("boundary", boundary_sides(mesh));
    mesh.add_node_set("boundary", nodes_of_sides(mesh, mesh.side_set("boundary")));
    return mesh;
  }
  static auto branching(const Whole& mesh) {
    return weak_form(InEither{}, CellField::per_material<ExecutionSpace>({0, 1}))
        .on_sides(mesh.side_set("boundary"), Film{});
  }
  static auto by_type() {
    return by_block([]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
      if constexpr (std::is_same_v<Element, Ice>)
        return weak_form(InIce{}).on_sides(block.side_set("boundary"), Film{});
      else
        return weak_form(InRock{}).on_sides(block.side_set("boundary"), Film{});
    });
  }
  static void expect_near(const View& found, const View& expected) {
    const auto a = test::to_host(found), b = test::to_host(expected);
    double scale = 0;
    for (const double value : b) scale = std::max(scale, std::abs(value));
    EXPECT_GT(scale, 0.01);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12 * scale) << i;
  }
};
TYPED_TEST_SUITE(Divided, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Divided, HaveTheEquationsOfAPhysicsThatBranches) {
  using View = typename TestFixture::View;
  const auto mesh = this->whole();
  const auto body = divided<Both>(mesh, {0, 1});
  FunctionSpace<Quad<2>, TypeParam> space(mesh, 1);
  MixedSpace divided_space(body, 1);
  for (Ordinal node = 0; node < mesh.num_nodes(); node += 7) {
    space.constrain(node, 0, 0.3);
    divided_space.constrain(node, 0, 0.3);
  }
  const auto u = test::to_device<TypeParam>(test::random_vector<double>(to_size(space.num_dofs())));
  const View r("Tessera::Test::r", u.extent(0)), expected("Tessera::Test::expected", u.extent(0));
  residual::RecomputingResidual{}.plan(space).integrate(this->branching(mesh), u, expected);
  residual::RecomputingResidual{}.plan(divided_space).integrate(this->by_type(), u, r);
  this->expect_near(r, expected);

  const LinearSystem<double, TypeParam> one(space), sum(divided_space);
  assembly::ElementAtomic{}.plan(space, one.graph()).assemble(jacobian(this->branching(mesh), mesh, u), one);
  assembly::ElementAtomic{}
      .plan(divided_space, sum.graph())
      .assemble(jacobian(this->by_type(), body, u), sum);
  EXPECT_EQ(test::to_host(sum.graph().columns), test::to_host(one.graph().columns));
  this->expect_near(sum.values(), one.values());
  this->expect_near(sum.rhs(), one.rhs());
}

TYPED_TEST(Divided, NewtonFindsTheSameSolution) {
  using View = typename TestFixture::View;
  const auto mesh = this->whole();
  const View u("Tessera::Test::u", to_size(mesh.num_nodes())), v("Tessera::Test::v", u.extent(0));
  for (const View& start : {u, v}) Kokkos::deep_copy(start, 1.0);
  solvers::Newton one(FunctionSpace<Quad<2>, TypeParam>(mesh, 1), {.relative_tolerance = 1e-13});
  EXPECT_TRUE(one.solve(this->branching(mesh), u).converged());
  solvers::Newton sum(MixedSpace(divided<Both>(mesh, {0, 1}), 1), {.relative_tolerance = 1e-13});
  EXPECT_TRUE(sum.solve(this->by_type(), v).converged());
  const auto a = test::to_host(u), b = test::to_host(v);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

TYPED_TEST(Divided, KeepNodesSetsMaterialsAndNames) {
  const auto mesh = this->whole();
  const auto body = divided<Both>(mesh, {1, 0});
  EXPECT_EQ(body.num_elements(), to_size(mesh.num_elements()));
  EXPECT_EQ(std::string(Ice::name), "quad2 block 1");
  EXPECT_EQ(body.nodes_id(), mesh.nodes_id());
  EXPECT_EQ(test::to_host(body.node_set("boundary")), test::to_host(mesh.node_set("boundary")));
  EXPECT_EQ(body.side_set("boundary").count(), mesh.side_set("boundary").extent(0));
  EXPECT_EQ(boundary_sides(body).count(), boundary_sides(mesh).extent(0));
  const auto whole_materials = test::to_host(mesh.materials());
  const auto whole_nodes = test::on_host(mesh.connectivity());
  body.for_each_block([&]<class Element>(const Mesh<Element, TypeParam>& block) {
    const int material = std::is_same_v<Element, Ice> ? 0 : 1;
    EXPECT_GT(block.num_elements(), 0);
    const auto nodes = test::on_host(block.connectivity());
    for (const Ordinal m : test::to_host(block.materials())) EXPECT_EQ(m, material);
    for (Ordinal e = 0; e < block.num_elements(); ++e) {
      const std::string name = block.element_name(e); // "element 5" of the undivided mesh
      const Ordinal whole = std::stoi(name.substr(name.find(' ')));
      EXPECT_EQ(whole_materials[to_size(whole)], material);
      for (int n = 0; n < Element::nodes; ++n) EXPECT_EQ(nodes(e, n), whole_nodes(whole, n));
    }
  });
}

TYPED_TEST(Divided, AreRefusedUnlessEachMaterialHasABlock) {
  const auto mesh = this->whole();
  expect_throw_with<ArgumentError>([&] { divided<Both>(mesh, {0}); }, "1 blocks are named for 2 materials");
  expect_throw_with<ArgumentError>([&] { divided<Both>(mesh, {0, 2}); }, "material 1 has block 2 of 2");
}

} // namespace strategies_blocks_divided

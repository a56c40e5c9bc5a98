// SPDX-License-Identifier: BSD-3-Clause
// Operators without a matrix of forms with functions on sides, against the assembled matrix.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/matrix_free/element_by_element.hpp>
#include <tessera/strategies/matrix_free/node_by_node.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/side_terms.hpp"
#include <cmath>
#include <limits>

namespace strategies_matrix_free_side_operators {

using namespace tessera;
using namespace tessera::test::sides;

/// Products, right-hand side and diagonal are those of the assembled system.
template <class Strategy, class Space, class Form>
void expect_matrix(const Strategy& strategy, const Space& space, const Form& form) {
  SCOPED_TRACE(Strategy::name);
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  const ExecutionSpace exec;
  const auto op = strategy.plan(space).template prepare<double>(form);
  const auto matrix = assembled(assembly::ElementAtomic{}, space, form);
  ASSERT_EQ(op.rows(), matrix.rows);
  const auto x = Problem<Tri<1>>::waves(static_cast<Ordinal>(matrix.rows), 4);
  const Vector y("Tessera::Test::y", op.rows()), f("Tessera::Test::f", op.rows()),
      d("Tessera::Test::d", op.rows());
  for (const auto& vector : {y, f, d}) Kokkos::deep_copy(vector, NAN);
  op.apply(exec, test::to_device<ExecutionSpace>(x), y);
  op.load(exec, f);
  op.diagonal(exec, d);
  expect_near(test::to_host(y), matrix * x, 1e-13);
  expect_near(test::to_host(f), matrix.rhs, 1e-13);
  Values diagonal;
  for (std::size_t i = 0; i < matrix.rows; ++i) diagonal.push_back(matrix(i, i));
  expect_near(test::to_host(d), diagonal, 1e-13);
}

template <class Element>
class SideOperators : public ::testing::Test {};
using Elements = ::testing::Types<Tet<1>, Hex<1>, Tri<2>>;
TYPED_TEST_SUITE(SideOperators, Elements);

TYPED_TEST(SideOperators, AreTheAssembledMatrix) {
  const Problem<TypeParam> problem;
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    typename Problem<TypeParam>::Space space(problem.mesh, 2, treatment);
    test::constrain(space);
    const auto tangent = jacobian(problem.template form<true>(), problem.mesh,
                                  test::to_device<ExecutionSpace>(problem.state()));
    expect_matrix(matrix_free::ElementByElement{}, space, tangent);
    expect_matrix(matrix_free::RecomputingElementByElement{}, space, tangent);
    expect_matrix(matrix_free::NodeByNode{}, space, tangent);
    const auto other = jacobian(
        weak_form(Nothing<2>{}).on_sides(boundary_sides(problem.mesh), OnSide<false>{}, 0.3, Wave{}),
        problem.mesh, test::to_device<ExecutionSpace>(Problem<TypeParam>::waves(space.num_dofs(), 8)));
    expect_matrix(matrix_free::NodeByNode{}, space, sum(tangent, other));
    expect_matrix(matrix_free::ElementByElement{}, space, sum(other, tangent));
  }
}

TEST(SideOperator, ServesTheBlocksOfMixedMeshes) {
  const auto mesh = test::MixedBox(1).mesh<ExecutionSpace>();
  const auto sides = boundary_sides(mesh);
  MixedSpace space(mesh, 1);
  space.constrain(3, 0, 0.5);
  const auto u = test::to_device<ExecutionSpace>(Problem<Tri<1>>::waves(mesh.num_nodes(), 1));
  expect_matrix(matrix_free::RecomputingElementByElement{}, space,
                by_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
                  const auto form =
                      weak_form(Laplace{}).on_sides(sides.template block<Element>(), Film{}, Wave{});
                  return jacobian(form, block, u);
                }));
}

TEST(SideOperator, KeepsTheSidesItWasPreparedWith) {
  const Problem<Quad<1>> problem;
  const Problem<Quad<1>>::Space space(problem.mesh, 2);
  const auto u = test::to_device<ExecutionSpace>(problem.state());
  const auto plan = matrix_free::ElementByElement{}.plan(space);
  const auto op = plan.prepare(jacobian(problem.form<true>(), problem.mesh, u));
  const auto inside = plan.prepare(jacobian(Inside{}, problem.mesh, u));
  EXPECT_GT(op.report().bytes, inside.report().bytes);
  const auto x = test::to_device<ExecutionSpace>(Problem<Quad<1>>::waves(space.num_dofs(), 4));
  const auto product = [&] {
    const Kokkos::View<double*, ExecutionSpace> y("Tessera::Test::y", op.rows());
    op.apply(ExecutionSpace(), x, y);
    return test::to_host(y);
  };
  const auto before = product();
  EXPECT_EQ(product(), before);
  Kokkos::deep_copy(u, 0.0);
  EXPECT_EQ(product(), before);
}

struct Infinite {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X&) const {
    return std::numeric_limits<double>::infinity();
  }
};

TEST(SideOperator, RefusesWhatPlansRefuse) {
  const auto mesh = io::box_mesh<Quad<1>, ExecutionSpace>({{3, 2}});
  const FunctionSpace<Quad<1>, ExecutionSpace> space(mesh, 1);
  const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", to_size(space.num_dofs()));
  Kokkos::deep_copy(u, 1.0);
  const auto plan = matrix_free::NodeByNode{}.plan(space);
  const Mesh<Quad<1>, ExecutionSpace>::SideSet wrong("Tessera::Test::sides", 1);
  Kokkos::deep_copy(wrong, 7);
  const auto on = [&](const auto& sides, const auto& field) {
    return jacobian(weak_form(Nothing<>{}).on_sides(sides, Radiation{}, field), mesh, u);
  };
  test::expect_throw_with<ArgumentError>([&] { plan.prepare(on(wrong, 1.0)); },
                                         "NodeByNode: on_sides: side set: entry 0 names an element");
  // Elements 2 and 5 have sides there.
  test::expect_throw_with<FormError>([&] { plan.prepare(on(mesh.side_set("xmax"), Infinite{})); },
                                     "NodeByNode: element 2 has a side whose integrals are not finite");
  const auto op = plan.prepare(on(mesh.side_set("xmax"), 1.0));
  const Kokkos::View<double*, ExecutionSpace> few("Tessera::Test::few", 2);
  test::expect_throw_with<ArgumentError>([&] { op.apply(ExecutionSpace(), few, u); }, "x has 2 entries");
  test::expect_throw_with<ArgumentError>([&] { op.diagonal(ExecutionSpace(), few); }, "d has 2 entries");
}

} // namespace strategies_matrix_free_side_operators

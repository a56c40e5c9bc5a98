// SPDX-License-Identifier: BSD-3-Clause
// Residuals of mixed meshes, and Newton's method: the sum of all blocks' elements, natural terms once,
// whatever the vector held.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_reactions.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/mixed_oracle.hpp"
#include "support/on_host.hpp"
#include "support/residual_oracle.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace strategies_blocks_mixed_residual {

using namespace tessera;
using test::expect_throw_with;
using test::MixedBox;
using test::OracleField;
using test::OraclePoint;
using test::Solids;

/// (1 + u^2) a grad u, and a source.
struct Conduction {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 2;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u - p.position(0);
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u * p.u) * p.template a<0>() * p.grad_u;
  }
  static void oracle(const OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
    f0[0] = p.u[0] * p.u[0] * p.u[0] - p.x[0];
    for (std::size_t i = 0; i < p.x.size(); ++i) f1[i] = (1 + p.u[0] * p.u[0]) * p.a[0][0] * p.grad_u[i];
  }
};

template <class ExecutionSpace>
class MixedResidualTest : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using Mixed = MixedMesh<Solids, ExecutionSpace>;
  using Space = MixedSpace<Solids, ExecutionSpace>;

  /// A coefficient by element, another in each block.
  static std::vector<double> coefficients(std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t e = 0; e < count; ++e)
      values[e] = 1 + 0.01 * static_cast<double>(e) + 0.001 * static_cast<double>(count);
    return values;
  }
  static auto conduction() {
    return by_block([](const auto& mesh) {
      return weak_form(Conduction{}, CellField::per_element(test::to_device<ExecutionSpace>(
                                         coefficients(to_size(mesh.num_elements())))));
    });
  }
  /// Its residual, loads and Robin sides included, zero where it is constrained.
  static std::vector<double> oracle(const Space& space, const std::vector<double>& u, double& scale) {
    std::vector<double> sum(u.size(), 0.0);
    scale = 0;
    space.mesh().for_each_block([&](const auto& mesh) {
      const auto own = test::oracle_residual<2>(
          mesh, 1, u, {{1, {}, coefficients(to_size(mesh.num_elements())), {}}}, Conduction::oracle);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own.values[i];
      scale = std::max(scale, own.scale);
    });
    test::MixedOracle natural(space);
    natural.add_natural_terms(space);
    const auto product = natural.product(u);
    const auto held = test::MixedOracle::held_dofs(space);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = held[i] ? 0 : sum[i] + product[i] - natural.load(i);
    return sum;
  }
};
TYPED_TEST_SUITE(MixedResidualTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MixedResidualTest, SumsTheBlocksAndTakesNaturalTermsOnce) {
  using Vector = typename TestFixture::Vector;
  const auto mesh = MixedBox(2).mesh<TypeParam>();
  MixedSpace space(mesh, 1);
  space.add_load(boundary_sides(mesh), {0.7});
  space.add_robin(boundary_sides(mesh), 1.5, 0.3);
  space.add_point_load(7, 0, -2.0);
  const auto u = test::random_vector<double>(to_size(space.num_dofs()));
  const Vector r("Tessera::Test::r", u.size());
  const auto device_u = test::to_device<TypeParam>(u);
  const auto form = this->conduction();
  for (const Conflicts conflicts : {Conflicts::atomics, Conflicts::gather}) {
    auto plan = residual::RecomputingResidual{.conflicts = conflicts}.plan(space);
    Kokkos::deep_copy(r, NAN);
    for (const bool constrained : {false, true}) {
      if (constrained) space.constrain(test::to_device<TypeParam>(std::vector<Ordinal>{3, 20, 41}), 0, 0.5);
      plan.integrate(form, device_u, r);
      double scale = 0;
      const auto expected = this->oracle(space, u, scale);
      const auto values = test::to_host(r);
      for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-13 * scale) << i;
    }
    for (const std::string block : {"hex1: ", "wedge1: ", "pyramid1: ", "tet1: "})
      EXPECT_NE(plan.report().path.find(block), std::string::npos) << plan.report().path;
    EXPECT_GE(plan.report().bytes, u.size() * sizeof(double));
    space.clear_constraints();
  }
}

TYPED_TEST(MixedResidualTest, AFormThatWasNotPreparedIsRefused) {
  using Vector = typename TestFixture::Vector;
  const auto mesh = MixedBox(1).mesh<TypeParam>();
  const MixedSpace space(mesh, 1);
  const Vector u("Tessera::Test::u", to_size(space.num_dofs())),
      r("Tessera::Test::r", to_size(space.num_dofs())), other("Tessera::Test::other", 3);
  auto plan = residual::RecomputingResidual{}.plan(space);
  expect_throw_with<ArgumentError>([&] { plan.enqueue(this->conduction(), u, r); }, "RecomputingResidual");
  expect_throw_with<ArgumentError>([&] { plan.integrate(this->conduction(), other, r); }, "u has 3 entries");
}

TYPED_TEST(MixedResidualTest, NewtonTakesFormsByBlock) {
  const auto mesh = MixedBox(1).mesh<TypeParam>();
  MixedSpace space(mesh, 1);
  space.constrain(0, 0, 0.5);
  space.add_load(boundary_sides(mesh), {0.3});
  const typename TestFixture::Vector u("Tessera::Test::u", to_size(space.num_dofs()));
  EXPECT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-10}).solve(this->conduction(), u).converged());
  const auto values = test::to_host(u);
  EXPECT_EQ(values[0], 0.5);
  double scale = 0;
  for (const double left : this->oracle(space, values, scale)) EXPECT_LE(std::abs(left), 1e-9 * scale);
}

// The neo-Hookean body whose boundary is deformed by a linear map is deformed by it everywhere.
TYPED_TEST(MixedResidualTest, NewtonPassesTheLinearPatchTest) {
  using Vector = typename TestFixture::Vector;
  const auto mesh = MixedBox(2).mesh<TypeParam>();
  MixedSpace space(mesh, 3);
  const auto linear = [](const auto& x) {
    return std::vector<double>{0.2 * x(0) - 0.1 * x(1), 0.15 * x(2), 0.3 * x(0) - 0.1 * x(2)};
  };
  space.prescribe(nodes_of_sides(mesh, boundary_sides(mesh)), linear);
  const Vector u("Tessera::Test::u", to_size(space.num_dofs()));
  const NeoHookean<3> rubber{.shear = 1.0, .lame = 2.0};
  const auto result = solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(rubber, u);
  EXPECT_TRUE(result.converged());
  const auto values = test::to_host(u);
  const auto x = test::on_host(mesh.coordinates());
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node) {
    tessera::Vector<double, 3> position;
    for (int d = 0; d < 3; ++d) position(d) = x(node, d);
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(values[to_size(3 * node + c)], linear(position)[to_size(c)], 1e-10) << "node " << node;
  }

  // The Jacobian that it was solved with is the derivative of the residual, which is zero inside.
  MixedSpace free(mesh, 3);
  const Vector r("Tessera::Test::r", values.size()), moved("Tessera::Test::moved", values.size());
  auto plan = residual::RecomputingResidual{}.plan(free);
  const auto direction = test::random_vector<double>(values.size());
  std::vector<double> difference(values.size(), 0.0);
  constexpr double h = 1e-5;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> at = values;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += sign * h * direction[i];
    Kokkos::deep_copy(moved, test::to_device<TypeParam>(at));
    plan.integrate(rubber, moved, r);
    const auto residual = test::to_host(r);
    for (std::size_t i = 0; i < at.size(); ++i) difference[i] += sign * residual[i] / (2 * h);
  }
  const TypeParam exec;
  const LinearSystem<double, TypeParam> system(free);
  assembly::ElementAtomic{}.plan(free, system.graph()).assemble(jacobian(rubber, mesh, u), system);
  const auto graph = system.graph();
  solvers::CrsOperator<double, TypeParam>(exec, graph.row_map, graph.columns, system.values())
      .apply(exec, test::to_device<TypeParam>(direction), r);
  const auto product = test::to_host(r);
  for (std::size_t i = 0; i < product.size(); ++i) EXPECT_NEAR(product[i], difference[i], 1e-7) << i;
}

} // namespace strategies_blocks_mixed_residual

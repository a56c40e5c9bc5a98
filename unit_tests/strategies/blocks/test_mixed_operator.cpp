// SPDX-License-Identifier: BSD-3-Clause
// Operators of mixed meshes, solvers on their systems, and blocks of second order.

#include <tessera/core/blocks/mixed_reactions.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/free_motions.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/mixed_oracle.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace strategies_blocks_mixed_operator {

using namespace tessera;
using test::MixedBox;
using test::MixedOracle;
using test::Solids;

enum class Constraints { none, removed, zeroed };

template <class ExecutionSpace>
class MixedOperatorTest : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using Mixed = MixedMesh<Solids, ExecutionSpace>;
  using Space = MixedSpace<Solids, ExecutionSpace>;

  /// Loads and Robin sides over the whole boundary, and nodes of all blocks constrained to values.
  static Space space_on(const Mixed& mesh, int components, Constraints constraints) {
    Space space(mesh, components,
                constraints == Constraints::zeroed ? ConstraintTreatment::zeroed
                                                   : ConstraintTreatment::removed);
    const auto boundary = boundary_sides(mesh);
    space.add_load(boundary, std::vector<double>(to_size(components), 0.7));
    space.add_robin(boundary, 1.5, [](const auto& x) { return x(0) - x(2); });
    for (Ordinal node = 0; constraints != Constraints::none && node < mesh.num_nodes(); node += 5)
      for (int c = 0; c < (node % 2 == 0 ? components : 1); ++c) space.constrain(node, c, 0.1 * node + c);
    return space;
  }

  /// Product, right-hand side and diagonal are those of the assembled system.
  template <class Operator, class System>
  static void expect_matrix(const Operator& op, const System& system) {
    const ExecutionSpace exec;
    const std::size_t rows = op.rows();
    ASSERT_EQ(rows, to_size(system.num_rows()));
    const auto x = test::random_vector<double>(rows);
    const Vector y("Tessera::Test::y", rows), f("Tessera::Test::f", rows), d("Tessera::Test::d", rows);
    for (const auto& vector : {y, f, d}) Kokkos::deep_copy(vector, NAN);
    op.apply(exec, test::to_device<ExecutionSpace>(x), y);
    op.load(exec, f);
    op.diagonal(exec, d);
    const auto row_map = test::to_host(system.graph().row_map);
    const auto columns = test::to_host(system.graph().columns);
    const auto values = test::to_host(system.values()), rhs = test::to_host(system.rhs());
    const auto product = test::to_host(y), load = test::to_host(f), diagonal = test::to_host(d);
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0, own = 0;
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
        sum += values[k] * x[to_size(columns[k])];
        if (to_size(columns[k]) == row) own = values[k];
      }
      EXPECT_NEAR(product[row], sum, 1e-13 * largest) << "row " << row;
      EXPECT_NEAR(load[row], rhs[row], 1e-13 * largest) << "row " << row;
      EXPECT_NEAR(diagonal[row], own, 1e-13 * largest) << "row " << row;
    }
  }
};
TYPED_TEST_SUITE(MixedOperatorTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MixedOperatorTest, ProductsLoadsAndDiagonalsAreTheMatrixs) {
  const auto mesh = MixedBox(2).mesh<TypeParam>();
  const LinearElasticity<3> form{
      .young = CellField::per_material({2.0, 5.0}), .poisson = 0.3, .body_force = {0.5, 0.0, -1.0}};
  for (const auto constraints : {Constraints::none, Constraints::removed, Constraints::zeroed}) {
    SCOPED_TRACE(static_cast<int>(constraints));
    const auto space = this->space_on(mesh, 3, constraints);
    const LinearSystem<double, TypeParam> system(space);
    make_assembly("ElementAtomic", space, system.graph()).assemble(form, system);
    MixedOracle oracle(space, form);
    oracle.add_natural_terms(space);
    EXPECT_LE(oracle.deviation(space, system), 1e-13);
    for (const Conflicts conflicts : {Conflicts::atomics, Conflicts::gather}) {
      const auto plan = matrix_free::RecomputingElementByElement{.conflicts = conflicts}.plan(space);
      this->expect_matrix(plan.prepare(form), system);
    }
    for (const std::string name : {"Best", "NodeByNode"}) {
      this->expect_matrix(*make_operator(name, space, form), system);
      this->expect_matrix(*make_operator(name, space, by_block([&](const auto&) { return form; })), system);
    }
  }
}

TYPED_TEST(MixedOperatorTest, SupportsCarryWhatAllBlocksNeed) {
  const auto mesh = MixedBox(2).mesh<TypeParam>();
  const auto space = this->space_on(mesh, 3, Constraints::removed);
  const LinearElasticity<3> form{.young = 2.0, .poisson = 0.3, .body_force = {0.5, 0.0, -1.0}};
  MixedOracle oracle(space, form);
  oracle.add_natural_terms(space);
  const auto u = test::random_vector<double>(to_size(space.num_dofs()));
  const auto values = test::to_host(reactions(TypeParam(), form, space, test::to_device<TypeParam>(u)));
  const auto product = oracle.product(u);
  const auto held = MixedOracle::held_dofs(space);
  for (std::size_t dof = 0; dof < u.size(); ++dof)
    EXPECT_NEAR(values[dof], held[dof] ? product[dof] - oracle.load(dof) : 0.0, 1e-13 * oracle.largest());
}

TYPED_TEST(MixedOperatorTest, FreeMotionsAreThoseOfAllBlocks) {
  using solvers::Unseen;
  using Mixed = typename TestFixture::Mixed;
  const MixedBox box(2, test::straight);
  const auto mesh = box.mesh<TypeParam>();
  const auto end_of = [](const Mixed& of) {
    return nodes_of_sides(of,
                          sides_where(of, boundary_sides(of), [](const auto& x) { return x(0) < 1e-12; }));
  };
  MixedSpace space(mesh, 3);
  const auto free = solvers::free_motions(space, Unseen::rigid_motions);
  ASSERT_EQ(free.parts.size(), 1u);
  EXPECT_EQ(free.parts[0].elements, 8 + 16 + 44 + 56);
  EXPECT_EQ(free.parts[0].pieces, 1);
  EXPECT_EQ(free.count(), 6u);
  EXPECT_EQ(solvers::free_motions(MixedSpace(mesh, 1), Unseen::constants).count(), 1u);
  space.constrain(end_of(mesh), {0.0, 0.0, 0.0});
  EXPECT_TRUE(solvers::free_motions(space, Unseen::rigid_motions).none());

  // Without wedges and pyramids the tetrahedra hang at an edge of the hexahedra, and turn about it.
  const Mixed hinge(box.coordinates<TypeParam>(), box.cells<Hex<1>, Mixed>(), {}, {},
                    box.cells<Tet<1>, Mixed>());
  MixedSpace hinged(hinge, 3);
  hinged.constrain(end_of(hinge), {0.0, 0.0, 0.0});
  const auto turns = solvers::free_motions(hinged, Unseen::rigid_motions);
  ASSERT_EQ(turns.count(), 1u);
  EXPECT_EQ(turns.parts[0].elements, 56);
  EXPECT_NE(turns.description([&](Ordinal e) { return hinge.element_name(e); })
                .find("the part of 56 elements with tet1 element 0: rotation about the axis along (0, 1, 0)"),
            std::string::npos)
      << turns.description([&](Ordinal e) { return hinge.element_name(e); });
  const LinearSystem<double, TypeParam> system(hinged); // nodes of wedges and pyramids alone are no element's
  test::expect_throw_with<SolverError>([&] { solvers::Multigrid(system, hinged); },
                                       "Multigrid: no element has node ");
  test::expect_throw_with<ArgumentError>([&] { hinge.element_name(64); }, "no element 64: they are 0 to 63");
  test::expect_throw_with<ArgumentError>(
      [&] { solvers::free_motions(MixedSpace(mesh, 2), Unseen::rigid_motions); }, "the space has 2");
}

TYPED_TEST(MixedOperatorTest, MultigridSolvesTheLinearPatchTest) {
  const auto mesh = MixedBox(4).mesh<TypeParam>();
  MixedSpace space(mesh, 3);
  const auto linear = [](const auto& x) {
    return std::vector<double>{0.2 * x(0) - 0.1 * x(1), 0.15 * x(2), 0.3 * x(0) - 0.1 * x(2)};
  };
  space.prescribe(nodes_of_sides(mesh, boundary_sides(mesh)), linear);
  const LinearSystem<double, TypeParam> system(space);
  make_assembly("ElementAtomic", space, system.graph())
      .assemble(LinearElasticity<3>{.young = 2.0, .poisson = 0.3}, system);
  const TypeParam exec;
  const auto graph = system.graph();
  const solvers::CrsOperator<double, TypeParam> matrix(exec, graph.row_map, graph.columns, system.values());
  const solvers::Multigrid multigrid(system, space);
  const typename TestFixture::Vector x("Tessera::Test::x", to_size(system.num_rows()));
  const auto result = solvers::cg(exec, matrix, multigrid, system.rhs(), x, {.relative_tolerance = 1e-13});
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 20);
  const auto u = test::to_host(space.expand(x));
  const auto positions = test::on_host(mesh.coordinates());
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node) {
    tessera::Vector<double, 3> position;
    for (int d = 0; d < 3; ++d) position(d) = positions(node, d);
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(u[to_size(3 * node + c)], linear(position)[to_size(c)], 1e-11) << "node " << node;
  }
}

// A quadrilateral and two triangles of second order, joined at a side: quadratic fields are exact.
TYPED_TEST(MixedOperatorTest, SecondOrderReproducesQuadraticFields) {
  using Parts = Blocks<Quad<2>, Tri<2>>;
  using Mixed = MixedMesh<Parts, TypeParam>;
  // A lattice of 5 x 3 points over [0, 2] x [0, 1], straight; node 5 j + i.
  const auto x =
      test::filled_on_host<typename Mixed::Coordinates>("Tessera::Test::coordinates", 15, [](const auto& at) {
        for (int n = 0; n < 15; ++n) {
          at(n, 0) = 0.5 * (n % 5) + 0.3 * (n / 5);
          at(n, 1) = 0.5 * (n / 5);
        }
      });
  const auto cells = [](auto connectivity, const std::vector<std::vector<Ordinal>>& rows) {
    const auto host = Kokkos::create_mirror_view(connectivity);
    for (std::size_t e = 0; e < rows.size(); ++e)
      for (std::size_t n = 0; n < rows[e].size(); ++n) host(e, n) = rows[e][n];
    Kokkos::deep_copy(connectivity, host);
    return connectivity;
  };
  const Mixed mesh(x,
                   {cells(typename Mesh<Quad<2>, TypeParam>::Connectivity("Tessera::Test::quads", 1),
                          {{0, 2, 12, 10, 1, 7, 11, 5, 6}}),
                    {}},
                   {cells(typename Mesh<Tri<2>, TypeParam>::Connectivity("Tessera::Test::triangles", 2),
                          {{2, 4, 14, 3, 9, 8}, {2, 14, 12, 8, 13, 7}}),
                    {}});
  EXPECT_EQ(boundary_sides(mesh).count(), 6u);
  MixedSpace space(mesh, 1);
  const auto exact = [](const auto& at) { return 1.0 + at(0) - 2 * at(1) + at(0) * at(1) + at(0) * at(0); };
  space.prescribe(nodes_of_sides(mesh, boundary_sides(mesh)), exact);
  const LinearSystem<double, TypeParam> system(space);
  ASSERT_EQ(system.num_rows(), 3); // the quadrilateral's middle, that of the joint, that of the diagonal
  const Helmholtz<> form{.source = -2.0};
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.assemble(form, system);
  EXPECT_LE(MixedOracle(space, form).deviation(space, system), 1e-13);
  const typename TestFixture::Vector solution("Tessera::Test::solution", 3);
  EXPECT_TRUE(solvers::cg(system, solution, {.relative_tolerance = 1e-14}).converged());
  const auto u = test::to_host(space.expand(solution));
  const auto positions = test::on_host(mesh.coordinates());
  for (Ordinal node = 0; node < 15; ++node) {
    tessera::Vector<double, 2> position;
    for (int d = 0; d < 2; ++d) position(d) = positions(node, d);
    EXPECT_NEAR(u[to_size(node)], exact(position), 1e-12) << "node " << node;
  }
}

} // namespace strategies_blocks_mixed_operator

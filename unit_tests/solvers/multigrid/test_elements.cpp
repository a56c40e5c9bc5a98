// SPDX-License-Identifier: BSD-3-Clause
// Iterations of multigrid on every element and for both forms, from one mesh to the next.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/compiled_elements.hpp"
#include "support/on_host.hpp"
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace solvers_multigrid_elements {

using namespace tessera;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, ExecutionSpace>;

struct Solved {
  solvers::CgResult result;
  std::string aggregation; // on the finest level
};

/// Solves on a box fixed on one side.
template <class Element, class Form>
Solved solve_on(const Mesh<Element, ExecutionSpace>& box, const Form& form) {
  FunctionSpace<Element, ExecutionSpace> space(box, Form::components);
  for (int c = 0; c < Form::components; ++c) space.constrain(box.node_set("xmin"), c, 0.0);
  const LinearSystem<double, ExecutionSpace> system(space);
  const auto plan = make_assembly("ElementAtomic", space, system.graph());
  plan->prepare(form, double());
  plan->assemble(form, system);
  const solvers::Multigrid multigrid(system, space);
  EXPECT_GT(multigrid.report().levels.size(), 1u);
  const auto& graph = system.graph();
  const ExecutionSpace exec;
  const solvers::CrsOperator<double, ExecutionSpace> a(exec, graph.row_map, graph.columns, system.values());
  const Vector x("Tessera::Test::x", system.num_rows());
  return {solvers::cg(exec, a, multigrid, system.rhs(), x, {.relative_tolerance = 1e-8}),
          multigrid.report().levels[0].aggregation};
}

template <class Element>
class MultigridElements : public ::testing::Test {
public:
  static constexpr bool solid = Element::dimension == 3;

  /// A cube with about as many nodes an edge whatever the order.
  template <class Form>
  static solvers::CgResult solve(const Form& form, int nodes) {
    const Ordinal cells = nodes / Element::order;
    const auto box = io::box_mesh<Element, ExecutionSpace>({{cells, cells, solid ? cells : 1}, {1, 1, 1}});
    const auto [result, aggregation] = solve_on(box, form);
    EXPECT_NE(aggregation, "matched pairs"); // cells are even
    return result;
  }
};

using AllElements = test::CompiledOf<Tri<1>, Tri<2>, Tri<3>, Tet<1>, Tet<2>, Tet<3>, Quad<1>, Quad<2>, Hex<1>,
                                     Hex<2>, Quad8, Hex20, Wedge<1>, Pyramid<1>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(MultigridElements, AllElements);

TYPED_TEST(MultigridElements, ConductionNeedsFewIterations) {
  const int nodes = TestFixture::solid ? 12 : 36;
  const auto result = this->solve(Helmholtz<>{.source = 1.0}, nodes);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, TypeParam::order == 1 ? 24 : TypeParam::order == 2 ? 28 : 36);
  EXPECT_LE(result.true_residual, 2e-8 * result.initial_residual);
}

TYPED_TEST(MultigridElements, ElasticityNeedsFewIterations) {
  constexpr int dimension = TypeParam::dimension;
  LinearElasticity<dimension> form{.young = 200e9, .poisson = 0.3};
  form.body_force[0] = 1;
  const auto result = this->solve(form, TestFixture::solid ? 8 : 24);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, TypeParam::order == 1 ? 30 : 50);
}

TEST(MultigridFlatCells, OfBricksTakeFewIterations) {
  // Without a look at signs in-plane neighbours seem to be coupled strongly, and runs take 43 and 384.
  for (const auto& [thickness, most] : {std::pair{0.1, 22}, {0.01, 38}}) {
    const auto box = io::box_mesh<Hex<1>, ExecutionSpace>({{16, 16, 16}, {1, 1, thickness}});
    const auto [result, aggregation] = solve_on(box, Helmholtz<>{.source = 1.0});
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, most);
    EXPECT_EQ(aggregation, "independent sets");
  }
}

LinearElasticity<3> steel() { return {.young = 200e9, .poisson = 0.3, .body_force = {0, 0, -1}}; }

TEST(MultigridFlatCells, OfSolidsTakeFewIterations) {
  // Cells four times flatter than wide; by runs of nodes it takes 74.
  const auto box = io::box_mesh<Hex<1>, ExecutionSpace>({{24, 6, 6}, {4, 1, 0.25}});
  const auto [result, aggregation] = solve_on(box, steel());
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 40);
  EXPECT_EQ(aggregation, "matched pairs");
}

/// Cells that grow by `ratio` towards the far ends of all axes, and lean by `shear` of their height.
template <class Element>
Mesh<Element, ExecutionSpace> deformed(const io::Box& grid, double ratio, double shear) {
  auto box = io::box_mesh<Element, ExecutionSpace>(grid);
  const auto from = box.coordinates();
  const typename Mesh<Element, ExecutionSpace>::Coordinates to("Tessera::Test::coordinates", box.num_nodes());
  Kokkos::parallel_for(
      "Tessera::Test::deform", Kokkos::RangePolicy<ExecutionSpace>(0, box.num_nodes()),
      KOKKOS_LAMBDA(const int node) {
        for (int d = 0; d < Element::dimension; ++d)
          to(node, d) = ratio == 1 ? from(node, d) : (Kokkos::pow(ratio, from(node, d)) - 1) / (ratio - 1);
        to(node, 0) += shear * to(node, 1);
      });
  box.move(to);
  return box;
}

TEST(MultigridDeformedCells, TakeFewIterations) {
  // By runs 64, 68, 17 and 45.
  const auto expect = [](const Solved& solved, int most) {
    EXPECT_TRUE(solved.result.converged());
    EXPECT_LE(solved.result.iterations, most);
    EXPECT_EQ(solved.aggregation, "independent sets");
  };
  const Helmholtz<> heat{.source = 1.0};
  expect(solve_on(deformed<Quad<1>>({{80, 80, 1}, {1, 1, 1}}, 100, 0), heat), 24);
  expect(solve_on(deformed<Hex<1>>({{16, 16, 16}, {1, 1, 1}}, 100, 0), heat), 20);
  expect(solve_on(deformed<Hex<1>>({{16, 16, 16}, {1, 1, 1}}, 1, 2), heat), 20);
  expect(solve_on(deformed<Quad<2>>({{40, 40, 1}, {1, 1, 1}}, 1, 2), heat), 28);
}

TEST(MultigridDeformedCells, OfSolidsLeaveSmallLevels) {
  // Graded tetrahedra have few strong couplings each: sets alone would give an operator complexity of 3.7.
  const auto [result, aggregation] = solve_on(deformed<Tet<1>>({{12, 12, 12}, {1, 1, 1}}, 10, 0), steel());
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 26);
  EXPECT_EQ(aggregation, "matched pairs");
}

/// Conductivities of e⁻⁸ to e⁸ without jumps.
Vector smooth_conductivity(const Mesh<Tri<1>, ExecutionSpace>& box) {
  const Vector sigma("Tessera::Test::sigma", box.num_elements());
  const auto x = box.coordinates();
  const auto connectivity = box.connectivity();
  Kokkos::parallel_for(
      "Tessera::Test::sigma", Kokkos::RangePolicy<ExecutionSpace>(0, box.num_elements()),
      KOKKOS_LAMBDA(const int e) {
        const auto node = connectivity(e, 0);
        sigma(e) = Kokkos::exp(8 * Kokkos::sin(20 * x(node, 0)) * Kokkos::sin(17 * x(node, 1)));
      });
  return sigma;
}

TEST(MultigridCoefficients, ThatChangeSmoothlyTakeFewIterations) {
  // By runs 42.
  const auto box = io::box_mesh<Tri<1>, ExecutionSpace>({{100, 100, 1}, {1, 1, 1}});
  const auto [result, aggregation] =
      solve_on(box, Helmholtz<>{.sigma = CellField::per_element(smooth_conductivity(box)), .source = 1.0});
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 36);
  EXPECT_EQ(aggregation, "independent sets");
}

TEST(MultigridSlenderBodies, OfSolidsTakeFewIterations) {
  // A beam 20:1:1, fixed at its end; by runs of nodes it takes 73, stored in half precision 117.
  const auto box = io::box_mesh<Hex<1>, ExecutionSpace>({{80, 4, 4}, {20, 1, 1}});
  const auto [result, aggregation] = solve_on(box, steel());
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, runs_on_host<ExecutionSpace> ? 24 : 26); // devices smooth twice, not thrice
  EXPECT_EQ(aggregation, "independent sets");
}

TEST(MultigridFlatCells, AreNotRefusedForRounding) {
  // Cells 100 times flatter than wide: the least eigenvalue of the scaled matrix is below single precision's
  // rounding.
  const auto box = io::box_mesh<Hex<1>, ExecutionSpace>({{16, 4, 4}, {4, 1, 0.01}});
  FunctionSpace<Hex<1>, ExecutionSpace> space(box, 3);
  for (int c = 0; c < 3; ++c) space.constrain(box.node_set("xmin"), c, 0.0);
  const LinearSystem<double, ExecutionSpace> system(space);
  const auto plan = make_assembly("ElementAtomic", space, system.graph());
  plan->prepare(steel(), double());
  plan->assemble(steel(), system);
  solvers::Multigrid multigrid(system, space, {.aggregation = solvers::Aggregation::runs});
  const double shift = multigrid.report().coarsest_shift;
  EXPECT_GT(shift, 0);
  EXPECT_LE(shift, 1e-3);
  multigrid.refresh(system);
  EXPECT_EQ(multigrid.report().coarsest_shift, shift);
  const Vector r("Tessera::Test::r", system.num_rows()), z("Tessera::Test::z", system.num_rows());
  Kokkos::deep_copy(r, 1.0);
  multigrid.apply(ExecutionSpace(), r, z);
  const auto values = test::on_host(z);
  double energy = 0; // r is one
  for (std::size_t row = 0; row < values.extent(0); ++row) energy += values(row);
  EXPECT_TRUE(std::isfinite(energy));
  EXPECT_GT(energy, 0);
}

} // namespace solvers_multigrid_elements

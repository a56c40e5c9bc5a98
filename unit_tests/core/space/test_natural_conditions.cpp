// SPDX-License-Identifier: BSD-3-Clause
// Robin conditions, reactions, and sums of forms, against matrices assembled without them and solutions
// known.

#include <tessera/core/arithmetic/vector_algebra.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/space/reactions.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <array>
#include <cmath>
#include <vector>

namespace core_space_natural_conditions {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;
using test::to_host;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Form, class Element>
LinearSystem<double, Space> assembled(const Form& form, const FunctionSpace<Element, Space>& space,
                                      const SparsityGraph<Space>& graph) {
  const LinearSystem<double, Space> system(graph);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
  return system;
}

template <class Form, class Element>
LinearSystem<double, Space> assembled(const Form& form, const FunctionSpace<Element, Space>& space) {
  return assembled(form, space, sparsity_graph(Space(), space));
}

template <class Element>
Kokkos::View<double*, Space> solved(const LinearSystem<double, Space>& system,
                                    const FunctionSpace<Element, Space>& space) {
  const Kokkos::View<double*, Space> x("Tessera::Test::x", system.num_rows());
  EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-12}).converged());
  return space.expand(x);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double scale) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-13 * scale) << i;
}

struct OnePlusSquare {
  KOKKOS_FUNCTION double operator()(const Vector<double, 2>& x) const { return 1 + x(0) * x(0); }
};

TEST(Sum, IsWhatItsPartsAddUpTo) {
  const auto mesh = test::distorted_box<Tri<1>, Space>({{4, 3}});
  const FunctionSpace<Tri<1>, Space> space(mesh, 1);
  const Helmholtz<> heat{.sigma = CellField::per_material<Space>({2.0, 5.0}), .source = 3.0};
  const Helmholtz<> mass{.sigma = 1e-3, .lambda = 7.0};
  const Helmholtz<OnePlusSquare> varying{.sigma = OnePlusSquare()};

  const auto graph = sparsity_graph(Space(), space);
  const auto parts = assembled(heat, space, graph), more = assembled(varying, space, graph);
  const auto mass_system = assembled(mass, space, graph);
  // Heat and mass have closed forms; with the third, all are integrated by quadrature.
  const LinearSystem<double, Space> expected(graph);
  expected.add(Space(), 1.0, parts);
  expected.add(Space(), 1.0, mass_system);
  const auto two = assembled(sum(heat, mass), space);
  expect_near(to_host(two.values()), to_host(expected.values()), 10);
  expect_near(to_host(two.rhs()), to_host(expected.rhs()), 1);
  expected.add(Space(), 1.0, more);
  const auto three = assembled(sum(heat, mass, varying), space);
  expect_near(to_host(three.values()), to_host(expected.values()), 20);
  EXPECT_THAT([&] { assembled(sum(heat, Helmholtz<>{.sigma = -1.0}), space); },
              ThrowsMessage<FormError>(HasSubstr("Helmholtz::sigma must be positive")));
}

/// Positive below y = 1/2 only.
struct TurnsNegative {
  KOKKOS_FUNCTION double operator()(const Vector<double, 2>& x) const { return x(1) < 0.5 ? 1.0 : -1.0; }
};

/// A wall of thickness 1 with u = 0 on one face and heat transfer h to surroundings at g on the other:
/// u = g h / (1 + h) x for conductivity 1.
template <class Element>
void expect_wall(ConstraintTreatment treatment) {
  const double h = 3, g = 8;
  const auto mesh = io::box_mesh<Element, Space>({{3, 2, 2}});
  FunctionSpace<Element, Space> space(mesh, 1, treatment);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.add_robin(mesh.side_set("xmax"), h, [=](const auto& x) { return g * x(0); });
  const Heat form{.sigma = 1.0};
  const auto system = assembled(form, space);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto expect_solution = [&](const Kokkos::View<double*, Space>& found) {
    const auto u = to_host(found);
    for (std::size_t n = 0; n < u.size(); ++n) ASSERT_NEAR(u[n], g * h / (1 + h) * x(n, 0), 1e-9) << n;
  };
  const auto u = solved(system, space);
  expect_solution(u);

  // The same without a matrix.
  const auto op = matrix_free::RecomputingElementByElement{}.plan(space).template prepare<double>(form);
  const Kokkos::View<double*, Space> f("Tessera::Test::f", op.rows()), y("Tessera::Test::y", op.rows());
  op.load(Space(), f);
  EXPECT_TRUE(solvers::cg(Space(), op, f, y, {.relative_tolerance = 1e-12}).converged());
  expect_solution(space.expand(y));

  // What flows in through xmin flows out through xmax: h (u - g) = -g h / (1 + h) over an area of 1.
  double flow = 0;
  for (const double reaction : to_host(reactions(Space(), form, space, u))) flow += reaction;
  EXPECT_NEAR(flow, -g * h / (1 + h), 1e-9);

  space.clear_robin();
  expect_near(to_host(space.expand(assembled(form, space).rhs())), std::vector<double>(x.extent(0), 0.0), 1);
}

TEST(Robin, TransfersHeatToSurroundings) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    expect_wall<Tri<1>>(treatment);
    expect_wall<Hex<1>>(treatment);
  }
}

/// On a side whose nodes are constrained in part, products with prescribed values go to the right-hand side.
TEST(Robin, KeepsConstraints) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({{2, 2}});
  FunctionSpace<Tri<1>, Space> free(mesh, 2), held(mesh, 2);
  held.constrain(mesh.node_set("ymin"), 0, 5.0);
  const auto h = [](const auto& x) { return 1 + x(1); };
  free.add_robin(mesh.side_set("xmax"), h, 2.0);
  held.add_robin(mesh.side_set("xmax"), h, 2.0);
  const LinearElasticity<2> soft{.young = 1e-300}; // nothing beside the sides
  const auto all = assembled(soft, free), some = assembled(soft, held);
  // Node 2 is (1, 0), node 5 (1, 1/2); equation 10 is node 5's first in `free`, 7 in `held`.
  double coupling = 0;
  const auto row_map = to_host(all.graph().row_map);
  const auto columns = to_host(all.graph().columns);
  for (Offset k = row_map[10]; k < row_map[11]; ++k)
    if (columns[k] == 4) coupling = to_host(all.values())[k];
  EXPECT_NEAR(coupling, 0.5 * (1.25 / 6), 1e-14);
  EXPECT_NEAR(to_host(some.rhs())[7], to_host(all.rhs())[10] - 5.0 * coupling, 1e-14);
  EXPECT_THAT([&] { free.add_robin(mesh.side_set("xmax"), -1.0, 2.0); },
              ThrowsMessage<ArgumentError>(HasSubstr("must be finite and not negative, got -1")));
  EXPECT_THAT([&] { free.add_robin(mesh.side_set("xmax"), 1.0, NAN); },
              ThrowsMessage<ArgumentError>(HasSubstr("the surroundings are not finite at side 0")));
  expect_near(to_host(assembled(soft, free).values()), to_host(all.values()), 0); // as it was
}

/// Each component has the scalar space's integrals times its own transfer, which may be zero.
TEST(Robin, HasATransferForEachComponent) {
  const auto mesh = test::distorted_box<Wedge<1>, Space>({{2, 3, 2}});
  const auto sides = boundary_sides(mesh);
  const Vector<double, 3> h{2, 0, 5}, g{1, -3, 0.5};
  FunctionSpace<Wedge<1>, Space> scalar(mesh, 1), bedded(mesh, 3);
  const auto along = [](const auto& x) { return 1 + x(0) + 2 * x(2); };
  scalar.add_robin(sides, along, [](const auto& x) { return x(1); });
  bedded.add_robin(
      sides, [=](const auto& x) { return along(x) * h; }, [=](const auto& x) { return x(1) * g; });
  const auto one = scalar.robin(Space()), each = bedded.robin(Space());
  const auto products = test::on_host(one.products), loads = test::on_host(one.loads),
             all_products = test::on_host(each.products), all_loads = test::on_host(each.loads);
  EXPECT_EQ(to_host(each.neighbors), to_host(one.neighbors));
  ASSERT_EQ(all_products.extent(0), products.extent(0));
  for (int c = 0; c < 3; ++c) {
    for (std::size_t k = 0; k < products.extent(0); ++k)
      ASSERT_NEAR(all_products(k, c), h(c) * products(k, 0), 1e-14);
    for (std::size_t i = 0; i < loads.extent(0); ++i)
      ASSERT_NEAR(all_loads(i, c), h(c) * g(c) * loads(i, 0), 1e-14);
  }
  EXPECT_THAT([&] { bedded.add_robin(sides, [](const auto&) { return std::array{1.0, 2.0}; }, 0.0); },
              ThrowsMessage<ArgumentError>(HasSubstr("add_robin: 2 values for 3 components")));
  EXPECT_THAT([&] { bedded.add_robin(sides, [](const auto&) { return std::array{1.0, 2.0, -3.0}; }, 0.0); },
              ThrowsMessage<ArgumentError>(HasSubstr("must be finite and not negative, got -3")));
}

TEST(Reactions, AreWhatTheUnconstrainedSystemLeaves) {
  const auto mesh = test::distorted_box<Tet<1>, Space>({{3, 2, 2}});
  const LinearElasticity<3> form{.young = CellField::per_material<Space>({2.0, 9.0}),
                                 .body_force = {0, 1, -2}};
  FunctionSpace<Tet<1>, Space> free(mesh, 3), held(mesh, 3);
  for (Ordinal node = 0; node < 8; ++node) held.constrain(node, node % 3, 0.01 * node);
  held.constrain(20, 0, 0.0);
  held.constrain(21, 1, 0.0);
  for (auto* space : {&free, &held}) {
    space->add_point_load(3, 0, 4.0);
    space->add_point_load(15, 2, 1.0);
  }
  const auto system = assembled(form, free);
  const auto u = solved(assembled(form, held), held);
  const auto found = to_host(reactions(Space(), form, held, u));
  test::HostMatrix<double> matrix{to_host(system.graph().row_map), to_host(system.graph().columns),
                                  to_host(system.values())};
  const auto product = matrix * to_host(u);
  const auto rhs = to_host(system.rhs());
  const auto mask = to_host(held.equations().mask);
  double sum = 0, load = 0;
  for (std::size_t dof = 0; dof < found.size(); ++dof) {
    const bool constrained = (mask[dof / 3] >> (dof % 3)) & 1;
    ASSERT_NEAR(found[dof], constrained ? product[dof] - rhs[dof] : 0.0, 1e-11) << dof;
    if (dof % 3 == 2) {
      sum += found[dof];
      load += rhs[dof];
    }
  }
  EXPECT_NEAR(sum, -load, 1e-8); // equilibrium

  EXPECT_THAT([&] { reactions(Space(), Heat{}, held, u); },
              ThrowsMessage<ArgumentError>("reactions: the form has 1 components per node, the space has 3"));
  EXPECT_THAT([&] { reactions(Space(), form, held, Kokkos::View<double*, Space>("Tessera::Test::u", 5)); },
              ThrowsMessage<ArgumentError>(HasSubstr("reactions: 5 values for ")));
}

/// What a callable returns is checked where it is evaluated.
TEST(Coefficients, OfTheWrongSignAreRefusedWhereverTheyComeFrom) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({{2, 2}});
  const FunctionSpace<Tri<1>, Space> space(mesh, 1), plane(mesh, 2);
  EXPECT_THAT(
      [&] { assembled(Helmholtz<TurnsNegative>{}, space); },
      ThrowsMessage<FormError>(HasSubstr("element 4 has a Jacobian that is not positive or a coefficient "
                                         "that is not finite or not in its range")));
  EXPECT_THAT([&] { (assembled(Helmholtz<CellField, TurnsNegative>{}, space)); },
              ThrowsMessage<FormError>(HasSubstr("element 4 ")));
  std::vector<double> young(8, 1.0), poisson(8, 0.3);
  young[5] = -1;
  poisson[6] = 0.5;
  const auto fields = [&](const std::vector<double>& values) {
    const Kokkos::View<const double*, Space> view = test::to_device<Space>(values);
    return CellField::per_element(view);
  };
  EXPECT_THAT([&] { assembled(LinearElasticity<2>{.young = fields(young)}, plane); },
              ThrowsMessage<FormError>(HasSubstr("element 5 ")));
  EXPECT_THAT([&] { assembled(LinearElasticity<2>{.poisson = fields(poisson)}, plane); },
              ThrowsMessage<FormError>(HasSubstr("element 6 ")));
  const Kokkos::View<double* [2], Kokkos::LayoutRight, Space> pairs("Tessera::Test::pairs", 8);
  const auto column = Kokkos::subview(pairs, Kokkos::ALL, 0);
  EXPECT_THAT([&] { CellField::per_element(column); },
              ThrowsMessage<ArgumentError>(HasSubstr("the view's values are 2 apart")));
}

} // namespace core_space_natural_conditions

// SPDX-License-Identifier: BSD-3-Clause
// The whole way through the umbrella header, as the first page of the documentation shows it.

#include <tessera/tessera.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cmath>
#include <string>

namespace solvers_solve {

using namespace tessera;

template <class ExecutionSpace>
class Solve : public ::testing::Test {
public:
  using MeshType = Mesh<Hex<1>, ExecutionSpace>;
  MeshType mesh = io::box_mesh<Hex<1>, ExecutionSpace>({{4, 2, 2}, {2.0, 1.0, 1.0}});
};
TYPED_TEST_SUITE(Solve, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

// A bar pulled at one end, free to contract: u = (sigma / E) x, -nu (sigma / E) (y, z), exact in every
// element.
TYPED_TEST(Solve, StretchedBarIsExact) {
  constexpr double young = 200e9, poisson = 0.3, stress = 1e8;
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Hex<1>, TypeParam> space(this->mesh, 3, treatment);
    space.constrain(this->mesh.node_set("xmin"), 0, 0.0);
    space.constrain(this->mesh.node_set("ymin"), 1, 0.0);
    space.constrain(this->mesh.node_set("zmin"), 2, 0.0);
    space.add_load(this->mesh.side_set("xmax"), {stress, 0.0, 0.0});
    const LinearElasticity<3> form{.young = young, .poisson = poisson};
    const LinearSystem<double, TypeParam> system(space);
    assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
    const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", system.num_rows());
    const auto result = solvers::cg(system, x, {.relative_tolerance = 1e-11});
    EXPECT_TRUE(result.converged());
    EXPECT_GT(result.iterations, 0);
    const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(x));
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->mesh.coordinates());
    const double strain = stress / young;
    for (std::size_t n = 0; n < p.extent(0); ++n)
      for (int d = 0; d < 3; ++d)
        EXPECT_NEAR(u(3 * n + d), (d == 0 ? strain : -poisson * strain) * p(n, d), 1e-9 * strain)
            << "node " << n;
  }
}

TYPED_TEST(Solve, RefusesSolutionOfAnotherLengthAndEmptyRows) {
  const FunctionSpace<Hex<1>, TypeParam> space(this->mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", system.num_rows()),
      short_x("Tessera::Test::x", system.num_rows() - 1);
  test::expect_throw_with<SolverError>([&] { solvers::cg(system, x); }, "the diagonal entry of row 0 is 0");
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(Helmholtz<>{.lambda = 1.0}, system);
  test::expect_throw_with<ArgumentError>([&] { solvers::cg(system, short_x); }, "the solution 44");
}

// Two triangles, and two points beside them.
TYPED_TEST(Solve, NodesWithoutElementsAreHeldOrNamed) {
  using Triangles = Mesh<Tri<1>, TypeParam>;
  const typename Triangles::Coordinates x("Tessera::Test::coordinates", 6);
  const auto points = Kokkos::create_mirror_view(x);
  const double places[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {5, 5}, {6, 6}};
  for (int n = 0; n < 6; ++n)
    for (int d = 0; d < 2; ++d) points(n, d) = places[n][d];
  Kokkos::deep_copy(x, points);
  const typename Triangles::Connectivity nodes("Tessera::Test::connectivity", 2);
  const auto corners = Kokkos::create_mirror_view(nodes);
  for (int n = 0; n < 3; ++n) corners(0, n) = n, corners(1, n) = (n + 2) % 4;
  Kokkos::deep_copy(nodes, corners);
  const Triangles mesh(x, nodes);
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Tri<1>, TypeParam> space(mesh, 1, treatment);
    space.constrain(0, 0, 0.0);
    space.constrain(4, 0, 7.0);
    const auto assembled = [&] {
      LinearSystem<double, TypeParam> system(space);
      assembly::ElementAtomic{}.plan(space, system.graph()).assemble(Helmholtz<>{.source = 1.0}, system);
      return system;
    };
    const auto expect_named = [](const char* who, const auto& solve) {
      test::expect_throw_with<SolverError>(solve, std::string(who) + ": no element has node 5, so that");
    };
    const auto open = assembled();
    const Kokkos::View<double*, TypeParam> wanted("Tessera::Test::x", open.num_rows());
    expect_named("cg", [&] { solvers::cg(open, wanted); });
    expect_named("bicgstab", [&] { solvers::bicgstab(TypeParam(), open, wanted); });
    expect_named("Multigrid", [&] { solvers::Multigrid<TypeParam>(open, space); });
#ifdef TESSERA_HAVE_KOKKOSKERNELS
    expect_named("IncompleteLu", [&] { solvers::IncompleteLu<double, TypeParam>{open}; });
#endif

    space.constrain(5, 0, -3.0);
    const auto closed = assembled();
    const Kokkos::View<double*, TypeParam> found("Tessera::Test::x", closed.num_rows());
    EXPECT_TRUE(solvers::cg(closed, found).converged());
    const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(found));
    EXPECT_EQ(u(4), 7.0);
    EXPECT_EQ(u(5), -3.0);
    EXPECT_GT(u(2), 0.0);
  }
}

} // namespace solvers_solve

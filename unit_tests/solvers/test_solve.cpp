// The whole way through the umbrella header, as the first page of the documentation shows it.

#include <tessera/tessera.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cmath>

namespace {

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

} // namespace

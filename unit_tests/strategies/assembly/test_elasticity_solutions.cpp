// SPDX-License-Identifier: BSD-3-Clause
// Elasticity against closed forms: manufactured solutions, and cantilevers against Timoshenko's beam theory.

#include <tessera/core/elements/elements.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/compiled_elements.hpp"
#include "support/execution_spaces.hpp"
#include "support/manufactured.hpp"
#include "support/waves.hpp"

namespace strategies_assembly_elasticity_solutions {

using namespace tessera;

template <class ExecutionSpace>
class ElasticitySolutions : public ::testing::Test {
public:
  template <class Element>
  static void expect_order(Ordinal n, Plane plane = Plane::strain) {
    constexpr int dimension = Element::dimension;
    using Displacement = test::WaveDisplacement<dimension>;
    constexpr double young = 2.6, poisson = 0.3, mu = young / (2 * (1 + poisson));
    const double lambda = dimension == 2 && plane == Plane::stress
                              ? young * poisson / (1 - poisson * poisson)
                              : young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double square = test::Wave<dimension>::square();
    const LinearElasticity<dimension, Displacement> form{
        .young = young,
        .poisson = poisson,
        .body_force = {(lambda + 2 * mu) * square, 0.5 * mu * square},
        .plane = plane};
    test::expect_optimal_order<Element, ExecutionSpace>(
        form, [](const auto& x, int c) { return Displacement{1.0, 0.5}(x)(c); }, n);
  }

  /// Mean deflection of the loaded end of a clamped beam of steel, over that of beam theory: bending plus
  /// shear, F L^3 / (3 E I) + F L / (kappa G A), kappa = 10 (1 + nu) / (12 + 11 nu) for a rectangle (G. R.
  /// Cowper, "The shear coefficient in Timoshenko's beam theory", 1966). Paper 2's beam, 16 x 2 (x 2) m.
  template <class Element>
  static double cantilever(const std::array<Ordinal, 3>& cells, const std::string& strategy = "ElementAtomic",
                           ConstraintTreatment treatment = ConstraintTreatment::removed) {
    constexpr int dimension = Element::dimension;
    constexpr double length = 16, height = 2, young = 200e9, poisson = 0.3, load = 1e5; // N / m^2 of the end
    const auto mesh = io::box_mesh<Element, ExecutionSpace>({cells, {length, height, height}});
    FunctionSpace<Element, ExecutionSpace> space(mesh, dimension, treatment);
    space.constrain(mesh.node_set("xmin"), std::vector<double>(dimension, 0.0));
    std::vector<double> traction(dimension, 0.0);
    traction.back() = load;
    space.add_load(mesh.side_set("xmax"), traction);
    const LinearSystem<double, ExecutionSpace> system(space);
    const LinearElasticity<dimension> form{.young = young, .poisson = poisson, .plane = Plane::stress};
    make_assembly(strategy, space, system.graph())->assemble(form, system);
    const Kokkos::View<double*, ExecutionSpace> x("Tessera::Test::x", system.num_rows());
    EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-9}).converged()) << strategy;
    const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(x));
    const auto end = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.node_set("xmax"));
    double deflection = 0;
    for (std::size_t i = 0; i < end.extent(0); ++i)
      deflection += u(end(i) * dimension + dimension - 1) / static_cast<double>(end.extent(0));

    const double width = dimension == 3 ? height : 1.0, area = width * height, force = load * area;
    const double inertia = width * height * height * height / 12, shear = young / (2 * (1 + poisson));
    const double kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
    const double theory =
        force * length * length * length / (3 * young * inertia) + force * length / (kappa * shear * area);
    return deflection / theory;
  }
};
TYPED_TEST_SUITE(ElasticitySolutions, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(ElasticitySolutions, ConvergesOnTriangles) {
  this->template expect_order<Tri<1>>(16);
  this->template expect_order<Tri<3>>(4);
}
TYPED_TEST(ElasticitySolutions, ConvergesOnQuadrilateralsInBothPlanes) {
  this->template expect_order<Quad<2>>(6, Plane::strain);
  this->template expect_order<Quad<2>>(6, Plane::stress);
}
TYPED_TEST(ElasticitySolutions, ConvergesOnTetrahedra) {
  if constexpr (test::is_compiled<Tet<2>>) this->template expect_order<Tet<2>>(4);
}
TYPED_TEST(ElasticitySolutions, ConvergesOnHexahedra) { this->template expect_order<Hex<1>>(6); }

// Linear hexahedra are too stiff in bending: parasitic shear, and contraction that is constant across a
// layer.
TYPED_TEST(ElasticitySolutions, CantileverOfHexahedraBendsAsBeamTheorySays) {
  EXPECT_NEAR(this->template cantilever<Hex<1>>({64, 8, 8}), 1.0, 0.02);
  if constexpr (test::is_compiled<Hex<2>>)
    EXPECT_NEAR(this->template cantilever<Hex<2>>({24, 3, 3}), 1.0, 0.01);
}
TYPED_TEST(ElasticitySolutions, CantileverOfTetrahedraBendsAsBeamTheorySays) {
  if constexpr (test::is_compiled<Tet<2>>)
    EXPECT_NEAR(this->template cantilever<Tet<2>>({32, 4, 4}), 1.0, 0.01);
}
TYPED_TEST(ElasticitySolutions, CantileverInPlaneStressBendsAsBeamTheorySays) {
  EXPECT_NEAR(this->template cantilever<Quad<1>>({128, 16, 0}), 1.0, 0.01);
  EXPECT_NEAR(this->template cantilever<Quad<2>>({16, 2, 0}), 1.0, 0.01);
}
// With constrained rows and columns kept and zeroed, as paper 2, section 5.1, does.
TYPED_TEST(ElasticitySolutions, CantileverBendsAlikeByEveryStrategy) {
  for (const StrategyInfo& info : assembly_strategies())
    EXPECT_NEAR(this->template cantilever<Quad<2>>({16, 2, 0}, info.name, ConstraintTreatment::zeroed), 1.0,
                0.01)
        << info.name;
}

} // namespace strategies_assembly_elasticity_solutions

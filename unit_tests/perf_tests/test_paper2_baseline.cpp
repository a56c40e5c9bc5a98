// SPDX-License-Identifier: BSD-3-Clause
// What paper 2 counts its speed-ups over assembles what ElementLocal does, by coordinates of its own.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/element_local.hpp>

#include <gtest/gtest.h>

#include "../../perf_tests/paper2/baseline.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"

namespace perf_tests_paper2_baseline {

using namespace tessera;
using tools::Baseline;
using Element = Tet<1>;

template <class ExecutionSpace>
class Paper2Baseline : public ::testing::Test {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;
  static Space space() {
    Space space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 3}, {1, 1, 1}}), 1);
    space.constrain(3, 0, 0.25);
    return space;
  }
};
TYPED_TEST_SUITE(Paper2Baseline, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Paper2Baseline, AgreesWithTheOracle) {
  const auto space = TestFixture::space();
  const typename TestFixture::System system(space);
  const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
  Baseline{}.plan(space, system.graph()).assemble(form, system);
  EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
}

TYPED_TEST(Paper2Baseline, HoldsCoordinatesBesideWhatElementLocalDoes) {
  const auto space = TestFixture::space();
  const typename TestFixture::System system(space);
  const auto plan = Baseline{}.plan(space, system.graph());
  const auto usual = assembly::ElementLocal{}.plan(space, system.graph());
  EXPECT_EQ(plan.report().bytes - usual.report().bytes,
            plan.elements().numbers.extent(0) * Element::nodes * Element::dimension * sizeof(double));
}

/// A source for which the form needs the points' positions.
struct RisingSource {
  KOKKOS_FUNCTION double operator()(const Vector<double, 3>& x) const { return 1 + 2 * x(0); }
};

TYPED_TEST(Paper2Baseline, ServesEveryForm) {
  const auto space = TestFixture::space();
  const typename TestFixture::System system(space), other(system.graph());
  auto plan = Baseline{}.plan(space, system.graph());
  auto usual = assembly::ElementLocal{}.plan(space, system.graph());
  const auto agrees = [&](const auto& form) {
    plan.assemble(form, system);
    usual.assemble(form, other);
    const auto a = test::to_host(system.values()), b = test::to_host(other.values());
    const auto f = test::to_host(system.rhs()), g = test::to_host(other.rhs());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-13);
    for (std::size_t k = 0; k < f.size(); ++k) EXPECT_NEAR(f[k], g[k], 1e-13);
  };
  agrees(Helmholtz<GeneralTensor<3>>{.sigma = {{{2, 1, 0}, {-1, 2, 0}, {0, 0, 1}}}, .source = 1.0});
  agrees(Helmholtz<CellField, CellField, RisingSource>{.lambda = 0.5});
}

TYPED_TEST(Paper2Baseline, FollowsAMeshThatMoves) {
  const auto space = TestFixture::space();
  const typename TestFixture::System system(space);
  auto plan = Baseline{}.plan(space, system.graph());
  const Helmholtz<> form{.sigma = 2.0, .source = 3.0};
  plan.assemble(form, system);
  auto mesh = space.mesh();
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const typename Mesh<Element, TypeParam>::Coordinates longer("Tessera::Test::longer", mesh.num_nodes());
  const auto host = Kokkos::create_mirror_view(longer);
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    for (int d = 0; d < 3; ++d) host(n, d) = d == 0 ? 2 * x(n, d) : x(n, d);
  Kokkos::deep_copy(longer, host);
  mesh.move(longer);
  plan.assemble(form, system);
  EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).max(), 1e-13);
}

/// Colors launched one by one and, where the device has them, by a graph give the same bits.
TYPED_TEST(Paper2Baseline, RepeatsBitwiseHoweverColorsAreLaunched) {
  const auto space = TestFixture::space();
  const typename TestFixture::System expected(space), system(expected.graph());
  const Helmholtz<> form{.sigma = 2.0, .source = 1.0};
  Baseline{.color_launches = ColorLaunches::separate}.plan(space, expected.graph()).assemble(form, expected);
  auto plan = Baseline{}.plan(space, expected.graph());
  for (int i = 0; i < 3; ++i) { // kernel by kernel, then captured, then from the graph
    plan.assemble(form, system);
    EXPECT_EQ(test::to_host(system.values()), test::to_host(expected.values()));
    EXPECT_EQ(test::to_host(system.rhs()), test::to_host(expected.rhs()));
  }
}

} // namespace perf_tests_paper2_baseline

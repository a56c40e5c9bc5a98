// SPDX-License-Identifier: BSD-3-Clause
// Flow with inertia by a preconditioner that knows convection.

#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/fields/navier_stokes_preconditioner.hpp>
#include <tessera/solvers/fields/stokes_preconditioner.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "solvers/fields/cavity.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace solvers_fields_navier_stokes_preconditioner {

using namespace tessera;
using namespace tessera::solvers;

template <class ExecutionSpace>
class NavierStokesPreconditioner : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// The most iterations of a step of Newton's method, at each Reynolds number from the flow of the last.
  template <int d, class Space>
  static std::vector<int> flow(const Space& space, const std::vector<int>& reynolds_numbers) {
    const ExecutionSpace exec;
    const Vector u("Tessera::Test::u", to_size(space.num_dofs()));
    Newton newton(exec, space, {.relative_tolerance = 1e-2}); // all steps take about as many iterations
    std::vector<int> most;
    for (const int reynolds : reynolds_numbers) {
      const NavierStokes<d> flow{.viscosity = 1.0 / reynolds};
      PressureConvection pressure(exec, flow, space);
      most.push_back(0);
      const auto linear = [&](const auto& instance, const auto& system, const auto& x, const auto& state) {
        const CrsOperator<double, ExecutionSpace> matrix(instance, system.graph().row_map,
                                                         system.graph().columns, system.values());
        const auto m = navier_stokes_preconditioner(instance, pressure, system, state);
        const CgResult result = flexible_gmres(instance, matrix, m, system.rhs(), x,
                                               {.relative_tolerance = 1e-6, .max_iterations = 300}, 300);
        EXPECT_TRUE(result.converged());
        most.back() = std::max(most.back(), result.iterations);
        return result;
      };
      EXPECT_TRUE(newton.solve(flow, u, linear).converged());
    }
    return most;
  }
};
TYPED_TEST_SUITE(NavierStokesPreconditioner, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// Four times the Reynolds number takes less than twice the iterations.
TYPED_TEST(NavierStokesPreconditioner, IterationsGrowLessThanTheReynoldsNumber) {
  std::vector<int> last;
  for (const int n : {6, 12}) {
    const auto most = this->template flow<2>(test::cavity<Tri, TypeParam>(n, ConstraintTreatment::removed),
                                             {100, 200, 400});
    EXPECT_LE(most[2], 2 * most[0]);
    EXPECT_LE(most[2], n == 6 ? 85 : 110);
    for (std::size_t i = 0; i < last.size(); ++i) EXPECT_LE(most[i], 1.5 * last[i]);
    this->RecordProperty("iterations_" + std::to_string(n), ::testing::PrintToString(most));
    last = most;
  }
}

TYPED_TEST(NavierStokesPreconditioner, ServesSolidMeshesAndRowsThatStay) {
  this->template flow<2>(test::cavity<Tri, TypeParam>(6, ConstraintTreatment::zeroed), {100});
  const auto solid =
      this->template flow<3>(test::cavity<Tet, TypeParam>(2, ConstraintTreatment::removed), {100});
  EXPECT_LE(solid.front(), 35);
}

/// At rest there is no convection: M⁻¹ F A⁻¹ is the viscosity over the mass matrix, as for slow flow.
TYPED_TEST(NavierStokesPreconditioner, AtRestItIsThatOfSlowFlow) {
  const TypeParam exec;
  const auto space = test::cavity<Tri, TypeParam>(6, ConstraintTreatment::removed);
  const double viscosity = 0.3;
  const PressureConvection pressure(exec, NavierStokes<2>{.viscosity = viscosity}, space);
  auto slow = stokes_preconditioner(exec, Stokes<2>{.viscosity = viscosity}, space);
  const auto x =
      test::to_device<TypeParam>(test::random_vector<double>(static_cast<Ordinal>(pressure.rows())));
  const typename TestFixture::Vector y("Tessera::Test::y", pressure.rows()),
      z("Tessera::Test::z", pressure.rows());
  pressure.apply(exec, x, y);
  slow.second().apply(exec, x, z); // few rows: both are solved directly, in single precision
  const auto found = test::to_host(y), expected = test::to_host(z);
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4 * scale) << i;
}

TYPED_TEST(NavierStokesPreconditioner, RefusesWhatDoesNotFit) {
  const TypeParam exec;
  const auto space = test::cavity<Tri, TypeParam>(2, ConstraintTreatment::removed);
  test::expect_throw_with<FormError>(
      [&] { PressureConvection(exec, NavierStokes<2>{.viscosity = -1}, space); }, "viscosity");
  PressureConvection pressure(exec, NavierStokes<2>{}, space);
  const typename TestFixture::Vector wrong("Tessera::Test::u", 5);
  test::expect_throw_with<ArgumentError>([&] { pressure.update(exec, wrong); }, "5 values");
}

} // namespace solvers_fields_navier_stokes_preconditioner
#endif

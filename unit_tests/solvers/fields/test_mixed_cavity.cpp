// SPDX-License-Identifier: BSD-3-Clause
// Stokes' equations on a mixed mesh of second order, by a preconditioner of the two fields.

#include <tessera/core/forms/stokes.hpp>
#include <tessera/solvers/fields/stokes_preconditioner.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/meshes/second_order.hpp"
#include "support/on_host.hpp"

namespace solvers_fields_mixed_cavity {

using namespace tessera;
using namespace tessera::solvers;
using Solids = Blocks<Hex<2>, Wedge<2>, Tet<2>>;
constexpr int d = 3;

template <class ExecutionSpace>
class MixedCavity : public ::testing::Test {
public:
  /// Velocities at rest on all sides but the top, which moves; pyramids are left out, a hole.
  static MixedSpace<Solids, ExecutionSpace> space(int n) {
    const auto mesh = test::SecondOrder<Solids>::over(
        test::MixedBox(n, test::straight).mesh<ExecutionSpace>(), test::straight);
    MixedSpace space(mesh, {.components = d + 1, .linear_components = 1});
    const auto x = test::on_host(mesh.coordinates());
    for (const Ordinal node : test::to_host(nodes_of_sides(mesh, boundary_sides(mesh))))
      for (int a = 0; a < d; ++a) space.constrain(node, a, a == 0 && x(node, 2) == 2 ? 1.0 : 0.0);
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
      if (x(node, 0) + x(node, 1) + x(node, 2) == 0) space.constrain(node, d, 0.0);
    return space;
  }
  static int iterations(int n) {
    const ExecutionSpace exec;
    const auto cavity = space(n);
    const Stokes<d> form{.viscosity = 0.1};
    const LinearSystem<double, ExecutionSpace> system(exec, cavity);
    assembly::ElementAtomic().plan(exec, cavity, system.graph()).assemble(form, system);
    const CrsOperator<double, ExecutionSpace> matrix(exec, system.graph().row_map, system.graph().columns,
                                                     system.values());
    const auto m = stokes_preconditioner(exec, form, cavity, system);
    const Kokkos::View<double*, ExecutionSpace> x("Tessera::Test::x", matrix.rows());
    const CgResult result = flexible_gmres(exec, matrix, m, system.rhs(), x,
                                           {.relative_tolerance = 1e-8, .max_iterations = 200}, 200);
    EXPECT_TRUE(result.converged());
    return result.iterations;
  }
};
TYPED_TEST_SUITE(MixedCavity, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MixedCavity, TakesFewMoreIterationsOnAFinerMesh) {
  const int coarse = this->iterations(2), fine = this->iterations(3);
  EXPECT_LE(fine, 1.3 * coarse);
  EXPECT_LE(fine, 75);
}

} // namespace solvers_fields_mixed_cavity

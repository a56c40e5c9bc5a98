// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types in hypre's matrices, and the solvers on them.

#include <tessera/core/error.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/distributed/hypre/multigrid.hpp>
#include <tessera/distributed/hypre/system.hpp>

#include <gmock/gmock.h>

#include "distributed/hypre/problem.hpp"
#include "distributed/mixed_problem.hpp"
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_hypre_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Elasticity over all ranks, as `Problem` of one element type.
template <class List>
struct Elastic {
  distributed::Mesh<List, Space> mesh;
  MixedSpace<List, Space> space;
  distributed::HypreSystem<Space> system;

  Elastic(const distributed::WholeMesh<List>& whole, ConstraintTreatment treatment)
      : mesh(divided<List>(whole)), space(held_space(mesh.local(), treatment)), system(mesh, space) {
    assemble_elastic(space, system.local());
    system.refill();
  }
};

template <class List>
void expect_solutions(const distributed::WholeMesh<List>& on_host, const MixedMesh<List, Space>& whole) {
  for (const auto treatment : {removed, zeroed}) {
    const Elastic<List> problem(on_host, treatment);
    expect_rows_of_whole(
        rows_of(problem.space, problem.system.local(), problem.mesh.owned_nodes(), nodes_of(problem.mesh)),
        elastic_rows(whole, treatment), false, "hypre");
    expect_hypre_has_owned_rows(problem, "mixed mesh");
    const auto expected = elastic_solution(whole, treatment);
    const auto solve = [&](const auto& preconditioner, const std::string& what) {
      const auto x = problem.system.make_vector();
      EXPECT_TRUE(distributed::hypre_cg(preconditioner, x, {.relative_tolerance = 1e-11}).converged) << what;
      expect_values_of_whole(problem.mesh, distributed::expand(Space(), problem.mesh, problem.space, x),
                             expected, 1e-8, what);
    };
    for (const auto components : {distributed::AmgComponents::apart, distributed::AmgComponents::rotations})
      if (components == distributed::AmgComponents::apart || !distributed::HypreTypes<Space>::on_device)
        solve(distributed::BoomerAmg<Space>(problem.system, problem.mesh, {.components = components}),
              components == distributed::AmgComponents::apart ? "apart" : "rotations");
    if (distributed::HypreTypes<Space>::shares_memory)
      solve(distributed::HypreMultigrid<Space>(problem.system, problem.mesh), "multigrid");
  }
}

TEST(HypreMixedMesh, SolutionsAreThoseOfOneRank) { expect_solutions(solids<Host>(), solids<Space>()); }

TEST(HypreMixedMesh, SolutionsOfElevatedOnes) {
  expect_solutions(elevated<OnEdges>(solids<Host>(cells<OnEdges>)),
                   elevated<OnEdges>(solids<Space>(cells<OnEdges>)));
}

TEST(HypreMixedMesh, PreconditionersRefuseAnotherMesh) {
  const Elastic<Solids> problem(solids<Host>(), zeroed);
  const auto other = divided<Solids>(solids<Host>());
  EXPECT_THAT([&] { distributed::BoomerAmg<Space>(problem.system, other); },
              ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("not that of the system")));
}

} // namespace distributed_hypre_mixed_mesh
} // namespace tessera::test

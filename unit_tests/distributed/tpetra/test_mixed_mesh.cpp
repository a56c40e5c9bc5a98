// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types in Tpetra's matrices, and the solvers on them.

#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/operator.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include "distributed/mixed_problem.hpp"
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_tpetra_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;
using Types = distributed::TpetraTypes<Space>;
constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

template <class List>
struct Problem {
  distributed::Mesh<List, Space> mesh;
  MixedSpace<List, Space> space;
  distributed::TpetraSystem<Space> system;
  std::vector<double> expected;

  Problem(const distributed::WholeMesh<List>& on_host, const MixedMesh<List, Space>& whole,
          ConstraintTreatment treatment)
      : mesh(divided<List>(on_host)), space(held_space(mesh.local(), treatment)), system(mesh, space),
        expected(elastic_solution(whole, treatment)) {
    assemble_elastic(space, system.local());
    expect_rows_of_whole(rows_of(space, system.local(), mesh.owned_nodes(), nodes_of(mesh)),
                         elastic_rows(whole, treatment), false, "Tpetra");
  }

  int iterations(const Teuchos::RCP<Types::Operator>& preconditioner, const std::string& what) const {
    const auto x = system.make_vector();
    const auto result = distributed::belos_cg<Space>(system.matrix(), system.rhs(), x.owned, preconditioner,
                                                     {.relative_tolerance = 1e-11, .max_iterations = 2000});
    EXPECT_TRUE(result.converged) << what;
    expect_values_of_whole(mesh, distributed::expand(Space(), mesh, space, x), expected, 1e-8, what);
    return result.iterations;
  }
};

/// \param by_muelu whether MueLu solves it: of wedges of second order its cycle is not positive
template <class List>
void expect_solutions(const distributed::WholeMesh<List>& on_host, const MixedMesh<List, Space>& whole,
                      bool by_muelu) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<List> problem(on_host, whole, treatment);
    EXPECT_EQ(sum_over_ranks(problem.system.equations().owned), problem.system.equations().total);
    const auto solve = [&](const Teuchos::RCP<Types::Operator>& preconditioner, const std::string& what) {
      return problem.iterations(preconditioner, what);
    };
    const int alone = solve(Teuchos::null, "no preconditioner");
    EXPECT_LT(solve(Teuchos::rcp(new distributed::TpetraMultigrid<Space>(problem.system, problem.mesh)),
                    "multigrid"),
              alone);
    if (by_muelu) EXPECT_LT(solve(distributed::muelu(problem.system, problem.mesh), "MueLu"), alone);
  }
}

TEST(TpetraMixedMesh, SolutionsAreThoseOfOneRank) { expect_solutions(solids<Host>(), solids<Space>(), true); }

TEST(TpetraMixedMesh, SolutionsOfElevatedOnes) {
  expect_solutions(elevated<OnEdges>(solids<Host>(cells<OnEdges>)),
                   elevated<OnEdges>(solids<Space>(cells<OnEdges>)), false);
}

TEST(TpetraMixedMesh, OperatorsWithoutAMatrixGiveItsProducts) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Solids> problem(solids<Host>(), solids<Space>(), treatment);
    const auto form = elasticity_by_material();
    const auto of = [&](const MixedSpace<Solids, Space>& space) {
      return matrix_free::RecomputingElementByElement{}.plan(space).prepare<double>(form);
    };
    const auto split = distributed::split_mesh(Space(), problem.mesh);
    const auto all = of(problem.space);
    using Operator = distributed::TpetraOperator<std::decay_t<decltype(all)>, Space>;
    const auto& maps = problem.system.maps();
    const Operator at_once(Space(), maps, all);
    const Operator in_two(Space(), maps, of(held_space(split.interior.mesh, treatment)),
                          of(held_space(split.border.mesh, treatment)),
                          problem.system.local().graph().equations);
    const auto x = problem.system.make_vector(), expected = problem.system.make_vector(),
               y = problem.system.make_vector();
    x.owned->randomize();
    problem.system.matrix()->apply(*x.owned, *expected.owned);
    for (const Operator* op : {&at_once, &in_two}) {
      op->apply(*x.owned, *y.owned);
      y.owned->update(-1.0, *expected.owned, 1.0);
      EXPECT_LE(y.owned->norm2(), 1e-13 * expected.owned->norm2());
    }
  }
}

TEST(TpetraMixedMesh, NamesAGhostThatIsHeldOtherwise) {
  const auto mesh = divided<Solids>(solids<Host>());
  auto space = held_space(mesh.local(), zeroed);
  if (mesh.ghost_nodes() > 0) space.constrain(mesh.owned_nodes(), 1, 7.0);
  if (sum_over_ranks(mesh.ghost_nodes()) > 0)
    EXPECT_THROW(distributed::TpetraSystem<Space>(mesh, space), MeshError);
}

} // namespace distributed_tpetra_mixed_mesh
} // namespace tessera::test

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/operator.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/matrix_free/element_by_element.hpp>

#include <gmock/gmock.h>

#include "distributed/solutions.hpp"
#include "distributed/tpetra/problem.hpp"
#include <cstdio>

namespace tessera::test {
namespace distributed_tpetra_solvers {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

template <class Element>
class Solves {
public:
  Solves(const io::Box& box, int components, ConstraintTreatment treatment,
         distributed::BoxBlocks blocks = {0, 0, 0})
      : problem(box, components, treatment, blocks),
        expected(solution_of_one<Element>(box, components, treatment)) {
    problem.assemble("RowOwner");
  }

  int iterations(const Teuchos::RCP<Types::Operator>& preconditioner, const std::string& what,
                 bool gmres = false) const {
    return iterations(problem.system.matrix(), preconditioner, what, gmres);
  }
  int iterations(const Teuchos::RCP<Types::Operator>& matrix,
                 const Teuchos::RCP<Types::Operator>& preconditioner, const std::string& what,
                 bool gmres = false) const {
    const auto x = problem.system.make_vector();
    const distributed::BelosOptions options{
        .relative_tolerance = 1e-11, .max_iterations = 2000, .restart = 300};
    const auto result =
        gmres
            ? distributed::belos_gmres<Space>(matrix, problem.system.rhs(), x.owned, preconditioner, options)
            : distributed::belos_cg<Space>(matrix, problem.system.rhs(), x.owned, preconditioner, options);
    EXPECT_TRUE(result.converged) << what;
    expect_solution(problem.mesh, problem.space, x, expected, what);
    return result.iterations;
  }
  Teuchos::RCP<distributed::TpetraMultigrid<Space>>
  multigrid(const distributed::MultigridOptions& options = {}) const {
    return Teuchos::rcp(new distributed::TpetraMultigrid<Space>(problem.system, problem.mesh, options));
  }

  Problem<Element> problem;
  std::vector<double> expected;
};

const Teuchos::RCP<Types::Operator> none;

TEST(TpetraSolvers, GiveTheSolutionOfOneRank) {
  for (const auto treatment : {removed, zeroed}) {
    const Solves<Tet<1>> scalar({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, treatment);
    scalar.iterations(none, "cg");
    scalar.iterations(none, "gmres", true);
    scalar.iterations(scalar.multigrid(), "multigrid");
    const Solves<Hex<1>> elastic({{5, 4, 3}, {1.0, 2.0, 3.0}}, 3, treatment);
    elastic.iterations(none, "cg, elastic");
    elastic.iterations(elastic.multigrid(), "multigrid, elastic");
  }
}

TEST(TpetraSolvers, RanksMayBeWithoutEquations) {
  const Solves<Hex<1>> few({{1, 2, 1}, {1.0, 2.0, 3.0}}, 3, zeroed, {1, size_of_world(), 1});
  few.iterations(few.multigrid(), "multigrid, gathered at once");
  few.iterations(few.multigrid({.levels = {.coarsest_rows = 4}, .gathered_rows = 1}), "multigrid");
}

/// Iterations of one rank for the same box.
int iterations_of_one(const io::Box& box) {
  const auto space = loaded_space(io::box_mesh<Hex<1>, Space>(box), 3, zeroed);
  const LinearSystem<double, Space> system(space);
  assemble_loaded("RowOwner", space, system);
  const Kokkos::View<double*, Space> x("x", to_size(system.num_rows()));
  const solvers::CrsOperator<double, Space> matrix(Space(), system.graph().row_map, system.graph().columns,
                                                   system.values());
  const auto result = solvers::cg(Space(), matrix, solvers::Multigrid<Space>(system, space), system.rhs(), x,
                                  {.relative_tolerance = 1e-11});
  EXPECT_TRUE(result.converged());
  return result.iterations;
}

TEST(TpetraSolvers, MultigridTakesFewMoreIterationsOnManyRanks) {
  const io::Box box{{24, 8, 8}, {3.0, 1.0, 1.0}};
  const Solves<Hex<1>> elastic(box, 3, zeroed, {size_of_world(), 1, 1});
  const int one = iterations_of_one(box);
  const auto multigrid = elastic.multigrid();
  const int early = elastic.iterations(multigrid, "gathered early");
  const int late = elastic.iterations(elastic.multigrid({.levels = {}, .gathered_rows = 1}), "gathered late");
  const int muelu =
      elastic.iterations(distributed::muelu(elastic.problem.system, elastic.problem.mesh), "MueLu");
  if (rank_of_world() == 0)
    std::printf("%d ranks, elastic: one rank %d, level 1 gathered %d, the last %d, MueLu %d iterations\n",
                size_of_world(), one, early, late, muelu);
  EXPECT_EQ(multigrid->report().rows.size(), size_of_world() == 1 ? 1u : 2u);
  EXPECT_LE(early, 1.25 * one);
  EXPECT_LE(late, 1.7 * one);
  multigrid->refresh();
  EXPECT_EQ(elastic.iterations(multigrid, "refreshed"), early);
}

TEST(TpetraSolvers, MueLuTakesBothTreatments) {
  for (const auto treatment : {removed, zeroed}) {
    const Solves<Tet<1>> scalar({{12, 12, 12}, {1.0, 2.0, 3.0}}, 1, treatment);
    const int muelu =
        scalar.iterations(distributed::muelu(scalar.problem.system, scalar.problem.mesh), "MueLu");
    const int own = scalar.iterations(scalar.multigrid({.levels = {}, .gathered_rows = 100}), "multigrid");
    if (rank_of_world() == 0)
      std::printf("%d ranks, scalar: multigrid %d, MueLu %d iterations\n", size_of_world(), own, muelu);
  }
  const Solves<Tet<1>> parts({{3, 4, 3}, {1.0, 2.0, 3.0}}, 3, removed);
  EXPECT_THROW(distributed::muelu(parts.problem.system, parts.problem.mesh), UnsupportedError);
}

TEST(TpetraSolvers, OperatorsNeedNoMatrix) {
  const Solves<Hex<1>> scalar({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, zeroed);
  auto plan = matrix_free::ElementByElement{}.plan(Space(), scalar.problem.space);
  const auto local = plan.template prepare<double>(Helmholtz<>{.sigma = 1.5, .lambda = 0.5, .source = 2.0});
  using Operator = distributed::TpetraOperator<std::decay_t<decltype(local)>, Space>;
  const auto a = Teuchos::rcp(new Operator(Space(), scalar.problem.system.maps(), local));
  scalar.iterations(a, none, "matrix-free");
  const auto x = scalar.problem.system.make_vector(), y = scalar.problem.system.make_vector(),
             z = scalar.problem.system.make_vector();
  x.owned->randomize();
  y.owned->putScalar(1.0);
  z.owned->putScalar(1.0);
  a->apply(*x.owned, *y.owned, Teuchos::NO_TRANS, 2.0, -3.0);
  scalar.problem.system.matrix()->apply(*x.owned, *z.owned, Teuchos::NO_TRANS, 2.0, -3.0);
  z.owned->update(-1.0, *y.owned, 1.0);
  EXPECT_LE(z.owned->normInf(), 1e-13 * y.owned->normInf());
  EXPECT_THROW(a->apply(*x.owned, *y.owned, Teuchos::TRANS, 1.0, 0.0), UnsupportedError);
}

TEST(TpetraSolvers, OperatorsHideTheImport) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> problem({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, treatment);
    const Helmholtz<> form{.sigma = 1.5, .lambda = 0.5};
    const auto operator_of = [&](const tessera::Mesh<Hex<1>, Space>& mesh) {
      FunctionSpace<Hex<1>, Space> space(mesh, 1, treatment);
      space.constrain(problem.mesh.local().node_set("xmin"), 0, 2.0);
      return matrix_free::ElementByElement{}.plan(Space(), space).template prepare<double>(form);
    };
    FunctionSpace<Hex<1>, Space> space(problem.mesh.local(), 1, treatment);
    space.constrain(problem.mesh.local().node_set("xmin"), 0, 2.0);
    const distributed::TpetraSystem<Space> system(problem.mesh, space);
    const auto split = distributed::split_mesh(Space(), problem.mesh);
    const auto all = operator_of(problem.mesh.local());
    using Operator = distributed::TpetraOperator<std::decay_t<decltype(all)>, Space>;
    const Operator at_once(Space(), system.maps(), all);
    const Operator in_two(Space(), system.maps(), operator_of(split.interior.mesh),
                          operator_of(split.border.mesh), system.local().graph().equations);
    const auto x = system.make_vector(), y = system.make_vector(), z = system.make_vector();
    x.owned->randomize();
    at_once.apply(*x.owned, *y.owned);
    in_two.apply(*x.owned, *z.owned);
    z.owned->update(-1.0, *y.owned, 1.0);
    EXPECT_LE(z.owned->normInf(), 1e-13 * y.owned->normInf());
  }
}

TEST(TpetraSolvers, TheVerdictRestsOnTheTrueResidual) {
  const auto norm_of_residual = [](const Problem<Hex<1>>& problem,
                                   const distributed::TpetraVector<Space>& x) {
    Types::Vector residual(*problem.system.rhs(), Teuchos::Copy);
    problem.system.matrix()->apply(*x.owned, residual, Teuchos::NO_TRANS, -1.0, 1.0);
    return residual.norm2() / problem.system.rhs()->norm2();
  };
  const auto solve = [&](const Problem<Hex<1>>& problem, const distributed::BelosOptions& options) {
    const auto x = problem.system.make_vector();
    const auto result =
        distributed::belos_cg<Space>(problem.system.matrix(), problem.system.rhs(), x.owned, none, options);
    EXPECT_DOUBLE_EQ(result.relative_residual, norm_of_residual(problem, x));
    return result;
  };
  const Problem<Hex<1>> cube({{6, 6, 6}, {1.0, 1.0, 1.0}}, 3, zeroed);
  cube.assemble("RowOwner");
  EXPECT_TRUE(solve(cube, {.relative_tolerance = 1e-10}).converged);
  const auto impossible = solve(cube, {.relative_tolerance = 0.0, .max_iterations = 1000});
  EXPECT_FALSE(impossible.converged);
  EXPECT_EQ(impossible.reason, solvers::StopReason::stagnated);
  EXPECT_LE(impossible.relative_residual, 1e-12);
  const auto few = solve(cube, {.relative_tolerance = 1e-10, .max_iterations = 3});
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.reason, solvers::StopReason::max_iterations);
  // So flat that rounding keeps the residual far above any tolerance, whatever the iteration says.
  const Problem<Hex<1>> flat({{6, 6, 6}, {1.0, 1.0, 1e-6}}, 3, zeroed);
  flat.assemble("RowOwner");
  const auto stuck = solve(flat, {.relative_tolerance = 1e-8, .max_iterations = 500});
  EXPECT_FALSE(stuck.converged);
  EXPECT_GT(stuck.relative_residual, 1e-8);
}

TEST(TpetraSolvers, RefusesOptionsOutOfRange) {
  const Problem<Hex<1>> problem({{2, 3, 2}, {1.0, 1.0, 1.0}}, 1, zeroed);
  problem.assemble("RowOwner");
  const auto make = [&](const distributed::MultigridOptions& options) {
    distributed::TpetraMultigrid<Space>(problem.system, problem.mesh, options);
  };
  EXPECT_THROW(make({.levels = {}, .gathered_rows = 0}), ArgumentError);
  EXPECT_THROW(make({.levels = {.max_levels = 0}}), ArgumentError);
}

} // namespace distributed_tpetra_solvers
} // namespace tessera::test

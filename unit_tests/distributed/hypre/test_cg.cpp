// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/distributed/hypre/multigrid.hpp>

#include "distributed/hypre/problem.hpp"
#include "distributed/solutions.hpp"
#include <cmath>
#include <cstdio>
#include <limits>

namespace tessera::test {
namespace distributed_hypre_cg {

template <class Element, class Preconditioner>
int iterations(const Problem<Element>& problem, const std::vector<double>& expected,
               const Preconditioner& preconditioner, const std::string& what) {
  const auto x = problem.system.make_vector();
  const auto result = distributed::hypre_cg(preconditioner, x, {.relative_tolerance = 1e-11});
  EXPECT_TRUE(result.converged) << what;
  EXPECT_LE(result.relative_residual, 1e-11) << what;
  expect_solution(problem.mesh, problem.space, x, expected, what);
  return result.iterations;
}

template <class Element>
int iterations(const Problem<Element>& problem, const std::vector<double>& expected,
               const distributed::BoomerAmgOptions& options, const std::string& what) {
  return iterations(problem, expected, distributed::BoomerAmg<Space>(problem.system, problem.mesh, options),
                    what);
}

TEST(HypreCg, GivesTheSolutionOfOneRank) {
  for (const auto treatment : {removed, zeroed}) {
    const io::Box box{{6, 5, 4}, {1.0, 2.0, 3.0}};
    const Problem<Tet<1>> scalar(box, 1, treatment);
    scalar.assemble();
    const auto scalar_solution = solution_of_one<Tet<1>>(box, 1, treatment);
    iterations(scalar, scalar_solution, {}, "scalar");
    iterations(scalar, scalar_solution, {.strong_threshold = 0.25, .aggressive_levels = 1}, "aggressive");
    iterations(scalar, scalar_solution, {.coarsening = 8, .relaxation = 6}, "PMIS, symmetric Gauss-Seidel");
    const Problem<Hex<1>> elastic(box, 3, treatment);
    elastic.assemble();
    iterations(elastic, solution_of_one<Hex<1>>(box, 3, treatment), {}, "elastic");
  }
}

TEST(HypreCg, RanksMayBeWithoutEquations) {
  const io::Box box{{1, 2, 1}, {1.0, 2.0, 3.0}};
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> few(box, 3, treatment, {1, size_of_world(), 1});
    few.assemble();
    expect_hypre_has_owned_rows(few, "few");
    iterations(few, solution_of_one<Hex<1>>(box, 3, treatment), {}, "few");
  }
}

TEST(HypreCg, SmoothsByTheMatrixAsItIs) {
  const io::Box box{{6, 5, 4}, {1.0, 2.0, 3.0}};
  const Problem<Tet<1>> problem(box, 1, zeroed);
  const auto solution = solution_of_one<Tet<1>>(box, 1, zeroed);
  const distributed::BoomerAmgOptions gauss_seidel{.coarsening = 8, .relaxation = 6};
  problem.assemble();
  const int first = iterations(problem, solution, gauss_seidel, "first");
  const auto values = on_host(problem.system.local().values());
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) *= 100;
  Kokkos::deep_copy(problem.system.local().values(), values);
  problem.system.refill();
  const auto x = problem.system.make_vector();
  distributed::hypre_cg(distributed::BoomerAmg<Space>(problem.system, problem.mesh, gauss_seidel), x,
                        {.max_iterations = 1}); // triangles of these values
  problem.assemble();
  EXPECT_NEAR(iterations(problem, solution, gauss_seidel, "again"), first, 1);
}

template <class Element>
void expect_tesseras_multigrid_solves(int components, ConstraintTreatment treatment) {
  using distributed::HypreMultigrid;
  const io::Box box{{6, 5, 4}, {1.0, 2.0, 3.0}};
  const Problem<Element> problem(box, components, treatment);
  const auto expected = solution_of_one<Element>(box, components, treatment);
  const auto solve = [&](const HypreMultigrid<Space>& m, const std::string& what) {
    return iterations(problem, expected, m, what);
  };
  problem.assemble();
  const distributed::MultigridOptions few{.levels = {.coarsest_rows = 10}, .gathered_rows = 60};
  const HypreMultigrid<Space> kept(problem.system, problem.mesh, few);
  const auto& rows = kept.report().rows;
  EXPECT_EQ(rows.front(), problem.system.equations().total);
  EXPECT_LE(rows.back(), size_of_world() > 1 ? 60 : rows.front());
  const int first = solve(kept, "as assembled");
  if (rank_of_world() == 0)
    std::printf("%d ranks: %zu levels, %d iterations\n", size_of_world(), rows.size(), first);
  // Levels over the ranks converge as one rank's do, to an iteration.
  EXPECT_LE(solve(HypreMultigrid<Space>(problem.system, problem.mesh), "gathered at once"), first + 1);
  // Far from the matrix: a diagonal.
  const auto& local = problem.system.local();
  const auto row_map = on_host(local.graph().row_map);
  const auto columns = on_host(local.graph().columns);
  const auto values = on_host(local.values());
  for (Ordinal row = 0; row < local.num_rows(); ++row)
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      values(k) = columns(k) == row ? 1.0 + row % 7 : 0.0;
  Kokkos::deep_copy(local.values(), values);
  kept.refresh();
  problem.assemble();
  // Of other values: as many iterations as before do not suffice. All take many messages.
  const auto x = problem.system.make_vector();
  EXPECT_FALSE(
      distributed::hypre_cg(kept, x, {.relative_tolerance = 1e-11, .max_iterations = first}).converged);
  kept.refresh();
  EXPECT_NEAR(solve(kept, "refreshed"), first, 1);
}

TEST(HypreCg, TakesTesserasMultigrid) {
  for (const auto treatment : {removed, zeroed}) {
    expect_tesseras_multigrid_solves<Tet<1>>(1, treatment);
    expect_tesseras_multigrid_solves<Hex<1>>(3, treatment);
  }
}

TEST(HypreCg, RotationsTakeFewerIterations) {
  if (distributed::HypreTypes<Space>::on_device) GTEST_SKIP() << "hypre's rotations are for hosts";
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{60, 3, 3}, {30.0, 1.0, 1.0}});
  FunctionSpace<Hex<1>, Space> space(mesh.local(), 3, removed);
  for (int c = 0; c < 3; ++c) space.constrain(mesh.local().node_set("xmin"), c, 0.0);
  space.add_load(mesh.local().side_set("xmax"), {0.0, 0.0, -1.0});
  const distributed::HypreSystem<Space> system(mesh, space);
  make_assembly("RowOwner", space, system.local().graph())
      ->assemble(LinearElasticity<3>{.young = 1.0, .poisson = 0.3}, system.local());
  system.refill();
  const auto count = [&](const distributed::BoomerAmgOptions& options) {
    const auto x = system.make_vector();
    const auto result = distributed::hypre_cg(distributed::BoomerAmg<Space>(system, mesh, options), x);
    EXPECT_TRUE(result.converged);
    return result.iterations;
  };
  using distributed::AmgComponents;
  const int apart = count({.components = AmgComponents::apart});
  const int nodal = count({.components = AmgComponents::nodal});
  const int gm = count({.components = AmgComponents::rotations});
  const int ln = count({.components = AmgComponents::rotations, .interpolation_variant = 3});
  if (rank_of_world() == 0)
    std::printf("%d ranks, beam: components apart %d, nodal %d, rotations by GM %d, by LN %d iterations\n",
                size_of_world(), apart, nodal, gm, ln);
  EXPECT_EQ(count({}), gm) << "the default";
  EXPECT_LT(gm, apart);
  EXPECT_LT(ln, apart);
  EXPECT_LT(gm, nodal);
}

TEST(HypreCg, TheVerdictRestsOnTheTrueResidual) {
  const auto solve = [](const Problem<Hex<1>>& problem, const distributed::HypreCgOptions& options) {
    const auto x = problem.system.make_vector();
    return distributed::hypre_cg(distributed::BoomerAmg<Space>(problem.system, problem.mesh), x, options);
  };
  const Problem<Hex<1>> cube({{6, 6, 6}, {1.0, 1.0, 1.0}}, 3, zeroed);
  cube.assemble();
  const auto solved = solve(cube, {});
  EXPECT_TRUE(solved.converged);
  EXPECT_EQ(solved.reason, solvers::StopReason::relative_tolerance);
  const auto impossible = solve(cube, {.relative_tolerance = 0.0});
  EXPECT_FALSE(impossible.converged);
  EXPECT_EQ(impossible.reason, solvers::StopReason::stagnated);
  EXPECT_LE(impossible.relative_residual, 1e-12);
  const auto few = solve(cube, {.relative_tolerance = 1e-10, .max_iterations = 3});
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.reason, solvers::StopReason::max_iterations);
  EXPECT_EQ(few.iterations, 3);
  // So flat that rounding keeps the residual far above any tolerance, whatever the iteration says.
  const Problem<Hex<1>> flat({{6, 6, 6}, {1.0, 1.0, 1e-6}}, 3, zeroed);
  flat.assemble();
  const auto stuck = solve(flat, {.relative_tolerance = 1e-13, .max_iterations = 200});
  EXPECT_FALSE(stuck.converged);
  EXPECT_GT(stuck.relative_residual, 1e-13);
}

TEST(HypreCg, KnowsWhatRoundingAllows) {
  const Problem<Hex<1>> problem({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, zeroed);
  problem.assemble();
  const auto dofs = local_dofs(problem.space, problem.nodes()).first;
  const auto entry = [&](std::size_t i) { return std::cos(0.7 * static_cast<double>(dofs[i])); };
  const auto x = problem.system.make_vector();
  const auto host = on_host(x);
  for (std::size_t i = 0; i < dofs.size(); ++i) host(i) = entry(i);
  Kokkos::deep_copy(x, host);
  const distributed::detail::HypreCg iteration(distributed::BoomerAmg<Space>(problem.system, problem.mesh));
  iteration.x().take(Space(), x);
  const auto& local = problem.system.local();
  const auto row_map = on_host(local.graph().row_map);
  const auto columns = on_host(local.graph().columns);
  const auto values = on_host(local.values());
  const auto rhs = on_host(local.rhs());
  double squares = 0;
  for (Ordinal row = 0; row < problem.system.equations().owned; ++row) {
    double size = std::abs(rhs(row));
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      size += std::abs(values(k) * entry(to_size(columns(k))));
    squares += size * size;
  }
  MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double expected = std::numeric_limits<double>::epsilon() * std::sqrt(squares);
  EXPECT_NEAR(iteration.attainable(), expected, 1e-13 * expected);
  expect_hypre_has_owned_rows(problem, "the matrix is as it was");

  // Nearly a constant that nothing holds: the solution is large, and b - A x is what rounding leaves.
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{6, 6, 6}, {1.0, 1.0, 1.0}});
  const FunctionSpace<Hex<1>, Space> space(mesh.local(), 1, removed);
  const distributed::HypreSystem<Space> system(mesh, space);
  make_assembly("RowOwner", space, system.local().graph())
      ->assemble(Helmholtz<>{.sigma = 1.0, .lambda = 1e-8, .source = 1.0}, system.local());
  system.refill();
  const auto y = system.make_vector();
  const auto result = distributed::hypre_cg(distributed::BoomerAmg<Space>(system, mesh), y);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.reason, solvers::StopReason::rounding);
  EXPECT_GT(result.relative_residual, 1e-8);
}

TEST(HypreCg, WithoutALoadTheSolutionIsZero) {
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{4, 4, 4}, {1.0, 1.0, 1.0}});
  const FunctionSpace<Hex<1>, Space> space(mesh.local(), 1, removed);
  const distributed::HypreSystem<Space> system(mesh, space);
  make_assembly("RowOwner", space, system.local().graph())
      ->assemble(Helmholtz<>{.sigma = 1.0, .lambda = 1.0, .source = 0.0}, system.local());
  system.refill();
  const auto x = system.make_vector();
  Kokkos::deep_copy(x, 1.0);
  EXPECT_TRUE(distributed::hypre_cg(distributed::BoomerAmg<Space>(system, mesh), x).converged);
  const auto solution = on_host(x);
  for (Ordinal i = 0; i < system.equations().owned; ++i) EXPECT_EQ(solution(i), 0.0);
}

TEST(HypreCg, WithoutEquationsThereIsNothingToSolve) {
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, {{2, 2, 2}, {1.0, 1.0, 1.0}});
  for (const int components : {1, 3}) {
    FunctionSpace<Hex<1>, Space> space(mesh.local(), components, removed);
    for (const std::string side : {"min", "max"})
      for (const std::string axis : {"x", "y", "z"})
        space.constrain(mesh.local().node_set(axis + side), std::vector<double>(to_size(components), 2.0));
    const Kokkos::View<Ordinal*, Space> centre("centre", mesh.local().num_nodes());
    const auto all = Kokkos::create_mirror_view(centre);
    for (Ordinal n = 0; n < mesh.local().num_nodes(); ++n) all(n) = n;
    Kokkos::deep_copy(centre, all);
    space.constrain(centre, std::vector<double>(to_size(components), 2.0));
    const distributed::HypreSystem<Space> system(mesh, space);
    EXPECT_EQ(system.equations().total, 0);
    system.refill();
    const auto x = system.make_vector();
    EXPECT_TRUE(distributed::hypre_cg(distributed::BoomerAmg<Space>(system, mesh), x).converged);
  }
}

} // namespace distributed_hypre_cg
} // namespace tessera::test

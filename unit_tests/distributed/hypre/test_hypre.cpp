// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/box.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/tools/support/mpi_calls.hpp>

#include <gmock/gmock.h>

#include "distributed/heap.hpp"
#include "distributed/rows.hpp"
#include "support/hooks.hpp"
#include <cmath>
#include <cstdio>
#include <limits>

namespace tessera::test {
namespace {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

/// A box over all ranks with the constraints and loads of `loaded_space`.
template <class Element>
struct Problem {
  distributed::Mesh<Element, Space> mesh;
  FunctionSpace<Element, Space> space;
  distributed::HypreSystem<Space> system;

  Problem(const io::Box& box, int components, ConstraintTreatment treatment,
          distributed::BoxBlocks blocks = {0, 0, 0})
      : mesh(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks)),
        space(loaded_space(mesh.local(), components, treatment)), system(mesh, space) {}

  void assemble(const std::string& strategy = "RowOwner") const {
    assemble_loaded(strategy, space, system.local());
    system.refill();
  }

  std::vector<GlobalOrdinal> nodes() const {
    const auto& numbers = mesh.global_nodes();
    return {numbers.data(), numbers.data() + numbers.extent(0)};
  }
};

/// hypre's rows, as hypre gives them out, are the owned rows of the local system to the bit.
template <class Element>
void expect_hypre_has_owned_rows(const Problem<Element>& problem, const std::string& what) {
  const auto& local = problem.system.local();
  const auto& equations = problem.system.equations();
  const auto row_map = on_host(local.graph().row_map);
  const auto columns = on_host(local.graph().columns);
  const auto values = on_host(local.values());
  const auto rhs = on_host(local.rhs());
  const auto loads = on_host(problem.system.hypre_rhs().values());
  HYPRE_BigInt first = 0, last = 0, first_column = 0, last_column = 0;
  HYPRE_ParCSRMatrixGetLocalRange(problem.system.matrix(), &first, &last, &first_column, &last_column);
  ASSERT_EQ(last - first + 1, equations.owned) << what;
  int wrong = 0;
  for (Ordinal row = 0; row < equations.owned; ++row) {
    std::map<GlobalOrdinal, double> expected, found;
    for (Offset k = row_map(row); k < row_map(row + 1); ++k)
      expected[equations.numbers(columns(k))] = values(k);
    HYPRE_Int size = 0;
    HYPRE_BigInt* numbers = nullptr;
    double* entries = nullptr;
    ASSERT_EQ(HYPRE_ParCSRMatrixGetRow(problem.system.matrix(), first + row, &size, &numbers, &entries), 0);
    for (HYPRE_Int k = 0; k < size; ++k) found[numbers[k]] = entries[k];
    HYPRE_ParCSRMatrixRestoreRow(problem.system.matrix(), first + row, &size, &numbers, &entries);
    wrong += expected == found && rhs(row) == loads(row) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << what << ": rows";
}

/// The solution of one rank, for all degrees of freedom.
template <class Element>
std::vector<double> solution_of_one(const io::Box& box, int components, ConstraintTreatment treatment) {
  const auto space = loaded_space(io::box_mesh<Element, Space>(box), components, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_loaded("RowOwner", space, system);
  const Kokkos::View<double*, Space> x("x", to_size(system.num_rows()));
  EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-12}).converged());
  const auto dofs = on_host(space.expand(x));
  return {dofs.data(), dofs.data() + dofs.extent(0)};
}

template <class Element>
void expect_solution(const Problem<Element>& problem, const Kokkos::View<double*, Space>& x,
                     const std::vector<double>& expected, const std::string& what) {
  const auto dofs = on_host(distributed::expand(Space(), problem.mesh, problem.space, x));
  const auto nodes = problem.nodes();
  const auto components = to_size(problem.space.components());
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i) {
    const double value = expected[to_size(nodes[i / components]) * components + i % components];
    worst = std::fmax(worst, std::abs(dofs(i) - value));
    scale = std::fmax(scale, std::abs(value));
  }
  EXPECT_LE(worst, 1e-8 * scale) << what;
}

template <class Element>
int iterations(const Problem<Element>& problem, const std::vector<double>& expected,
               const distributed::BoomerAmgOptions& options, const std::string& what) {
  const auto x = problem.system.make_vector();
  const distributed::BoomerAmg<Space> amg(problem.system, problem.mesh, options);
  const auto result = distributed::hypre_cg(amg, x, {.relative_tolerance = 1e-11});
  EXPECT_TRUE(result.converged) << what;
  EXPECT_LE(result.relative_residual, 1e-11) << what;
  expect_solution(problem, x, expected, what);
  return result.iterations;
}

TEST(HypreSystem, HasTheOwnedRows) {
  for (const auto treatment : {removed, zeroed})
    for (const std::string strategy : {"RowOwner", "ElementAtomic"}) {
      const Problem<Tet<1>> scalar({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, treatment);
      scalar.assemble(strategy);
      expect_hypre_has_owned_rows(scalar, strategy + ", scalar");
      const Problem<Hex<1>> elastic({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, treatment);
      elastic.assemble(strategy);
      expect_hypre_has_owned_rows(elastic, strategy + ", elastic");
    }
}

TEST(HypreSystem, EquationsAreContiguousInBothTreatments) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> problem({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, treatment);
    const auto& equations = problem.system.equations();
    EXPECT_TRUE(equations.contiguous);
    EXPECT_EQ(sum_over_ranks(equations.owned), equations.total);
    for (Ordinal i = 0; i < equations.owned; ++i)
      ASSERT_EQ(equations.numbers(to_size(i)), equations.first + i);
  }
}

TEST(HypreSystem, RefillsWithoutMessagesOrMemory) {
  const Problem<Hex<1>> problem({{5, 4, 3}, {1.0, 2.0, 3.0}}, 3, zeroed);
  const auto& local = problem.system.local();
  const auto plan = make_assembly("RowOwner", problem.space, local.graph());
  for (const double young : {1.0, 4.0, 0.25}) {
    plan->assemble(LinearElasticity<3>{.young = young, .poisson = 0.3}, local);
    tools::MpiCalls calls;
    std::int64_t used = 0, peak = 0;
    const auto events = events_of([&] {
      calls = tools::mpi_calls_of([&] {
        const std::int64_t before = heap().used;
        peak = peak_of([&] { problem.system.refill(); });
        used = heap().used - before;
      });
    });
    EXPECT_EQ(calls.messages + calls.collectives, 0) << calls;
    std::int64_t labels = 0; // the recorder's, and Kokkos' strings
    for (const Event& event : events) {
      EXPECT_NE(event.kind, Event::Kind::allocation) << event;
      labels += 512;
    }
    EXPECT_LE(peak, labels);
    EXPECT_LE(used, labels);
    expect_hypre_has_owned_rows(problem, "Young's modulus " + std::to_string(young));
    const auto x = problem.system.make_vector(); // hypre leaves the places where they are
    distributed::hypre_cg(distributed::BoomerAmg<Space>(problem.system, problem.mesh), x);
  }
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

TEST(HypreCg, RotationsTakeFewerIterations) {
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

/// The message of the error that every rank throws, which must be the same.
template <class Failure, class Action>
std::string message_of_all(const Action& action) {
  std::string message = "no error";
  try {
    action();
  } catch (const Failure& e) {
    message = e.what();
  }
  std::string first = message;
  first.resize(512);
  MPI_Bcast(first.data(), 512, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(message, first.c_str());
  return message;
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

TEST(HypreErrors, NameTheRowOnEveryRank) {
  for (const auto treatment : {removed, zeroed}) {
    const Problem<Hex<1>> problem({{4, 4, 4}, {1.0, 1.0, 1.0}}, 3, treatment);
    const auto& local = problem.system.local();
    const auto make = [&] { distributed::BoomerAmg<Space>(problem.system, problem.mesh); };
    const int last = size_of_world() - 1;
    const auto zero_row = message_of_all<SolverError>(make); // not assembled, so that rank 0 is the first
    EXPECT_THAT(zero_row, ::testing::StartsWith("rank 0: the row of component "));
    EXPECT_THAT(zero_row, ::testing::HasSubstr("is zero: no element has the node, or the system was not"));

    // The last free degree of freedom of the last rank.
    problem.assemble();
    const Ordinal row = problem.system.equations().owned - 1;
    const auto dof = local_dofs(problem.space, problem.nodes()).first[to_size(row)];
    std::string name = "component " + std::to_string(dof % 3) + " of node " + std::to_string(dof / 3);
    name.resize(64);
    MPI_Bcast(name.data(), 64, MPI_CHAR, last, MPI_COMM_WORLD);
    const std::string who = "rank " + std::to_string(last) + ": the ", what = name.c_str();
    const auto spoil = [&](const Kokkos::View<double*, Space>& values, Offset begin, Offset end, double by) {
      if (rank_of_world() == last) Kokkos::deep_copy(Kokkos::subview(values, std::pair(begin, end)), by);
      problem.system.refill();
    };
    const auto row_map = on_host(local.graph().row_map);
    const Offset begin = row_map(row), end = row_map(row + 1);
    const distributed::BoomerAmg<Space> amg(problem.system, problem.mesh);
    const auto x = problem.system.make_vector();
    const auto solve = [&] { distributed::hypre_cg(amg, x); };
    spoil(local.values(), begin, end, 0.0);
    EXPECT_THAT(message_of_all<SolverError>(make),
                ::testing::StartsWith(who + "row of " + what + " is zero"));
    EXPECT_THAT(message_of_all<SolverError>(solve), ::testing::HasSubstr(" is zero"));
    spoil(local.values(), end - 1, end, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(message_of_all<SolverError>(make), who + "row of " + what + " has values that are not finite");
    problem.assemble();
    spoil(local.rhs(), to_size(row), to_size(row) + 1, std::numeric_limits<double>::infinity());
    EXPECT_EQ(message_of_all<SolverError>(solve), who + "right-hand side of " + what + " is not finite");
    problem.assemble();
    spoil(x, to_size(row), to_size(row) + 1, std::numeric_limits<double>::infinity());
    EXPECT_EQ(message_of_all<ArgumentError>(solve),
              "rank " + std::to_string(last) + ": hypre_cg: the first guess of " + what + " is not finite");
  }
}

TEST(HypreErrors, OptionsAreChecked) {
  const Problem<Tet<1>> parts({{3, 4, 3}, {1.0, 2.0, 3.0}}, 3, removed);
  parts.assemble();
  const auto message = [&]<class Failure>(std::type_identity<Failure>,
                                          const distributed::BoomerAmgOptions& options) {
    return message_of_all<Failure>([&] { distributed::BoomerAmg<Space>(parts.system, parts.mesh, options); });
  };
  const std::type_identity<ArgumentError> argument;
  const std::type_identity<UnsupportedError> unsupported;
  EXPECT_THAT(message(argument, {.strong_threshold = 1.5}), ::testing::HasSubstr("strong threshold is 1.5"));
  EXPECT_THAT(message(argument, {.aggressive_levels = -1}), ::testing::HasSubstr("-1 aggressive levels"));
  EXPECT_THAT(message(argument, {.interpolation_variant = 1}), ::testing::HasSubstr("variant is 1"));
  for (const auto kind : {distributed::AmgComponents::nodal, distributed::AmgComponents::rotations})
    EXPECT_THAT(message(unsupported, {.components = kind}), ::testing::HasSubstr("AmgComponents::apart"));
  // hypre's own words; its error is gone then, as is one that the application has left.
  EXPECT_THAT(message(std::type_identity<SolverError>{}, {.relaxation = -1}),
              ::testing::HasSubstr("hypre, BoomerAMG's options: [Error in argument 2]"));
  HYPRE_BoomerAMGSetTol(nullptr, 0.0);
  EXPECT_NE(HYPRE_GetError(), 0);
  const auto x = parts.system.make_vector();
  EXPECT_TRUE(distributed::hypre_cg(distributed::BoomerAmg<Space>(parts.system, parts.mesh), x).converged);
  EXPECT_EQ(message_of_all<ArgumentError>([&] {
              const Kokkos::View<double*, Space> other("other", x.extent(0) + 1);
              distributed::hypre_cg(distributed::BoomerAmg<Space>(parts.system, parts.mesh), other);
            }).find("rank 0: hypre_cg: x has "),
            0u);
}

} // namespace
} // namespace tessera::test

// tessera-peer-solvers: −Δu + u = 1 on a mesh of linear tetrahedra, solved on one core by our multigrid and
// by those of hypre and Trilinos.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <Kokkos_Core.hpp>

#include "solver_problem.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mpi.h>
#include <optional>

namespace {

using namespace tessera;
using namespace tessera::tools;
using ExecutionSpace = Kokkos::DefaultHostExecutionSpace;
using Space = FunctionSpace<Tet<1>, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

template <class View>
std::vector<typename View::non_const_value_type> copied(const View& view) {
  return {view.data(), view.data() + view.size()};
}

System assemble(const Space& space) {
  const System system(space);
  assembly::RowOwner{}
      .plan(space, system.graph())
      .assemble(Helmholtz<>{.sigma = 1.0, .lambda = 1.0, .source = 1.0}, system);
  Kokkos::deep_copy(system.rhs(), 1.0);
  return system;
}

SolverProblem problem_of(const Space& space, const System& system) {
  SolverProblem problem;
  problem.row_map.assign(system.graph().row_map.data(),
                         system.graph().row_map.data() + system.graph().row_map.extent(0));
  problem.columns = copied(system.graph().columns);
  problem.values = copied(system.values());
  problem.b = copied(system.rhs());
  problem.coordinates = copied(space.mesh().coordinates());
  return problem;
}

SolverRun our_run(const Space& space, const System& system, double tolerance, int repetitions) {
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const solvers::CrsOperator<double, ExecutionSpace> a(exec, graph.row_map, graph.columns, system.values());
  const Vector x("Tessera::tools::x", system.num_rows());
  std::optional<solvers::Multigrid<ExecutionSpace>> multigrid;
  SolverRun run = time_solver(
      "Tessera, Multigrid", repetitions,
      [&] {
        multigrid.reset();
        multigrid.emplace(system, space);
      },
      [&] {
        Kokkos::deep_copy(x, 0.0);
        return solvers::cg(exec, a, *multigrid, system.rhs(), x, {.relative_tolerance = tolerance})
            .iterations;
      });
  run.x = copied(x);
  return run;
}

/// ‖b − A x‖ / ‖b‖.
double residual(const SolverProblem& problem, const std::vector<double>& x) {
  double rr = 0, bb = 0;
  for (int row = 0; row < problem.rows(); ++row) {
    double r = problem.b[row];
    for (int k = problem.row_map[row]; k < problem.row_map[row + 1]; ++k)
      r -= problem.values[k] * x[problem.columns[k]];
    rr += r * r;
    bb += problem.b[row] * problem.b[row];
  }
  return std::sqrt(rr / bb);
}

int run(int argc, char** argv) {
  std::string mesh = "regular4:3";
  int repetitions = 5;
  for (int i = 1; i < argc; i += 2) {
    const bool value = i + 1 < argc;
    if (value && std::strcmp(argv[i], "--generate") == 0)
      mesh = argv[i + 1];
    else if (value && std::strcmp(argv[i], "--repetitions") == 0 && std::atoi(argv[i + 1]) > 0)
      repetitions = std::atoi(argv[i + 1]);
    else {
      std::printf(
          "tessera-peer-solvers [--generate mesh of tetrahedra by its name] [--repetitions solutions]: -div "
          "grad u + u = 1 on one core to 1e-8, by conjugate gradients with multigrid, ours and others'; "
          "processor time, medians\n");
      return 2;
    }
  }
  const Space space(io::generate<Tet<1>, ExecutionSpace>(mesh), 1);
  const System system = assemble(space);
  const SolverProblem problem = problem_of(space, system);
  std::printf("%s: %d unknowns, %zu entries\n", mesh.c_str(), system.num_rows(), problem.values.size());
  std::printf("%-60s %10s %10s %10s %6s %10s\n", "", "set-up, ms", "solve, ms", "sum, ms", "steps",
              "residual");
  bool all_solved = true;
  const auto print = [&](const SolverRun& run) {
    const double rest = residual(problem, run.x);
    // The peers stop by the residual that the iteration carries.
    const bool solved = rest <= 1.1 * problem.tolerance;
    all_solved = all_solved && solved;
    std::printf("%-60s %10.1f %10.1f %10.1f %6d %10.2e%s\n", run.name.c_str(), 1e3 * run.setup_seconds,
                1e3 * run.solve_seconds, 1e3 * (run.setup_seconds + run.solve_seconds), run.iterations, rest,
                solved ? "" : " NOT SOLVED");
    std::fflush(stdout); // a line as soon as it is known
    return run.setup_seconds + run.solve_seconds;
  };
  const double own = print(our_run(space, system, problem.tolerance, repetitions));
  double fastest = INFINITY;
#ifdef TESSERA_HAVE_HYPRE
  for (const SolverRun& run : hypre_runs(problem, repetitions)) fastest = std::min(fastest, print(run));
#endif
#ifdef TESSERA_HAVE_MUELU
  for (const SolverRun& run : muelu_runs(problem, repetitions)) fastest = std::min(fastest, print(run));
#endif
  std::printf("the fastest of the others takes %.2f times as long\n", fastest / own);
  return all_solved ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    // One core, whatever Kokkos would take.
    const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_num_threads(1));
    status = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-peer-solvers: %s\n", error.what());
  }
  MPI_Finalize();
  return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// tessera-peer-solvers: −Δu + u = 1 on a mesh of linear tetrahedra, solved on one core by our multigrid and
// by those of hypre and Trilinos.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <Kokkos_Core.hpp>

#include "solver_problem.hpp"
#include "support/options/options.hpp"
#include "support/report/records.hpp"
#include "support/report/result.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
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

System assemble(const Space& space, double sigma) {
  const System system(space);
  assembly::RowOwner{}
      .plan(space, system.graph())
      .assemble(Helmholtz<>{.sigma = CellField::per_material<ExecutionSpace>(
                                {1.0, sigma}), // by the reader's numbers
                            .lambda = 1.0,
                            .source = 1.0},
                system);
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

const Fields<SolverRun>& fields(const std::string& mesh, double sigma) {
  static const Fields<SolverRun> all{
      {"mesh", true, [=](const SolverRun&) { return mesh; }},
      {"sigma", false, [=](const SolverRun&) { return number(sigma); }},
      {"nodes", false, [](const SolverRun& r) { return std::to_string(r.x.size()); }},
      {"solver", true, [](const SolverRun& r) { return r.name; }},
      {"set_up_seconds", false, [](const SolverRun& r) { return number(r.setup_seconds); }},
      {"solve_seconds", false, [](const SolverRun& r) { return number(r.solve_seconds); }},
      {"iterations", false, [](const SolverRun& r) { return std::to_string(r.iterations); }}};
  return all;
}

int run(int argc, char** argv) {
  std::string generated = "regular4:3", file, json_file;
  double sigma = 1;
  int repetitions = 5;
  bool help = false;
  Options options(
      "tessera-peer-solvers [options]: -div(sigma grad u) + u = 1 on one core to 1e-8, by conjugate "
      "gradients with multigrid, ours and others'; processor time, medians");
  options.text("--generate", generated, "mesh of tetrahedra by its name");
  options.input("--mesh", file, "a file of tetrahedra instead");
  options.number("--sigma", sigma, "of the file's second material; 1 elsewhere");
  options.count("--repetitions", repetitions, 1, "solutions");
  options.output("--json", json_file, "file for the results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) return std::printf("%s", options.help().c_str()), 0;
  options.exclude("--mesh", {"--generate"});
  const std::string& mesh = file.empty() ? generated : file;
  const Space space(file.empty() ? io::generate<Tet<1>, ExecutionSpace>(generated)
                                 : io::read_mesh<Tet<1>, ExecutionSpace>(file),
                    1);
  if (sigma != 1 && space.mesh().num_materials() < 2)
    throw ArgumentError("--sigma: " + mesh + " has one material");
  const System system = assemble(space, sigma);
  const SolverProblem problem = problem_of(space, system);
  std::printf("%s: %d unknowns, %zu entries\n", mesh.c_str(), system.num_rows(), problem.values.size());
  std::printf("%-60s %10s %10s %10s %6s %10s\n", "", "set-up, ms", "solve, ms", "sum, ms", "steps",
              "residual");
  bool all_solved = true;
  std::vector<SolverRun> runs;
  const auto print = [&](const SolverRun& run) {
    const double rest = residual(problem, run.x);
    // The peers stop by the residual that the iteration carries.
    const bool solved = rest <= 1.1 * problem.tolerance;
    all_solved = all_solved && solved;
    std::printf("%-60s %10.1f %10.1f %10.1f %6d %10.2e%s\n", run.name.c_str(), 1e3 * run.setup_seconds,
                1e3 * run.solve_seconds, 1e3 * (run.setup_seconds + run.solve_seconds), run.iterations, rest,
                solved ? "" : " NOT SOLVED");
    std::fflush(stdout); // a line as soon as it is known
    runs.push_back(run);
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
  if (!json_file.empty())
    write_file(json_file, "{\n  \"results\": " + json_records(fields(mesh, sigma), runs) + "\n}\n");
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

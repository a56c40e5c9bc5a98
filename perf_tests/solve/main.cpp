// tessera-solve: from a mesh to a solution, with the time of each stage.

#include "solve.hpp"
#include "support/version.hpp"

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace tessera;
using namespace tessera::tools;

void print(const SolveOptions& options, const Solution& solution) {
  const auto& iteration = solution.iteration;
  std::printf("%s %s, %s: %d elements, %d unknowns, %zu nonzeros\n", options.problem.mesh_name().c_str(),
              options.problem.element.c_str(), options.problem.form.c_str(), solution.elements, solution.unknowns,
              solution.nonzeros);
  std::printf("%s: %d iterations, %s; residual %.3e (true %.3e, first %.3e)\n", options.solver.c_str(),
              iteration.iterations, solvers::to_string(iteration.reason).c_str(), iteration.residual,
              iteration.true_residual, iteration.initial_residual);
  std::printf("energy %.9e\n", solution.energy);
  for (std::size_t c = 0; c < solution.extremes.size(); ++c)
    std::printf("component %zu: min %.9e max %.9e\n", c, solution.extremes[c].first, solution.extremes[c].second);
  for (const auto& [name, seconds] : solution.stages) std::printf("%-12s %9.3f s\n", name.c_str(), seconds);
}

int run(int argc, char** argv) {
  SolveOptions options;
  options.problem.coefficients = "constant";
  std::string backend = backend_name<Kokkos::DefaultExecutionSpace>();
  std::vector<std::string> strategies, backends;
  for (const auto& info : assembly_strategies()) strategies.push_back(info.name);
  std::apply([&](auto... space) { (backends.push_back(backend_name<decltype(space)>()), ...); }, ExecutionSpaces());
  options.strategy = strategies.front();
  bool help = false, show_version = false;
  Options parser("tessera-solve: assembles and solves one problem.\n"
                 "Example: tessera-solve --generate cantilever2:1 --form elasticity --fix xmin=0,0,0 "
                 "--load xmax=0,0,-1e5 --output cantilever.vtu");
  options.problem.declare(parser);
  parser.texts("--fix", options.fixes, "SET=V,V,...: prescribed values on a node set, '-' for a free component");
  parser.texts("--load", options.loads, "SET=V,V,...: load per area on a side set");
  parser.texts("--pressure", options.pressures, "SET=P: pressure against the outward normal of a side set");
  parser.choice("--constraints", options.treatment, {"removed", "zeroed"}, "what becomes of prescribed equations");
  parser.choice("--strategy", options.strategy, strategies, "assembly strategy");
  parser.choice("--solver", options.solver, solver_names(), "solver and preconditioner");
  parser.choice("--backend", backend, backends, "execution space");
  parser.number("--tolerance", options.tolerance, "relative residual");
  parser.count("--max-iterations", options.max_iterations, 1, "limit of iterations");
#ifdef TESSERA_HAVE_VTK
  parser.text("--output", options.output, "VTU file of the solution");
#endif
  parser.flag("--version", show_version, "print version and Kokkos' configuration");
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  if (help) return std::cout << parser.help(), 0;
  if (show_version) return print_version(std::cout), 0;
  options.problem.check();
  if (options.problem.element.empty()) options.problem.element = default_element(options.problem);

  const Kokkos::Timer timer;
  const auto progress = [&](const std::string& what) {
    std::fprintf(stderr, "[%7.1f s] %s\n", timer.seconds(), what.c_str());
  };
  Solution solution;
  with_element(options.problem.element, [&]<class Element>(std::type_identity<Element>) {
    std::apply(
        [&](auto... space) {
          const auto on_backend = [&]<class ExecutionSpace>(ExecutionSpace) {
            if (backend_name<ExecutionSpace>() == backend) solution = solve_on<Element, ExecutionSpace>(options, progress);
          };
          (on_backend(space), ...);
        },
        ExecutionSpaces());
  });
  print(options, solution);
  return solution.iteration.converged() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run(argc, argv);
  } catch (const tessera::Error& error) {
    std::cerr << "tessera-solve: " << error.what() << '\n';
    return 2;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve: from a mesh or a deck to a solution, with the time of each stage.

#include <Kokkos_Core.hpp>

#include "deck.hpp"
#include "solve.hpp"
#include "support/run_tool.hpp"
#include "support/version.hpp"
#include <build_info.hpp>
#include <cstdio>
#include <iostream>

namespace {

using namespace tessera;
using namespace tessera::tools;

/// Options of the problem that a deck replaces, and of the deck.
/// \returns the names of the former
std::vector<std::string> declare_problem(Options& parser, SolveOptions& options) {
  options.problem.declare(parser, mixed_names());
  parser.input("--deck", options.deck,
               "Abaqus or CalculiX deck: linear static steps with their own materials, supports and loads");
  options.declare_conditions(parser);
  std::vector<std::string> replaced_by_deck = parser.names();
  std::erase(replaced_by_deck, "--deck");
  parser.count("--steps", options.steps, 1,
               "how many of the deck's steps to regard, as if it ended there; by default all");
  parser.output("--displacements", options.displacements,
                "file for the deck's displacements, as CalculiX's .dat");
  parser.input(
      "--reference", options.reference,
      "CalculiX's .dat or .frd file to compare the displacements of the last step with, or, where it "
      "has none, forces, stresses, strains, section forces and the strain energy");
  parser.number("--digits", options.digits,
                "of the largest value to which the reference must agree, else the exit status is 1; "
                "CalculiX prints seven in .dat and six in .frd files");
  return replaced_by_deck;
}

void declare_solver(Options& parser, SolveOptions& options, std::string& backend) {
  std::vector<std::string> backends;
  std::apply([&](auto... space) { (backends.push_back(backend_name<decltype(space)>()), ...); },
             ExecutionSpaces());
  options.declare_system(parser);
  parser.choice("--solver", options.solver, solver_names(),
                "solver and preconditioner; automatic: multigrid for 1,000 unknowns or more, cg where it "
                "refuses or does not converge; gmres and direct (LU) take what cg gives up on");
  parser.choice("--backend", backend, backends, "execution space");
  parser.flag(
      "--pin", options.pin,
      "hold rigid motions, mechanisms and constants that nothing holds at single nodes, where the loads "
      "are in balance, and give the solution of least norm");
#ifdef TESSERA_HAVE_VTK
  parser.output("--output", options.output, "VTU file of the solution");
  parser.output("--picture", options.picture, "PNG file of the solution, deformed if it is a displacement");
  parser.flag("--back", options.back, "the picture shows a solid from the back");
  parser.text("--unit", options.unit, "unit of the solution, for the picture's scale");
#endif
}

/// \throws ArgumentError for options that do not go together, or numbers out of range
void check(const Options& parser, const SolveOptions& options,
           const std::vector<std::string>& replaced_by_deck) {
  parser.exclude("--deck", replaced_by_deck);
  parser.require("--displacements", "--deck");
  parser.require("--steps", "--deck");
  parser.require("--reference", "--deck");
  parser.require("--digits", "--reference");
  for (const char* name : {"--back", "--unit"}) parser.require(name, "--picture");
  if (options.deck.empty()) options.problem.check(parser);
  options.check_tolerance();
  if (!(options.digits > 0))
    throw ArgumentError("--digits: expected a number above 0, got " + std::to_string(options.digits));
}

Solution solved(SolveOptions& options, const std::string& backend, const StageProgress& progress) {
  if (options.problem.element.empty()) options.problem.element = default_elements(options.problem);
  Solution solution;
  const auto on_backend = [&](const auto& solve) {
    const auto try_space = [&]<class ExecutionSpace>(ExecutionSpace space) {
      if (backend_name<ExecutionSpace>() == backend) solution = solve(space);
    };
    std::apply([&](auto... space) { (try_space(space), ...); }, ExecutionSpaces());
  };
  const bool mixed = with_mixed_elements(options.problem.element, [&]<class List>(std::type_identity<List>) {
    on_backend([&]<class ExecutionSpace>(ExecutionSpace) {
      return solve_mixed_on<List, ExecutionSpace>(options, progress);
    });
  });
  if (mixed) return solution;
  with_element(options.problem.element, [&]<class Element>(std::type_identity<Element>) {
    on_backend([&]<class ExecutionSpace>(ExecutionSpace) {
      return solve_on<Element, ExecutionSpace>(options, progress);
    });
  });
  return solution;
}

int run(int argc, char** argv) {
  SolveOptions options;
  options.problem.coefficients = "constant";
  std::string backend = backend_name<Kokkos::DefaultExecutionSpace>();
  bool help = false, show_version = false;
  Options parser(
      "tessera-solve: assembles and solves one problem.\n"
      "Exit status: 0 solved; 1 not solved, or --reference differs; 2 a mistake in what is asked for, "
      "or nothing holds a part;\n"
      "3 solved, but fewer than two digits are sure.\n"
      "Example: tessera-solve --generate cantilever2:1 --form elasticity --fix xmin=0,0,0 "
      "--load xmax=0,0,-1e5"
#ifdef TESSERA_HAVE_VTK
      " --output cantilever.vtu"
#endif
  );
  const std::vector<std::string> replaced_by_deck = declare_problem(parser, options);
  declare_solver(parser, options, backend);
  parser.flag("--version", show_version, "print version and Kokkos' configuration");
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  if (help) return std::cout << parser.help(), 0;
  if (show_version) return print_version(std::cout), 0;
  check(parser, options, replaced_by_deck);

  const Kokkos::Timer timer;
  const auto progress = [&](const std::string& what) {
    std::fprintf(stderr, "[%7.1f s] %s\n", timer.seconds(), what.c_str());
  };
  if (!options.deck.empty()) return run_deck(options, backend, progress);

  const Solution solution = solved(options, backend, progress);
  print(options,
        options.problem.mesh_name() + " " + options.problem.element + ", " + options.problem.form + ", " +
            options.problem.source_name(),
        solution);
  return exit_status(solution);
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-solve", run, argc, argv); }

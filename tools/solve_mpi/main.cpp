// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve-mpi: from a mesh to a solution over many ranks, with the time of each phase.
//
//   mpiexec -n 4 tessera-solve-mpi --mesh part.msh --form elasticity --fix clamped=0,0,0 --load top=0,0,-1e5

#include <Kokkos_Core.hpp>

#include "solve_mpi/solve.hpp"
#include "support/ranks/run_on_ranks.hpp"
#include "support/version.hpp"
#include <build_info.hpp>
#include <iostream>

namespace {

using namespace tessera;
using namespace tessera::tools;

void declare(Options& parser, SolveOptions& options) {
  options.problem.declare(parser, mixed_names());
  options.declare_conditions(parser);
  options.declare_system(parser);
  options.solver = rank_solvers().front();
  parser.choice(
      "--solver", options.solver, rank_solvers(),
      "preconditioner of Belos' conjugate gradients: Tessera's multigrid on each rank with a coarse "
      "level over all, MueLu, or none; hypre: BoomerAMG in hypre's conjugate gradients, where hypre is");
#ifdef TESSERA_HAVE_VTK
  parser.output("--output", options.output,
                "PVTU file of the solution; each rank writes a VTU file beside it");
  parser.output("--picture", options.picture, "PNG file of the parts of the mesh");
  parser.flag("--back", options.back, "the picture shows a solid from the back");
#endif
  const std::string alone = "it is tessera-solve's, on one rank";
  for (const char* name : {"--deck", "--displacements", "--reference", "--digits", "--pin", "--unit"})
    parser.refuse(name, alone);
  parser.refuse("--backend", "ranks run on " + std::string(Space::name()) + ", as Trilinos does");
}

/// \throws ArgumentError
void check(const Options& parser, const SolveOptions& options) {
  parser.require("--back", "--picture");
  options.check_tolerance();
  options.problem.check(parser);
  if (has_parts(options.problem) && !options.picture.empty())
    throw ArgumentError("--picture: no rank has the whole mesh of files for each rank");
#ifdef TESSERA_HAVE_VTK
  if (!options.output.empty()) io::piece_path(options.output, 0);
#endif
}

int run(int argc, char** argv) {
  SolveOptions options;
  options.problem.coefficients = "constant";
  bool help = false, show_version = false;
  Options parser("tessera-solve-mpi: assembles and solves one problem on many ranks. Rank 0 reads or makes "
                 "the mesh, METIS divides it;\n"
                 "or each rank reads a file of its own, whose name has '%' for 1, 2, ...: "
                 "--mesh part_%.msh after gmsh -part 4 -part_split.\n"
                 "Exit status: 0 solved; 1 not solved; 2 a mistake in what is asked for, or nothing holds a "
                 "part.\n"
                 "Example: mpiexec -n 4 tessera-solve-mpi --generate cantilever2:1 --form elasticity "
                 "--fix xmin=0,0,0 --load xmax=0,0,-1e5");
  declare(parser, options);
  parser.flag("--version", show_version, "print version and Kokkos' configuration");
  parser.flag("--help", help, "print this");
  const distributed::Communicator ranks(MPI_COMM_WORLD);
  distributed::agree(ranks, [&] {
    parser.parse(argc, argv);
    if (!help && !show_version) check(parser, options);
  });
  if (help || show_version) {
    if (ranks.rank() == 0 && help) std::cout << parser.help();
    if (ranks.rank() == 0 && !help) print_version(std::cout);
    return 0;
  }
  if (has_parts(options.problem)) check_parts(options.problem, ranks);
  if (options.problem.element.empty()) options.problem.element = elements_on_ranks(options.problem, ranks);
  int status = 0;
  with_cells(options.problem.element,
             [&]<class Cells>(std::type_identity<Cells>) { status = solve_problem<Cells>(options, ranks); });
  return status;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_on_ranks("tessera-solve-mpi", run, argc, argv); }

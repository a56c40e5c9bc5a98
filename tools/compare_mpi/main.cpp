// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare-mpi: weak and strong scaling on boxes that each rank makes its part of, with MPI alone:
// assembly, residual and product with the import of ghosts, beside the same block on each rank without
// ghosts.
//
//   mpiexec -n 4 tessera-compare-mpi --problem elasticity --cells 64 --report scaling.html

#include <tessera/core/error.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "measure.hpp"
#include "support/options.hpp"
#include "support/report.hpp"
#include "support/run_on_ranks.hpp"
#include <iostream>
#include <mpi.h>

namespace {

using namespace tessera;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : assembly_strategies()) names.push_back(strategy.name);
  return names;
}

void declare(tools::Options& parser, ranks::Settings& settings) {
  parser.choice("--problem", settings.problem, {"helmholtz", "elasticity"},
                "linear tetrahedra, or trilinear hexahedra with three components");
  parser.count("--cells", settings.cells, 1,
               "cells along each axis, of a rank or with --strong of all; six tetrahedra a cell");
  parser.flag("--strong", settings.strong, "one box, divided among more and more ranks");
  parser.list("--ranks", settings.counts, "numbers of ranks to measure on; default: 1, 2, 4, ... and all");
  parser.list("--strategies", settings.strategies, "assembly strategies, those of tessera-compare; or all");
#ifdef TESSERA_HAVE_HYPRE
  parser.list("--solvers", settings.solvers,
              "also hypre's conjugate gradients with hypre (BoomerAMG) or tessera (its multigrid over all "
              "ranks), on the first strategy's matrix; or all");
#endif
  parser.count("--repetitions", settings.repetitions, 1, "timed runs of each, after three that do not count");
  parser.flag("--slabs", settings.slabs, "ranks in a row along z; else in a block of blocks");
  parser.flag("--device-transfer", settings.device_transfer,
              "MPI reads the device's memory (it is CUDA-aware)");
  parser.output("--json", settings.json, "results with all fields");
  parser.output("--report", settings.report, "HTML page with plots and tables");
}

/// \throws ArgumentError for what is no number of ranks that there are
std::vector<int> counts_of(const ranks::Settings& settings, int size) {
  std::vector<int> counts;
  for (const std::string& text : settings.counts) {
    const double count = tools::to_number(text, "--ranks");
    if (count < 1 || count > size || count != static_cast<int>(count))
      throw ArgumentError("--ranks: expected numbers from 1 to " + std::to_string(size) + ", got '" + text +
                          "'");
    counts.push_back(static_cast<int>(count));
  }
  for (int count = 1; settings.counts.empty() && count < size; count *= 2) counts.push_back(count);
  if (settings.counts.empty()) counts.push_back(size);
  return counts;
}

int run(int argc, char** argv) {
  ranks::Settings settings;
  bool help = false;
  tools::Options parser(
      "tessera-compare-mpi: times assembly, residual and product on more and more ranks, each with a part "
      "of a box, beside the same block without ghosts.\n"
      "Example: mpiexec -n 4 tessera-compare-mpi --problem elasticity --strong --cells 64");
  declare(parser, settings);
  parser.flag("--help", help, "print this");
  const distributed::Communicator all(MPI_COMM_WORLD);
  parser.parse(argc, argv);
  if (help) {
    if (all.rank() == 0) std::cout << parser.help();
    return 0;
  }
  if (settings.device_transfer && runs_on_host<ranks::Space>)
    throw ArgumentError("--device-transfer has no meaning on hosts");
  settings.strategies = tools::choose(settings.strategies, strategy_names(), "strategy");
  if (!settings.solvers.empty())
    settings.solvers = tools::choose(settings.solvers, {"hypre", "tessera"}, "solver");
  const auto counts = counts_of(settings, all.size());
  const auto lines = settings.problem == "elasticity" ? ranks::measure_elasticity(settings, counts)
                                                      : ranks::measure_helmholtz(settings, counts);
  if (all.rank() == 0) ranks::report(settings, lines, tools::command_line(argc, argv));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  return tessera::tools::run_on_ranks("tessera-compare-mpi", run, argc, argv);
}

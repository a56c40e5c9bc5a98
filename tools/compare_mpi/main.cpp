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
#include "support/options/options.hpp"
#include "support/ranks/run_on_ranks.hpp"
#include "support/report/report.hpp"
#include <iostream>
#include <mpi.h>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace tessera;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : assembly_strategies()) names.push_back(strategy.name);
  return names;
}

const std::vector<std::string> solvers{"tessera",
#ifdef TESSERA_HAVE_HYPRE
                                       "hypre", "hypre-tessera"
#endif
};

std::optional<distributed::Transfer> transfer_of(const std::string& name) {
  if (name == "host") return distributed::Transfer::host;
  if (name == "device") return distributed::Transfer::device;
  if (name == "peer") return distributed::Transfer::peer;
  return std::nullopt;
}

void declare(tools::Options& parser, ranks::Settings& settings, std::string& transfer) {
  parser.choice("--problem", settings.problem, {"helmholtz", "elasticity"},
                "linear tetrahedra, or trilinear hexahedra with three components");
  parser.count("--cells", settings.cells, 1,
               "cells along each axis, of a rank or with --strong of all; six tetrahedra a cell");
  parser.flag("--strong", settings.strong, "one box, divided among more and more ranks");
  parser.list("--ranks", settings.counts, "numbers of ranks to measure on; default: 1, 2, 4, ... and all");
  parser.list("--strategies", settings.strategies, "assembly strategies, those of tessera-compare; or all");
  parser.list(
      "--solvers", settings.solvers,
      "also solutions of the first strategy's matrix by conjugate gradients: tessera with its multigrid "
      "over all ranks"
#ifdef TESSERA_HAVE_HYPRE
      ", hypre with BoomerAMG, hypre-tessera: hypre's with Tessera's multigrid"
#endif
      "; or all");
  parser.count("--repetitions", settings.repetitions, 1, "timed runs of each, after three that do not count");
  parser.flag("--slabs", settings.slabs, "ranks in a row along z; else in a block of blocks");
  parser.choice("--transfer", transfer, {"mpi", "host", "device", "peer"},
                "how values get to other ranks: as MPI answers at run time, by pinned memory of the host, by "
                "an MPI that reads the device's, "
                "by kernels that write to the other ranks' memory");
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
  std::string transfer = "mpi";
  declare(parser, settings, transfer);
  parser.flag("--help", help, "print this");
  const distributed::Communicator all(MPI_COMM_WORLD);
  parser.parse(argc, argv);
  if (help) {
    if (all.rank() == 0) std::cout << parser.help();
    return 0;
  }
  settings.transfer = transfer_of(transfer);
  if (settings.transfer == distributed::Transfer::device && runs_on_host<ranks::Space>)
    throw ArgumentError("--transfer device has no meaning on hosts");
  settings.strategies = tools::choose(settings.strategies, strategy_names(), "strategy");
  if (!settings.solvers.empty()) settings.solvers = tools::choose(settings.solvers, solvers, "solver");
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

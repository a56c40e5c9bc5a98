// tessera-ranks: weak scaling on boxes that each rank makes its part of, with MPI alone: assembly, residual
// and product with the import of ghosts, beside the same block on each rank without ghosts.
//
//   mpirun -n 4 tessera-ranks --problem elasticity --cells 64

#include <tessera/distributed/communicator.hpp>

#include "measure.hpp"
#include "support/options.hpp"
#include "support/run_on_ranks.hpp"
#include <iostream>
#include <mpi.h>

namespace {

using namespace tessera;

int run(int argc, char** argv) {
  ranks::Settings settings;
  bool help = false;
  tools::Options parser(
      "tessera-ranks: times assembly, residual and product on a part of a box for each rank, beside "
      "the same block without ghosts.");
  parser.choice("--problem", settings.problem, {"helmholtz", "elasticity"},
                "linear tetrahedra, or trilinear hexahedra with three components");
  parser.count("--cells", settings.cells, 1, "cells of a rank along each axis; six tetrahedra a cell");
  parser.choice("--strategy", settings.strategy, {"RowOwner", "ElementAtomic", "both"}, "assembly");
  parser.count("--repetitions", settings.repetitions, 1, "timed runs of each, after three that do not count");
  parser.flag("--slabs", settings.slabs, "ranks in a row along z; else in a block of blocks");
  parser.flag("--device-transfer", settings.device_transfer,
              "MPI reads the device's memory (it is CUDA-aware)");
  parser.output("--json", settings.json, "results with all fields");
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  const distributed::Communicator all(MPI_COMM_WORLD);
  if (help) {
    if (all.rank() == 0) std::cout << parser.help();
    return 0;
  }
  const int n = all.size();
  settings.blocks = settings.slabs ? std::array<int, 3>{1, 1, n}
                                   : distributed::detail::choose_blocks({{n, n, n}, {1.0, 1.0, 1.0}}, 3, n);
  const auto rows = settings.problem == "elasticity" ? ranks::measure_elasticity(settings)
                                                     : ranks::measure_helmholtz(settings);
  ranks::report(settings, rows);
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_on_ranks("tessera-ranks", run, argc, argv); }

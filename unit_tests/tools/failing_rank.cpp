// SPDX-License-Identifier: BSD-3-Clause
// A tool whose rank 1 fails alone while the others wait for it.

#include <tessera/core/error.hpp>

#include "support/ranks/run_on_ranks.hpp"
#include <mpi.h>

namespace {

int run(int, char**) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) throw tessera::ArgumentError("something that rank 1 alone sees");
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_on_ranks("failing", run, argc, argv); }

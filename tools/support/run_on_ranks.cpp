#include "run_on_ranks.hpp"

#include "run_tool.hpp"
#include <chrono>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <string>
#include <thread>

namespace tessera::tools {

namespace {

/// Whether a request is done within five seconds.
bool done_soon(MPI_Request& request) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (int done = 0; std::chrono::steady_clock::now() < end;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Waits for all ranks; the lowest that has failed says why.
void end_together(int status, const std::string& errors) {
  int rank = 0, size = 1, first = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = status == 0 ? size : rank;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  if (status == 0) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!done_soon(request)) {
    std::cerr << "rank " << rank << " alone: " << errors << std::flush;
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  if (first == rank) std::cerr << errors << std::flush;
}

} // namespace

int run_on_ranks(const char* name, int (*run)(int, char**), int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::ostringstream errors;
  const int status = run_process(name, run, argc, argv, {}, errors);
  end_together(status, errors.str());
  MPI_Finalize();
  return status;
}

} // namespace tessera::tools

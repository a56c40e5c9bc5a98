// SPDX-License-Identifier: BSD-3-Clause
#include "run_on_ranks.hpp"

#include "support/run_tool.hpp"
#include <algorithm>
#include <chrono>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <string>
#include <string_view>
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

/// Arguments but Kokkos', which may name each rank's device, with an end mark each.
std::string own_arguments(int argc, char** argv) {
  std::string text;
  for (int i = 1; i < argc; ++i)
    if (!std::string_view(argv[i]).starts_with("--kokkos-")) text.append(argv[i]).push_back('\0');
  return text;
}

/// The argument of a list that holds character `at`, or the end.
std::string argument_at(const std::string& arguments, std::size_t at) {
  if (at >= arguments.size()) return "nothing";
  const std::size_t before = at == 0 ? std::string::npos : arguments.rfind('\0', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return "'" + arguments.substr(begin, arguments.find('\0', at) - begin) + "'";
}

/// Collective: whether all ranks were given the same arguments; else the lowest that has others than rank 0
/// says so.
bool same_arguments(const char* name, int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string mine = own_arguments(argc, argv);
  std::string first = mine;
  int length = static_cast<int>(first.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  int other = mine == first ? size : rank;
  MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (other == rank) {
    const auto parting = std::mismatch(mine.begin(), mine.end(), first.begin(), first.end()).first;
    const auto at = static_cast<std::size_t>(parting - mine.begin());
    std::cerr << name << ": rank " << rank << " was given " << argument_at(mine, at)
              << " where rank 0 was given " << argument_at(first, at)
              << ": all ranks solve one problem, by the same options\n"
              << std::flush;
  }
  return other == size;
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
  if (!same_arguments(name, argc, argv)) {
    MPI_Finalize();
    return 2;
  }
  std::ostringstream errors;
  const int status = run_process(name, run, argc, argv, {}, errors);
  end_together(status, errors.str());
  MPI_Finalize();
  return status;
}

} // namespace tessera::tools

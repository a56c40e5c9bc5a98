// SPDX-License-Identifier: BSD-3-Clause
#include "solve_mpi/solve.hpp"
#include <filesystem>

namespace tessera::tools {

bool has_parts(const Problem& problem) { return problem.mesh_file.find('%') != std::string::npos; }

std::string part_file(const Problem& problem, int rank) {
  std::string file = problem.mesh_file;
  return file.replace(file.find('%'), 1, std::to_string(rank + 1));
}

void check_parts(const Problem& problem, const distributed::Communicator& ranks) {
  distributed::agree(ranks, [&] {
    if (problem.order != "given")
      throw ArgumentError("--order " + problem.order + ": parts of a mesh keep their numbers");
    if (problem.bend != 0) throw ArgumentError("--bend: parts of a mesh keep their places");
    std::error_code ignored;
    const std::string next = part_file(problem, ranks.size());
    if (std::filesystem::exists(next, ignored))
      throw ArgumentError("--mesh: there is " + next + " too, and " + std::to_string(ranks.size()) +
                          " ranks: start as many ranks as there are files");
  });
}

} // namespace tessera::tools

// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/mesh/detail/shared_names.hpp>

#include "solve_mpi/solve.hpp"
#include <algorithm>
#include <filesystem>
#include <set>

namespace tessera::tools {

bool has_parts(const Problem& problem) { return problem.mesh_file.find('%') != std::string::npos; }

std::string part_file(const Problem& problem, int rank) {
  std::string file = problem.mesh_file;
  return file.replace(file.find('%'), 1, std::to_string(rank + 1));
}

namespace {

/// Collective: those types of the cells of all ranks' files that have the highest dimension.
std::set<io::CellType> types_of_parts(const Problem& problem, const distributed::Communicator& ranks) {
  std::vector<std::string> names;
  distributed::agree(ranks, [&] {
    const io::MeshData data = contents_of(problem, part_file(problem, ranks.rank()));
    for (const io::CellType type : types_of_cells(data)) names.push_back(type.name());
  });
  std::set<io::CellType> all;
  int dimension = 0;
  for (const std::string& name : distributed::detail::shared_names(ranks, names)) {
    all.insert(*io::cell_type(name));
    dimension = std::max(dimension, io::cell_type(name)->dimension());
  }
  std::erase_if(all, [&](io::CellType type) { return type.dimension() < dimension; });
  return all;
}

} // namespace

std::string elements_on_ranks(const Problem& problem, const distributed::Communicator& ranks) {
  std::vector<std::string> names;
  if (!has_parts(problem)) {
    distributed::agree(ranks, [&] {
      if (ranks.rank() == 0) names.push_back(default_elements(problem));
    });
    return distributed::detail::shared_names(ranks, names).front();
  }
  const auto types = types_of_parts(problem, ranks);
  std::string list;
  for (const io::CellType type : types) list += (list.empty() ? "" : ", ") + type.name();
  const std::string name = types.size() == 1 ? list : mixed_name_of(types);
  if (types.empty() || types.begin()->dimension() < 2 || name.empty())
    throw MeshError(problem.mesh_file + ": the ranks' files hold cells of " +
                    (list.empty() ? "no type" : list) + ", which no mesh is made of");
  return name;
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

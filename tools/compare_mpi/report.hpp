// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What tessera-compare-mpi is told, and the rows that it prints.

#include <tessera/core/types.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/io/generate/box.hpp>

#include "support/ranks/phases.hpp"
#include <array>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ranks {

using tools::Extremes;
using tools::extremes;

struct Settings {
  int cells = 24; ///< along each axis: of a rank, or of the whole box where `strong`
  int repetitions = 20;
  std::string problem = "helmholtz", json, report;
  std::vector<std::string> strategies{"RowOwner", "ElementAtomic", "ElementLocal", "Patch"}, counts, solvers;
  bool strong = false, slabs = false;
  std::optional<distributed::Transfer> transfer; ///< of values to other ranks; none: as MPI answers

  /// How so many ranks divide the box.
  std::array<int, 3> blocks(int ranks) const;
  /// The box of so many ranks: a cube of 1 for each, or for all of them.
  io::Box box(int ranks) const;
  double elements(int ranks) const;
};

/// One measurement on one rank.
struct Row {
  std::string part; ///< "ranks": of the box of all; "alone": the rank's block by itself
  std::string what{};
  Ordinal elements = 0, owned_elements = 0, nodes = 0, owned_nodes = 0;
  double mesh_seconds = 0, system_seconds = 0, plan_seconds = 0;
  std::int64_t bytes = 0;        ///< of the execution space's memory, besides the mesh
  std::vector<double> seconds{}; ///< of each repetition, the longest of all ranks
  int iterations = 0;            ///< of a solution
};

/// The same of all ranks.
struct Line {
  std::string part, what;
  int ranks = 0;
  Extremes elements, ghost_elements, nodes, ghost_nodes, mesh_seconds, system_seconds, plan_seconds, bytes;
  double median, least, most; ///< seconds
  double ns_per_element = 0;  ///< times ranks: what an element of a rank's own takes
  int iterations = 0;
  double kept = 0; ///< rate of a rank beside that on the fewest ranks; 0 where that was not measured
};

/// Collective among the ranks that have measured.
std::vector<Line> lines_of(MPI_Comm ranks, const Settings& settings, const std::vector<Row>& rows);

/// Compares, prints, and writes the files that the settings name. On rank 0 alone.
/// \param command that repeats the measurement
void report(const Settings& settings, std::vector<Line> lines, const std::string& command);

} // namespace tessera::ranks

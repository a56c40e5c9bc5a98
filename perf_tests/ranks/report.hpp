#pragma once

/// \file
/// What tessera-ranks is told, and the rows that it prints.

#include <tessera/core/types.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::ranks {

struct Settings {
  int cells = 24; ///< of a rank, along each axis
  int repetitions = 20;
  std::array<int, 3> blocks{1, 1, 1};
  std::string problem = "helmholtz", strategy = "both", json;
  bool slabs = false, device_transfer = false;
};

/// One measurement on one rank.
struct Row {
  std::string part; ///< "ranks": of the box of all; "alone": the rank's block by itself
  std::string what{};
  Ordinal elements = 0, owned_elements = 0, nodes = 0, owned_nodes = 0;
  double mesh_seconds = 0, system_seconds = 0, plan_seconds = 0;
  std::int64_t bytes = 0;        ///< of the execution space's memory, besides the mesh
  std::vector<double> seconds{}; ///< of each repetition, the longest of all ranks
};

/// Collective: prints on rank 0 what all ranks have measured, least and most of them, and writes it as JSON
/// where the settings name a file.
void report(const Settings& settings, const std::vector<Row>& rows);

} // namespace tessera::ranks

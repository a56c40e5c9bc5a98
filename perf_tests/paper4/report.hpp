#pragma once

/// \file
/// The results as JSON and as the paper's tables, its own numbers beside ours.

#include "measure.hpp"
#include <string>
#include <vector>

namespace tessera::tools {

/// [{...}, ...], a record for each mesh and solver.
std::string multigrid_json(const std::vector<MeshResult>& results);

/// Tables 1 to 6 and the data of Figures 6 and 7.
/// \param series the regular meshes of Figure 6, from coarse to fine
std::string multigrid_markdown(const std::vector<MeshResult>& results, const std::vector<MeshResult>& series);

} // namespace tessera::tools

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The results as JSON, and on the screen.

#include <tessera/strategies/best/machine.hpp>

#include "measure.hpp"
#include <string>
#include <vector>

namespace tessera::tools {

/// {"machine": {...}, "results": [{...}, ...]}, a record for each mesh and solver.
/// \param series the regular meshes of Figure 6, from coarse to fine
std::string meshes_json(const Machine& machine, const std::vector<MeshResult>& results,
                        const std::vector<MeshResult>& series);

void print(const MeshResult& mesh);

} // namespace tessera::tools

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names that all ranks must know.

#include <tessera/core/mesh/material_label.hpp>
#include <tessera/distributed/communicator.hpp>

#include <string>
#include <vector>

namespace tessera::distributed::detail {

/// Collective: the names that any rank has, ascending. A broadcast for each rank that has a name which none
/// before it had.
std::vector<std::string> shared_names(const Communicator& ranks, std::vector<std::string> names);

/// Collective: the longest list of labels that any rank has.
std::vector<MaterialLabel> shared_labels(const Communicator& ranks, const std::vector<MaterialLabel>& labels);

/// Collective: the labels of all ranks, each once, by number and name. Where a rank has none, its elements
/// have the material 0 without a name.
std::vector<MaterialLabel> joined_labels(const Communicator& ranks, const std::vector<MaterialLabel>& labels);

} // namespace tessera::distributed::detail

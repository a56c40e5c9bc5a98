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

} // namespace tessera::distributed::detail

#pragma once

/// \file
/// The results as JSON and as the tables behind the paper's figures 9 to 13.

#include "measure.hpp"
#include "support/machine.hpp"

namespace tessera::tools {

/// {"machine": {...}, "results": [{...}, ...]}
std::string operators_json(const Machine& machine, const std::vector<OperatorResult>& results);

/// One table a figure: rows are strategies, columns problems.
std::string operators_markdown(const Machine& machine, const std::vector<OperatorResult>& results);

} // namespace tessera::tools

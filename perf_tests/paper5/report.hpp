// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The results as JSON.

#include <tessera/strategies/best/machine.hpp>

#include "measure.hpp"

namespace tessera::tools {

/// {"machine": {...}, "results": [{...}, ...]}
std::string operators_json(const Machine& machine, const std::vector<OperatorResult>& results);

} // namespace tessera::tools

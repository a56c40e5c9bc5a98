// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The measurements as JSON.

#include <tessera/strategies/best/machine.hpp>

#include "measure.hpp"
#include <string>
#include <vector>

namespace tessera::tools {

/// {"machine": {...}, "results": [{...}, ...]}
std::string study_json(const Machine& machine, const std::vector<Row>& rows);

/// Table IV from the code's own sizes.
std::vector<Row> storage_rows();

} // namespace tessera::tools

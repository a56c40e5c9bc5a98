#pragma once

/// \file
/// The measurements as JSON, CSV and the tables of paper 1.

#include "measure.hpp"
#include "support/machine.hpp"
#include <string>
#include <vector>

namespace tessera::tools {

/// {"machine": {...}, "results": [{...}, ...]}
std::string study_json(const Machine& machine, const std::vector<Row>& rows);

/// One header line, one line per row.
std::string study_csv(const std::vector<Row>& rows);

/// Table IV from the code's own sizes, and every part that has rows.
std::string study_markdown(const Machine& machine, const std::vector<Row>& rows);

} // namespace tessera::tools

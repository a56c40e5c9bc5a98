// SPDX-License-Identifier: BSD-3-Clause
#include "support/report/catalogue_table.hpp"

#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>
#include <tessera/strategies/catalogue/any_residual.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tessera::tools {

namespace {

using Row = std::array<std::string, 3>;

std::string markdown(const std::vector<Row>& rows) {
  std::array<std::size_t, 3> width{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < width.size(); ++i)
      text += "| " + rows[r][i] + std::string(width[i] - rows[r][i].size() + 1, ' ');
    text += "|\n";
    if (r > 0) continue;
    for (const std::size_t w : width) text += '|' + std::string(w + 2, '-');
    text += "|\n";
  }
  return text;
}

} // namespace

std::vector<StrategyInfo> strategies_of(const std::string& family) {
  if (family == "apply") return operator_strategies();
  return family == "residual" ? residual_strategies() : assembly_strategies();
}

std::string catalogue_table(const std::vector<std::string>& families) {
  std::string text;
  for (const std::string& family : families) {
    const std::string kind = family == "assembly" ? "assembly strategy"
                             : family == "apply"  ? "operator without a matrix"
                                                  : "residual strategy";
    std::vector<Row> rows{{kind, "source", "results repeat"}};
    for (const StrategyInfo& info : strategies_of(family))
      rows.push_back({'`' + info.name + '`', info.source, info.deterministic ? "bitwise" : "to rounding"});
    text += (text.empty() ? "" : "\n") + markdown(rows);
  }
  return text;
}

} // namespace tessera::tools

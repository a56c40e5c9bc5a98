// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a hierarchy reports of its levels.

#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Describes the levels, and adds their bytes.
template <class ExecutionSpace>
void report_levels(const std::vector<Level<ExecutionSpace>>& levels, MultigridReport& report) {
  report.levels.clear();
  double entries = 0;
  for (const auto& level : levels) {
    const bool direct = level.inverse.extent(0) > 0;
    report.levels.push_back(
        {level.rows(), level.matrix.entries(), direct ? 0 : level.bound, level.aggregation});
    entries += static_cast<double>(level.matrix.entries());
    report.bytes += level.bytes();
  }
  const auto finest = static_cast<double>(levels[0].matrix.entries());
  report.operator_complexity = finest > 0 ? entries / finest : 1;
}

} // namespace tessera::solvers::multigrid::detail

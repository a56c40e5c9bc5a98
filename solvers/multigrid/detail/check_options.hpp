// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Checks of `MultigridOptions`.

#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <string>

namespace tessera::solvers::multigrid::detail {

/// Throws ArgumentError naming the first option that is out of range.
inline void check_options(const MultigridOptions& options) {
  const auto option = [](bool good, const std::string& what) {
    if (!good) throw ArgumentError("Multigrid: " + what);
  };
  if (const auto length = options.run_length)
    option(*length >= 2, "run_length must be at least 2, got " + std::to_string(*length));
  option(options.strength >= 0 && options.strength < 1,
         "strength must be at least 0 and below 1, got " + std::to_string(options.strength));
  if (const auto range = options.smoothing_range)
    option(*range > 0 && *range < 1,
           "smoothing_range must be above 0 and below 1, got " + std::to_string(*range));
  option(options.coarsest_rows >= 1 && options.coarsest_rows <= tuning::most_inverted,
         "coarsest_rows must be 1 to " + std::to_string(tuning::most_inverted) + ", got " +
             std::to_string(options.coarsest_rows));
  option(options.max_levels >= 1, "max_levels must be at least 1, got " + std::to_string(options.max_levels));
}

} // namespace tessera::solvers::multigrid::detail

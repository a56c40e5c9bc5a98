// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The catalogue for people.

#include <tessera/strategies/catalogue/strategy_info.hpp>

#include <string>
#include <vector>

namespace tessera::tools {

/// The strategies of a family, "assembly", "apply" or "residual", with their variants.
std::vector<StrategyInfo> strategies_of(const std::string& family);

/// The strategies of some families with their variants, their sources and whether results repeat from run to
/// run: a Markdown table with columns of even width for each family. docs/strategies.md holds all of them.
/// \param families of "assembly", "apply" and "residual"
std::string catalogue_table(const std::vector<std::string>& families = {"assembly", "apply", "residual"});

} // namespace tessera::tools

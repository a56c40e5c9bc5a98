// SPDX-License-Identifier: BSD-3-Clause
#include "operators.hpp"

#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

namespace tessera::tools {

std::vector<StrategyInfo> operator_strategies() {
  std::vector<StrategyInfo> strategies;
  for_each_strategy<MatrixFreeCatalogue>(
      [&](const auto& variant) { strategies.push_back(tessera::detail::info_of(variant)); });
  return strategies;
}

} // namespace tessera::tools

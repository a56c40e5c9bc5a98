// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The strategies of a catalogue by their names.

#include <tessera/core/error.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/strategies/catalogue/strategy_info.hpp>
#include <tessera/strategies/common/variant.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace tessera::catalogue::detail {

template <class Strategy>
StrategyInfo info_of(const Variant<Strategy>& variant) {
  return {variant.name, Strategy::source, is_deterministic(variant.strategy)};
}

/// All strategies of a catalogue and their variants, in its order.
template <class Catalogue>
std::vector<StrategyInfo> infos_of() {
  std::vector<StrategyInfo> infos;
  for_each_strategy<Catalogue>([&](const auto& variant) { infos.push_back(info_of(variant)); });
  return infos;
}

/// The pointer that `make(variant)` gives for the strategy of a catalogue with this name, whatever the case
/// of its letters.
/// \param family what the strategies are, for the message
/// \throws ArgumentError for an unknown name, listing those there are
template <class Catalogue, class Make>
auto make_by_name(const char* family, const std::string& name, const Make& make) {
  using Result = decltype(make(variants_of<std::tuple_element_t<0, Catalogue>>().front()));
  Result plan;
  std::string known;
  for_each_strategy<Catalogue>([&](const auto& variant) {
    known += (known.empty() ? "" : ", ") + variant.name;
    if (same_name(variant.name, name)) plan = make(variant);
  });
  if (!plan)
    throw ArgumentError("unknown " + std::string(family) + " strategy '" + name + "'; there are " + known);
  return plan;
}

} // namespace tessera::catalogue::detail

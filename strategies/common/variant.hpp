// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A strategy with options and the name that it goes by.

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

/// A strategy with options, under the name that `--strategies` and the tables use.
template <class Strategy>
struct Variant {
  std::string name;
  Strategy strategy;
};

/// Whether a strategy's results are bitwise equal from run to run, whatever the backend: its `deterministic`,
/// a constant or an option, or a member function where that depends on several options.
template <class Strategy>
bool is_deterministic(const Strategy& strategy) {
  if constexpr (requires { strategy.deterministic(); })
    return strategy.deterministic();
  else
    return strategy.deterministic;
}

/// The variants of a strategy that the catalogue offers: those of its `variants()`, which returns pairs of a
/// suffix and a strategy, or the strategy with its default options alone. A suffix names the values of the
/// options as the code spells them, a slash before each: `/atomics`, `/8/per_point`.
template <class Strategy>
std::vector<Variant<Strategy>> variants_of() {
  std::vector<Variant<Strategy>> variants;
  if constexpr (requires { Strategy::variants(); })
    for (const auto& [suffix, strategy] : Strategy::variants())
      variants.push_back({Strategy::name + std::string(suffix), strategy});
  else
    variants.push_back({Strategy::name, Strategy{}});
  return variants;
}

/// Calls `visit(Variant<Strategy>)` for every variant of every strategy of a catalogue, in its order.
template <class Catalogue, class Visit>
void for_each_strategy(const Visit& visit) {
  const auto visit_strategy = [&]<class Strategy>(const Strategy*) {
    for (const auto& variant : variants_of<Strategy>()) visit(variant);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit_strategy(static_cast<const std::tuple_element_t<I, Catalogue>*>(nullptr)), ...);
  }(std::make_index_sequence<std::tuple_size_v<Catalogue>>());
}

} // namespace tessera

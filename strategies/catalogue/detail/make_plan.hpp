// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One strategy behind the AnyAssembly interface; instantiated in one source file per strategy and element.

#include <tessera/core/same_name.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/common/variant.hpp>

namespace tessera::detail {

/// Plans one variant of a strategy for the shipped forms. Defined in make_plan_impl.hpp, instantiated in
/// generated sources.
template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const ExecutionSpace& exec, const Variant<Strategy>& variant,
          const FunctionSpace<Element, ExecutionSpace>& space, const SparsityGraph<ExecutionSpace>& graph);

template <class Strategy>
StrategyInfo info_of(const Variant<Strategy>& variant) {
  return {variant.name, Strategy::source, is_deterministic(variant.strategy)};
}

/// The plan that `make(variant)` gives for the strategy of a catalogue with this name, whatever the case of
/// its letters.
/// \throws ArgumentError for an unknown name, listing those there are
template <class Catalogue, class Make>
auto make_by_name(const std::string& name, const Make& make) {
  using Result = decltype(make(variants_of<std::tuple_element_t<0, Catalogue>>().front()));
  Result plan;
  std::string known;
  for_each_strategy<Catalogue>([&](const auto& variant) {
    known += (known.empty() ? "" : ", ") + variant.name;
    if (same_name(variant.name, name)) plan = make(variant);
  });
  if (!plan) throw ArgumentError("unknown assembly strategy '" + name + "'; there are " + known);
  return plan;
}

} // namespace tessera::detail

#pragma once

// One strategy behind the AnyAssembly interface; instantiated in one source file per strategy and element.

#include <tessera/strategies/any_assembly.hpp>
#include <tessera/strategies/variant.hpp>

namespace tessera::detail {

/// Plans one variant of a strategy. Defined in make_plan_impl.hpp, instantiated in generated sources.
template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const Variant<Strategy>& variant, const FunctionSpace<Element, ExecutionSpace>& space,
          const SparsityGraph<ExecutionSpace>& graph, const ExecutionSpace& exec);

template <class Strategy>
StrategyInfo info_of(const Variant<Strategy>& variant) {
  return {variant.name, Strategy::source, is_deterministic(variant.strategy)};
}

} // namespace tessera::detail

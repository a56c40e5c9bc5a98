#pragma once

#include <tessera/strategies/catalogue/detail/flops.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>
#include <tessera/strategies/catalogue/detail/planned_assembly.hpp>

namespace tessera::detail {

template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const ExecutionSpace& exec, const Variant<Strategy>& variant,
          const FunctionSpace<Element, ExecutionSpace>& space, const SparsityGraph<ExecutionSpace>& graph) {
  using Forms = ShippedForms<Element::dimension>;
  return std::make_unique<PlannedAssembly<Strategy, Element, ExecutionSpace, Forms>>(
      exec, info_of(variant), variant.strategy, space, graph);
}

} // namespace tessera::detail

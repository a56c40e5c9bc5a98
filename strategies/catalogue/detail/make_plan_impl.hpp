// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/catalogue/detail/flops.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>
#include <tessera/strategies/catalogue/detail/named_plan.hpp>
#include <tessera/strategies/catalogue/detail/planned_assembly.hpp>

#include <type_traits>

namespace tessera::catalogue::detail {

/// A candidate of `Best`, whose kernels are compiled for its own name.
template <class Element, class ExecutionSpace>
class PlanByName : public NamedPlan<Element, ExecutionSpace> {
public:
  template <class Strategy>
  PlanByName(const ExecutionSpace& exec, const Variant<Strategy>& variant,
             const FunctionSpace<Element, ExecutionSpace>& space, const SparsityGraph<ExecutionSpace>& graph)
      : NamedPlan<Element, ExecutionSpace>(make_plan(exec, variant, space, graph)) {}

  template <class Function>
  decltype(auto) call(const Function& function) {
    return function(*this);
  }
};

/// `Best` among what the catalogue compiles.
struct BestByName : assembly::Best {
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace, PlanByName<Element, ExecutionSpace>>
  plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
       const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }
};

template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const ExecutionSpace& exec, const Variant<Strategy>& variant,
          const FunctionSpace<Element, ExecutionSpace>& space, const SparsityGraph<ExecutionSpace>& graph) {
  using Forms = ShippedForms<Element::dimension>;
  using Compiled = std::conditional_t<std::is_same_v<Strategy, assembly::Best>, BestByName, Strategy>;
  return std::make_unique<PlannedAssembly<Compiled, Element, ExecutionSpace, Forms>>(
      exec, info_of(variant), Compiled{variant.strategy}, space, graph);
}

} // namespace tessera::catalogue::detail

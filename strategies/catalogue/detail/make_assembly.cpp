// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include <compiled_elements.hpp>

namespace tessera {

std::vector<StrategyInfo> assembly_strategies() {
  std::vector<StrategyInfo> strategies;
  for_each_strategy<AssemblyCatalogue>(
      [&](const auto& variant) { strategies.push_back(detail::info_of(variant)); });
  return strategies;
}

template <class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_assembly(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph) {
  return detail::make_by_name<AssemblyCatalogue>(
      name, [&](const auto& variant) { return detail::make_plan(exec, variant, space, graph); });
}

#define TESSERA_INSTANTIATE(Element, Space)                                                                  \
  template std::unique_ptr<AnyAssembly<Element, Space>> make_assembly(                                       \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&, const SparsityGraph<Space>&);
#define TESSERA_INSTANTIATE_ELEMENT(Element) TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, Element)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_INSTANTIATE_ELEMENT)

} // namespace tessera

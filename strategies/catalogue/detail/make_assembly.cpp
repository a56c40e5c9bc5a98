// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>
#include <tessera/strategies/catalogue/any_residual.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include <compiled_elements.hpp>

namespace tessera {

std::vector<StrategyInfo> assembly_strategies() { return catalogue::detail::infos_of<AssemblyCatalogue>(); }
std::vector<StrategyInfo> operator_strategies() { return catalogue::detail::infos_of<MatrixFreeCatalogue>(); }
std::vector<StrategyInfo> residual_strategies() { return catalogue::detail::infos_of<ResidualCatalogue>(); }

template <class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_assembly(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph) {
  return catalogue::detail::make_by_name<AssemblyCatalogue>("assembly", name, [&](const auto& variant) {
    return catalogue::detail::make_plan(exec, variant, space, graph);
  });
}

#define TESSERA_INSTANTIATE(Element, Space)                                                                  \
  template std::unique_ptr<AnyAssembly<Element, Space>> make_assembly(                                       \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&, const SparsityGraph<Space>&);
#define TESSERA_INSTANTIATE_ELEMENT(Element) TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, Element)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_INSTANTIATE_ELEMENT)

} // namespace tessera

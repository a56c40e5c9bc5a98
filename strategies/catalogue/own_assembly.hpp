// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly strategies by name at run time for an application's own forms. Compiles every strategy of the
/// catalogue for each of them where it is used, which takes long.

#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>
#include <tessera/strategies/catalogue/detail/planned_assembly.hpp>

#include <memory>
#include <string>
#include <tuple>

namespace tessera {

namespace detail {

/// A strategy that keeps half of symmetric matrices is told to keep all where a form is not.
template <class Strategy, class... Forms>
Strategy suited_to(Strategy strategy) {
  if constexpr (requires { strategy.symmetric; })
    strategy.symmetric =
        strategy.symmetric && (decltype(element_kernel(std::declval<const Forms&>()))::symmetric && ...);
  return strategy;
}

} // namespace detail

/// Plans the named strategy for a space and forms of the types `Forms`, which have default values. Strategies
/// that keep half of symmetric matrices keep all of them if a form is not symmetric.
/// \throws as `make_assembly`
template <class... Forms, class Element, class ExecutionSpace>
  requires(sizeof...(Forms) > 0)
std::unique_ptr<AnyAssembly<Element, ExecutionSpace, std::tuple<Forms...>>>
make_own_assembly(const ExecutionSpace& exec, const std::string& name,
                  const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph) {
  using Result = std::unique_ptr<AnyAssembly<Element, ExecutionSpace, std::tuple<Forms...>>>;
  return catalogue::detail::make_by_name<AssemblyCatalogue>(
      "assembly", name, [&]<class Strategy>(const Variant<Strategy>& variant) {
        using Planned =
            catalogue::detail::PlannedAssembly<Strategy, Element, ExecutionSpace, std::tuple<Forms...>>;
        return Result(std::make_unique<Planned>(exec, catalogue::detail::info_of(variant),
                                                detail::suited_to<Strategy, Forms...>(variant.strategy),
                                                space, graph));
      });
}

/// The same on the default instance.
template <class... Forms, class Element, class ExecutionSpace>
  requires(sizeof...(Forms) > 0)
std::unique_ptr<AnyAssembly<Element, ExecutionSpace, std::tuple<Forms...>>>
make_own_assembly(const std::string& name, const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph) {
  return make_own_assembly<Forms...>(default_instance<ExecutionSpace>(), name, space, graph);
}

} // namespace tessera

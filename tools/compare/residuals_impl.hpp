// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compiles all residual strategies for an element; included by one source per element.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "residuals.hpp"

namespace tessera::tools {

template <class Element, class ExecutionSpace, class Form>
std::optional<NamedResidual<ExecutionSpace>>
make_residual(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
  const auto weak = form.weak();
  using Weak = std::remove_const_t<decltype(weak)>;
  return tessera::detail::make_by_name<ResidualCatalogue>(name, [&](const auto& variant) {
    auto plan = variant.strategy.plan(exec, space);
    plan.template prepare<double>(weak);
    NamedResidual<ExecutionSpace> named{
        tessera::detail::info_of(variant), plan.report(),
        variant.strategy.template cost<Element, Weak, double>(space),
        compulsory_residual_cost<Element, Weak, double>(space),
        [plan, weak](const auto& u, const auto& r) mutable { plan.integrate(weak, u, r); }};
    return std::optional(std::move(named));
  });
}

#define TESSERA_RESIDUAL(Element, Space, Number)                                                             \
  template std::optional<NamedResidual<Space>> make_residual(                                                \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&,                                \
      const std::tuple_element_t<Number, ShippedForms<Element::dimension>>&);
#define TESSERA_RESIDUALS_ON(Element, Space) TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_RESIDUAL, Element, Space)
#define TESSERA_RESIDUALS(Element) TESSERA_FOR_EACH_SPACE(TESSERA_RESIDUALS_ON, Element)

} // namespace tessera::tools

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compiles all matrix-free strategies for an element; included by one source per element.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/flops.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "operators.hpp"

namespace tessera::tools {

template <class Element, class ExecutionSpace, class Form>
std::optional<NamedOperator<ExecutionSpace>>
make_operator(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
  return tessera::detail::make_by_name<MatrixFreeCatalogue>(name, [&](const auto& variant) {
    const auto op = variant.strategy.plan(exec, space).template prepare<double>(form);
    NamedOperator<ExecutionSpace> named{
        tessera::detail::info_of(variant), op.report(),
        variant.strategy.template cost<Element, Form, double>(space),
        compulsory_operator_cost<Element, Form, double>(space),
        [op](const ExecutionSpace& on, const auto& x, const auto& y) { op.apply(on, x, y); }};
    return std::optional(std::move(named));
  });
}

#define TESSERA_OPERATOR(Element, Space, Number)                                                             \
  template std::optional<NamedOperator<Space>> make_operator(                                                \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&,                                \
      const std::tuple_element_t<Number, ShippedForms<Element::dimension>>&);
#define TESSERA_OPERATORS_ON(Element, Space) TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_OPERATOR, Element, Space)
#define TESSERA_OPERATORS(Element) TESSERA_FOR_EACH_SPACE(TESSERA_OPERATORS_ON, Element)

} // namespace tessera::tools

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators and residuals by name: all strategies of both families; included by a generated source an
// element.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/by_name.hpp>
#include <tessera/strategies/catalogue/detail/flops.hpp>
#include <tessera/strategies/catalogue/detail/planned_operator.hpp>
#include <tessera/strategies/catalogue/detail/planned_residual.hpp>

namespace tessera::catalogue::detail {

template <class Element>
[[noreturn]] void refuse_on_device(const char* call) {
  throw UnsupportedError(std::string(call) + ": not compiled for " + Element::name +
                         " on devices; plan a strategy of the catalogue by its own header");
}

} // namespace tessera::catalogue::detail

namespace tessera {

template <class Element, class ExecutionSpace, class Form>
  requires is_shipped<Form, Element::dimension>
std::unique_ptr<AnyOperator<ExecutionSpace>>
make_operator(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
  using Result = std::unique_ptr<AnyOperator<ExecutionSpace>>;
  if constexpr (!has_any_operator<Element, ExecutionSpace>)
    catalogue::detail::refuse_on_device<Element>("make_operator");
  else
    return catalogue::detail::make_by_name<MatrixFreeCatalogue>(
        "operator", name, [&](const auto& variant) -> Result {
          auto op = variant.strategy.plan(exec, space).template prepare<double>(form);
          return std::make_unique<catalogue::detail::PlannedOperator<decltype(op)>>(
              catalogue::detail::info_of(variant),
              variant.strategy.template cost<Element, Form, double>(space),
              compulsory_operator_cost<Element, Form, double>(space), std::move(op));
        });
}

template <class Element, class ExecutionSpace, class Form>
  requires is_shipped_weak<Form, Element::dimension>
std::unique_ptr<AnyResidual<ExecutionSpace, Form>>
make_residual(const ExecutionSpace& exec, const std::string& name,
              const FunctionSpace<Element, ExecutionSpace>& space, const Form& form) {
  using Result = std::unique_ptr<AnyResidual<ExecutionSpace, Form>>;
  if constexpr (!has_any_residual<Element, ExecutionSpace>)
    catalogue::detail::refuse_on_device<Element>("make_residual");
  else
    return catalogue::detail::make_by_name<ResidualCatalogue>(
        "residual", name, [&](const auto& variant) -> Result {
          auto plan = variant.strategy.plan(exec, space);
          plan.template prepare<double>(form);
          return std::make_unique<catalogue::detail::PlannedResidual<decltype(plan), ExecutionSpace, Form>>(
              catalogue::detail::info_of(variant),
              variant.strategy.template cost<Element, Form, double>(space),
              residual::compulsory_residual_cost<Element, Form, double>(space), std::move(plan));
        });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_MATRIX_FREE_FORM(Element, Space, Number)                                                     \
  template std::unique_ptr<AnyOperator<Space>> make_operator(                                                \
      const Space&, const std::string&, const FunctionSpace<Element, Space>&,                                \
      const std::tuple_element_t<Number, ShippedForms<Element::dimension>>&);                                \
  template std::unique_ptr<                                                                                  \
      AnyResidual<Space, std::tuple_element_t<Number, ShippedWeakForms<Element::dimension>>>>                \
  make_residual(const Space&, const std::string&, const FunctionSpace<Element, Space>&,                      \
                const std::tuple_element_t<Number, ShippedWeakForms<Element::dimension>>&);
#define TESSERA_MATRIX_FREE_ON(Element, Space)                                                               \
  TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_MATRIX_FREE_FORM, Element, Space)
#define TESSERA_MATRIX_FREE(Element) TESSERA_FOR_EACH_SPACE(TESSERA_MATRIX_FREE_ON, Element)
// NOLINTEND(bugprone-macro-parentheses)

} // namespace tessera

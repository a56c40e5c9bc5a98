// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compiles the candidates of assembly::Best for forms by quadrature; included by one source per element.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include "by_quadrature.hpp"
#include "compare.hpp"
#include <algorithm>

namespace tessera::tools {

template <class Element, class ExecutionSpace, class Form>
std::vector<Result> compare_by_quadrature(const Comparison& comparison, const ByQuadrature<Form>& form,
                                          const Mesh<Element, ExecutionSpace>& mesh) {
  const ExecutionSpace exec;
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const LinearSystem<double, ExecutionSpace> system(exec, space);
  std::vector<Result> results;
  for_each_strategy<assembly::Best::Candidates<ExecutionSpace>>([&](const auto& variant) {
    if (std::ranges::find(comparison.strategies, variant.name) == comparison.strategies.end()) return;
    Result r = begin_result(variant.name, comparison, Element::name, space, system, 0.0);
    r.form += calibration_form::by_quadrature;
    measure_or_note(r, [&] {
      auto plan = variant.strategy.plan(exec, space, system.graph());
      note_plan(r, catalogue::detail::info_of(variant), plan.prepare(form));
      r.seconds_median = median(time_repeatedly(
          exec, comparison.repetitions, [&] { plan.assemble(form, system); }, comparison.seconds_limit));
    });
    results.push_back(r);
  });
  return results;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_BY_QUADRATURE(Element, Space, Number)                                                        \
  template std::vector<Result> compare_by_quadrature(                                                        \
      const Comparison&,                                                                                     \
      const ByQuadrature<std::tuple_element_t<Number, ShippedForms<Element::dimension>>>&,                   \
      const Mesh<Element, Space>&);
#define TESSERA_BY_QUADRATURE_ON(Element, Space)                                                             \
  TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_BY_QUADRATURE, Element, Space)
// NOLINTEND(bugprone-macro-parentheses)

} // namespace tessera::tools

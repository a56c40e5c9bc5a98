// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <memory>
#include <utility>

namespace tessera::catalogue::detail {

/// A plan of the catalogue, with the calls of a strategy's own.
template <class Element, class ExecutionSpace>
class NamedPlan {
public:
  explicit NamedPlan(std::unique_ptr<AnyAssembly<Element, ExecutionSpace>> plan) : plan_(std::move(plan)) {}

  const PlanReport& report() const { return plan_->report(); }
  template <class Scalar, class Form>
  void prepare(const Form& form, const AssemblyOptions& options) {
    plan_->prepare(form, Scalar(), options);
  }
  template <class Scalar, class Form>
  Cost cost(const Form& form) const {
    return plan_->cost(form, Scalar());
  }
  template <class Form, class System>
  void assemble(const Form& form, const System& system, const AssemblyOptions& options) {
    plan_->assemble(form, system, options);
  }
  template <class Form, class System>
  void enqueue(const Form& form, const System& system, const AssemblyOptions& options) const {
    plan_->enqueue(form, system, options);
  }
  template <class Form, class System>
  void check(const Form& form, const System& system) const {
    plan_->check(form, system);
  }

private:
  std::unique_ptr<AnyAssembly<Element, ExecutionSpace>> plan_;
};

} // namespace tessera::catalogue::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/catalogue/detail/flops.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>
#include <tessera/strategies/catalogue/detail/planned_assembly.hpp>

#include <type_traits>

namespace tessera::detail {

/// A candidate of `Best`, whose kernels are compiled for its own name.
template <class Element, class ExecutionSpace>
class PlanByName {
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;

public:
  template <class Strategy>
  PlanByName(const ExecutionSpace& exec, const Variant<Strategy>& variant, const Space& space,
             const Graph& graph)
      : plan_(make_plan(exec, variant, space, graph)) {}

  template <class Function>
  decltype(auto) call(const Function& function) {
    return function(*this);
  }

  const PlanReport& report() const { return plan_->report(); }
  template <class Scalar, class Form>
  void prepare(const Form& form, const AssemblyOptions& options) {
    plan_->prepare(form, Scalar(), options);
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

} // namespace tessera::detail

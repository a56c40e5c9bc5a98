// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A strategy's plan as AnyAssembly.

#include <tessera/strategies/catalogue/any_assembly.hpp>

namespace tessera::catalogue::detail {

/// Implements AnyAssembly's functions for one form and scalar by those of `Derived::plan()`.
template <class Derived, class Base, class ExecutionSpace, class Form, class Scalar>
class ImplementAssembly : public Base {
  using System = LinearSystem<Scalar, ExecutionSpace>;
  Derived& derived() { return *static_cast<Derived*>(this); }
  const Derived& derived() const { return *static_cast<const Derived*>(this); }

public:
  using Base::prepare, Base::assemble, Base::enqueue, Base::check, Base::cost;

  const PlanReport& prepare(const Form& form, Scalar, const AssemblyOptions& options) override {
    return derived().plan().template prepare<Scalar>(form, options);
  }
  void assemble(const Form& form, const System& system, const AssemblyOptions& options) override {
    derived().plan().assemble(form, system, options);
  }
  void enqueue(const Form& form, const System& system, const AssemblyOptions& options) const override {
    derived().plan().enqueue(form, system, options);
  }
  void check(const Form& form, const System& system) const override { derived().plan().check(form, system); }
  Cost cost(const Form&, Scalar) const override { return derived().template cost_of<Form, Scalar>(); }
};

/// Implements them for all forms, a class above the other.
template <class Derived, class Base, class ExecutionSpace, class Forms>
struct ImplementForms;
template <class Derived, class Base, class ExecutionSpace>
struct ImplementForms<Derived, Base, ExecutionSpace, std::tuple<>> {
  using type = Base;
};
template <class Derived, class Base, class ExecutionSpace, class Form, class... Others>
struct ImplementForms<Derived, Base, ExecutionSpace, std::tuple<Form, Others...>> {
  using Rest = typename ImplementForms<Derived, Base, ExecutionSpace, std::tuple<Others...>>::type;
  using Double = ImplementAssembly<Derived, Rest, ExecutionSpace, Form, double>;
  using type = ImplementAssembly<Derived, Double, ExecutionSpace, Form, float>;
};

/// A strategy's plan, with what its cost model needs.
template <class Strategy, class Element, class ExecutionSpace, class Forms>
class PlannedAssembly final
    : public ImplementForms<PlannedAssembly<Strategy, Element, ExecutionSpace, Forms>,
                            AnyAssembly<Element, ExecutionSpace, Forms>, ExecutionSpace, Forms>::type {
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  using Plan = decltype(std::declval<Strategy>().plan(std::declval<ExecutionSpace>(), std::declval<Space>(),
                                                      std::declval<Graph>()));

public:
  PlannedAssembly(const ExecutionSpace& exec, const StrategyInfo& info, const Strategy& strategy,
                  const Space& space, const Graph& graph)
      : info_(info), strategy_(strategy), space_(space), graph_(graph),
        plan_(strategy.plan(exec, space, graph)) {}

  const StrategyInfo& info() const override { return info_; }
  const PlanReport& report() const override { return plan_.report(); }

  Plan& plan() { return plan_; }
  const Plan& plan() const { return plan_; }
  template <class Form, class Scalar>
  Cost cost_of() const {
    return strategy_.template cost<Element, Form, Scalar>(space_, graph_);
  }

private:
  StrategyInfo info_;
  Strategy strategy_;
  Space space_;
  Graph graph_;
  Plan plan_;
};

} // namespace tessera::catalogue::detail

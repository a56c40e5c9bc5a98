#pragma once

#include <tessera/strategies/catalogue/flops.hpp>
#include <tessera/strategies/catalogue/make_plan.hpp>

namespace tessera::detail {

template <class Strategy, class Element, class ExecutionSpace>
class PlannedAssembly final : public AnyAssembly<Element, ExecutionSpace> {
  using Base = AnyAssembly<Element, ExecutionSpace>;
  using Elasticity = typename Base::Elasticity;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  using Plan = decltype(std::declval<Strategy>().plan(std::declval<Space>(), std::declval<Graph>()));

public:
  PlannedAssembly(const Variant<Strategy>& variant, const Space& space, const Graph& graph,
                  const ExecutionSpace& exec)
      : info_(info_of(variant)), strategy_(variant.strategy), space_(space), graph_(graph),
        plan_(variant.strategy.plan(space, graph, exec)) {}

  const StrategyInfo& info() const override { return info_; }
  const PlanReport& report() const override { return plan_.report(); }

  void assemble(const Helmholtz<>& form, const LinearSystem<double, ExecutionSpace>& system) const override {
    plan_.assemble(form, system);
  }
  void assemble(const Helmholtz<>& form, const LinearSystem<float, ExecutionSpace>& system) const override {
    plan_.assemble(form, system);
  }
  void assemble(const Elasticity& form, const LinearSystem<double, ExecutionSpace>& system) const override {
    plan_.assemble(form, system);
  }
  void assemble(const Elasticity& form, const LinearSystem<float, ExecutionSpace>& system) const override {
    plan_.assemble(form, system);
  }

  Cost cost(const Helmholtz<>&, double) const override { return cost_of<Helmholtz<>, double>(); }
  Cost cost(const Helmholtz<>&, float) const override { return cost_of<Helmholtz<>, float>(); }
  Cost cost(const Elasticity&, double) const override { return cost_of<Elasticity, double>(); }
  Cost cost(const Elasticity&, float) const override { return cost_of<Elasticity, float>(); }

private:
  template <class Form, class Scalar>
  Cost cost_of() const {
    return strategy_.template cost<Element, Form, Scalar>(space_, graph_);
  }

  StrategyInfo info_;
  Strategy strategy_;
  Space space_;
  Graph graph_;
  Plan plan_;
};

template <class Strategy, class Element, class ExecutionSpace>
std::unique_ptr<AnyAssembly<Element, ExecutionSpace>>
make_plan(const Variant<Strategy>& variant, const FunctionSpace<Element, ExecutionSpace>& space,
          const SparsityGraph<ExecutionSpace>& graph, const ExecutionSpace& exec) {
  return std::make_unique<PlannedAssembly<Strategy, Element, ExecutionSpace>>(variant, space, graph, exec);
}

} // namespace tessera::detail

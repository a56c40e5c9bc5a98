// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A strategy's residual plan as AnyResidual.

#include <tessera/strategies/catalogue/any_residual.hpp>

#include <utility>

namespace tessera::catalogue::detail {

template <class Plan, class ExecutionSpace, class Form>
class PlannedResidual final : public AnyResidual<ExecutionSpace, Form> {
  using Base = AnyResidual<ExecutionSpace, Form>;

public:
  using typename Base::Vector, typename Base::ConstVector;

  PlannedResidual(const StrategyInfo& info, const Cost& cost, const Cost& compulsory, Plan plan)
      : info_(info), cost_(cost), compulsory_(compulsory), plan_(std::move(plan)) {}

  const StrategyInfo& info() const override { return info_; }
  const PlanReport& report() const override { return plan_.report(); }
  Cost cost() const override { return cost_; }
  Cost compulsory_cost() const override { return compulsory_; }
  void integrate(const Form& form, const ConstVector& u, const Vector& r) override {
    plan_.integrate(form, u, r);
  }
  void enqueue(const Form& form, const ConstVector& u, const Vector& r) const override {
    plan_.enqueue(form, u, r);
  }
  void check() const override { plan_.check(); }

private:
  StrategyInfo info_;
  Cost cost_, compulsory_;
  Plan plan_;
};

} // namespace tessera::catalogue::detail

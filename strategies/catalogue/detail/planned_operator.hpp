// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A strategy's operator as AnyOperator.

#include <tessera/strategies/catalogue/any_operator.hpp>

#include <utility>

namespace tessera::catalogue::detail {

template <class Operator>
class PlannedOperator final : public AnyOperator<typename Operator::execution_space> {
  using Base = AnyOperator<typename Operator::execution_space>;
  using ExecutionSpace = typename Operator::execution_space;

public:
  using typename Base::Vector, typename Base::ConstVector;

  PlannedOperator(const StrategyInfo& info, const Cost& cost, const Cost& compulsory, Operator op)
      : info_(info), cost_(cost), compulsory_(compulsory), op_(std::move(op)) {}

  const StrategyInfo& info() const override { return info_; }
  const PlanReport& report() const override { return op_.report(); }
  Cost cost() const override { return cost_; }
  Cost compulsory_cost() const override { return compulsory_; }
  std::size_t rows() const override { return op_.rows(); }
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const override {
    op_.apply(exec, x, y);
  }
  void load(const ExecutionSpace& exec, const Vector& f) const override { op_.load(exec, f); }
  void diagonal(const ExecutionSpace& exec, const Vector& d) const override { op_.diagonal(exec, d); }

private:
  StrategyInfo info_;
  Cost cost_, compulsory_;
  Operator op_;
};

} // namespace tessera::catalogue::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/strategies/catalogue/any_operator.hpp>

#include <memory>
#include <utility>

namespace tessera::catalogue::detail {

/// An operator of the catalogue, as a copy, with the calls that a block's operator needs.
template <class ExecutionSpace, int Components>
class NamedOperator {
  using Any = AnyOperator<ExecutionSpace>;

public:
  using Scalar = typename Any::Scalar;
  using Vector = typename Any::Vector;
  using ConstVector = typename Any::ConstVector;
  static constexpr int components = Components;
  using Blocks = Kokkos::View<Scalar* [components][components], ExecutionSpace>;

  explicit NamedOperator(std::shared_ptr<const Any> op) : op_(std::move(op)) {}

  const PlanReport& report() const { return op_->report(); }
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    op_->apply(exec, x, y);
  }
  void load(const ExecutionSpace& exec, const Vector& f) const { op_->load(exec, f); }
  void diagonal(const ExecutionSpace& exec, const Vector& d) const { op_->diagonal(exec, d); }

private:
  std::shared_ptr<const Any> op_;
};

} // namespace tessera::catalogue::detail

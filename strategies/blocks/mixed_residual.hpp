// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Residuals over the blocks of a mixed mesh.

#include <tessera/core/allocate.hpp>
#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/strategies/blocks/detail/block_plans.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/residual/detail/residual_plan.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <tuple>

namespace tessera {

/// A plan of plans: one of a residual strategy for each block with elements. The first writes r and has the
/// space's natural terms; what each further one computes in a vector of this plan's is added. Its steps are
/// those of `ResidualPlan`, with a form for all blocks or one by block (`by_block`).
///
/// Of deterministic strategies the residual is bitwise equal from run to run.
template <class Space, class... Plans>
class MixedResidual {
  using ExecutionSpace = typename Space::execution_space;

public:
  /// \param make `make(space)` plans a block's space
  template <class Make>
  MixedResidual(const ExecutionSpace& exec, const Space& space, const Make& make)
      : exec_(exec),
        plans_(space, [&](const auto& block,
                          bool first) { return first ? make(block) : make(block.without_natural_terms()); }),
        report_(plans_.report()) {}

  /// Seconds and bytes of all plans and of the vectors, and the path of each block.
  const PlanReport& report() const { return report_; }

  /// \name As ResidualPlan's.
  ///@{
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form) {
    const auto call = use_.begin(name);
    prepare_within<Scalar>(form);
    return report_;
  }
  template <class Form, class U, class R>
  void integrate(const Form& form, const U& u, const R& r) {
    const auto call = use_.begin(name);
    prepare_within<typename R::non_const_value_type>(form);
    run(form, u, r);
    check_within();
  }
  /// Throws as `ResidualPlan::enqueue`; r is as it was if it is the first block with elements that refuses.
  template <class Form, class U, class R>
  void enqueue(const Form& form, const U& u, const R& r) const {
    const auto call = use_.begin(name);
    run(form, u, r);
  }
  void check() const {
    const auto call = use_.begin(name);
    check_within();
  }
  ///@}

private:
  static constexpr const char* name = "MixedResidual";

  template <class Scalar, class Form>
  void prepare_within(const Form& form) {
    plans_.for_each([&](auto& plan, const auto& mesh, bool) {
      plan.template prepare<Scalar>(detail::form_of_block(form, mesh));
    });
    auto& part = std::get<Kokkos::View<Scalar*, ExecutionSpace>>(parts_);
    if (plans_.count() > 1 && part.extent(0) == 0)
      part = allocate<Kokkos::View<Scalar*, ExecutionSpace>>(exec_, "Tessera::MixedResidual::part",
                                                             to_size(plans_.space().num_dofs()));
    report_ = plans_.report();
    std::apply([&](const auto&... view) { ((report_.bytes += view.span() * sizeof(*view.data())), ...); },
               parts_);
  }
  template <class Form, class U, class R>
  void run(const Form& form, const U& u, const R& r) const {
    using Vector = Kokkos::View<typename R::non_const_value_type*, ExecutionSpace>;
    plans_.for_each([&](const auto& plan, const auto& mesh, bool first) {
      const Vector& part = std::get<Vector>(parts_);
      plan.enqueue(detail::form_of_block(form, mesh), u, first ? Vector(r) : part);
      if (!first) detail::add_vector(exec_, Vector(r), part);
    });
  }
  void check_within() const {
    plans_.for_each([](const auto& plan, const auto&, bool) { plan.check(); });
  }

  ExecutionSpace exec_;
  blocks::detail::BlockPlans<Space, Plans...> plans_;
  /// What a further block has, before it is added.
  std::tuple<Kokkos::View<float*, ExecutionSpace>, Kokkos::View<double*, ExecutionSpace>> parts_;
  PlanReport report_;
  InUse use_;
};

namespace detail {

template <class Plan, class Element, class ExecutionSpace>
void takes_residual_plan(const residual::ResidualPlan<Plan, Element, ExecutionSpace>&);

/// A strategy whose plans on the blocks are residual plans.
template <class Strategy, class Space>
concept ResidualStrategy =
    requires(const blocks::detail::PlanOfBlock<Strategy, Space>& plan) { takes_residual_plan(plan); };

} // namespace detail

/// What a residual strategy's `plan(exec, space)` gives for a mixed space.
/// \throws what the strategy's `plan` throws for a block
template <class Strategy, class First, class... Others, class ExecutionSpace>
  requires detail::ResidualStrategy<Strategy, FunctionSpace<First, ExecutionSpace>>
auto plan_blocks(const Strategy& strategy, const ExecutionSpace& exec,
                 const MixedSpace<Blocks<First, Others...>, ExecutionSpace>& space) {
  return MixedResidual<MixedSpace<Blocks<First, Others...>, ExecutionSpace>,
                       blocks::detail::PlanOfBlock<Strategy, FunctionSpace<First, ExecutionSpace>>,
                       blocks::detail::PlanOfBlock<Strategy, FunctionSpace<Others, ExecutionSpace>>...>(
      exec, space, [&](const auto& block) { return strategy.plan(exec, block); });
}

} // namespace tessera

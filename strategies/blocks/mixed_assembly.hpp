// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly over the blocks of a mixed mesh, by a strategy's own type or by its name.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/cost.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/assembly/common/assembly_options.hpp>
#include <tessera/strategies/blocks/detail/block_plans.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/detail/named_plan.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace tessera {

/// A plan of plans: one of a strategy for each block with elements, all on one graph. The first of them
/// clears the system and has the space's natural terms, the others add to it. Its steps are those of
/// `AssemblyPlan`, with a form for all blocks or one by block (`by_block`).
///
/// Where several blocks have elements the strategy has to add; where one alone has, any strategy serves. Of
/// deterministic strategies the system is bitwise equal from run to run.
template <class Space, class... Plans>
class MixedAssembly {
  using ExecutionSpace = typename Space::execution_space;

public:
  /// \param make `make(space)` plans a block's space
  template <class Make>
  MixedAssembly(const Space& space, const Make& make)
      : plans_(space, [&](const auto& block, bool) { return make(block); }), report_(plans_.report()) {}

  /// Seconds and bytes of all plans, and the path of each block.
  const PlanReport& report() const { return report_; }

  /// \name As AssemblyPlan's.
  ///@{
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form, const AssemblyOptions& options = {}) {
    plans_.for_each([&](auto& plan, const auto& mesh, bool first) {
      plan.template prepare<Scalar>(detail::form_of_block(form, mesh), of_block(options, first));
    });
    report_ = plans_.report();
    return report_;
  }
  template <class Form, class Scalar>
  void assemble(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
                const AssemblyOptions& options = {}) {
    prepare<Scalar>(form, options);
    enqueue(form, system, options);
    check(form, system);
  }
  /// Throws as `AssemblyPlan::enqueue`; the system is as it was if it is the first block with elements that
  /// refuses.
  template <class Form, class Scalar>
  void enqueue(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
               const AssemblyOptions& options = {}) const {
    plans_.for_each([&](const auto& plan, const auto& mesh, bool first) {
      plan.enqueue(detail::form_of_block(form, mesh), system, of_block(options, first));
    });
  }
  template <class Form, class Scalar>
  void check(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    plans_.for_each([&](const auto& plan, const auto& mesh, bool) {
      plan.check(detail::form_of_block(form, mesh), system);
    });
  }
  ///@}

  /// Bytes and flops of one assembly by the cost models of all plans, which those of the catalogue have.
  template <class Scalar, class Form>
  Cost cost(const Form& form) const {
    Cost sum;
    plans_.for_each([&](const auto& plan, const auto& mesh, bool) {
      const Cost one = plan.template cost<Scalar>(detail::form_of_block(form, mesh));
      sum.bytes += one.bytes;
      sum.flops += one.flops;
    });
    return sum;
  }

private:
  static AssemblyOptions of_block(AssemblyOptions options, bool first) {
    options.add = options.add || !first;
    return options;
  }

  blocks::detail::BlockPlans<Space, Plans...> plans_;
  PlanReport report_;
};

/// What an assembly strategy's `plan(exec, space, graph)` gives for a mixed space.
/// \throws what the strategy's `plan` throws for a block; UnsupportedError naming the strategy if it writes
///   every value once and several blocks have elements
template <class Strategy, class... Elements, class ExecutionSpace>
auto plan_blocks(const Strategy& strategy, const ExecutionSpace& exec,
                 const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space,
                 const SparsityGraph<ExecutionSpace>& graph) {
  using Mixed = MixedSpace<Blocks<Elements...>, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  return MixedAssembly<
      Mixed, blocks::detail::PlanOfBlock<Strategy, FunctionSpace<Elements, ExecutionSpace>, Graph>...>(
      space, [&](const auto& block) { return strategy.plan(exec, block, graph); });
}

/// Plans the named strategy for each block of a mixed space.
/// \throws as `make_assembly` for a block's space, and as `plan_blocks`
template <class... Elements, class ExecutionSpace>
auto make_assembly(const ExecutionSpace& exec, const std::string& name,
                   const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
  return MixedAssembly<MixedSpace<Blocks<Elements...>, ExecutionSpace>,
                       catalogue::detail::NamedPlan<Elements, ExecutionSpace>...>(
      space, [&]<class Element>(const FunctionSpace<Element, ExecutionSpace>& block) {
        return catalogue::detail::NamedPlan<Element, ExecutionSpace>(make_assembly(exec, name, block, graph));
      });
}

/// The same on the default instance.
template <class List, class ExecutionSpace>
auto make_assembly(const std::string& name, const MixedSpace<List, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
  return make_assembly(default_instance<ExecutionSpace>(), name, space, graph);
}

} // namespace tessera

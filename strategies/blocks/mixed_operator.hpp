// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Operators without a matrix over the blocks of a mixed mesh.

#include <tessera/core/allocate.hpp>
#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/strategies/blocks/detail/block_plans.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/catalogue/detail/named_operator.hpp>
#include <tessera/strategies/catalogue/detail/planned_operator.hpp>
#include <tessera/strategies/common/in_use.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

/// y = K x over the equations of a mixed space: an operator for each block with elements. The first writes y
/// and has the space's natural terms; what each further one computes in a vector of this operator's is added.
/// Its calls are those of `MatrixFreeOperator`.
///
/// An operator serves one thread at a time.
template <class Space, class... Operators>
class MixedOperator {
  using First = std::tuple_element_t<0, std::tuple<Operators...>>;

public:
  using Scalar = typename First::Scalar;
  using scalar_type = Scalar;
  using execution_space = typename Space::execution_space;
  using Vector = typename First::Vector;
  using ConstVector = typename First::ConstVector;
  using Blocks = typename First::Blocks; ///< node x row x column
  static constexpr int components = First::components;

  /// \param make `make(space)` is a block's operator
  template <class Make>
  MixedOperator(const execution_space& exec, const Space& space, const Make& make)
      : operators_(space,
                   [&](const auto& block, bool first) {
                     return first ? make(block) : make(block.without_natural_terms());
                   }),
        equations_(space.equations(exec)), report_(operators_.report()) {
    if (operators_.count() < 2) return;
    part_ = allocate<Vector>(exec, "Tessera::MixedOperator::part", rows());
    report_.bytes += rows() * sizeof(Scalar);
  }

  /// Seconds and bytes of all operators and of the vector, and the path of each block.
  const PlanReport& report() const { return report_; }

  /// \name As MatrixFreeOperator's.
  ///@{
  std::size_t rows() const { return static_cast<std::size_t>(equations_.count); }
  void apply(const execution_space& exec, const ConstVector& x, const Vector& y) const {
    const auto call = use_.begin(name);
    operators_.for_each([&](const auto& op, const auto&, bool first) {
      op.apply(exec, x, first ? y : part_);
      if (!first) blocks::detail::add_block(exec, equations_, y, part_);
    });
  }
  void load(const execution_space& exec, const Vector& f) const {
    const auto call = use_.begin(name);
    operators_.for_each([&](const auto& op, const auto&, bool first) {
      op.load(exec, first ? f : part_);
      if (!first) blocks::detail::add_block(exec, equations_, f, part_);
    });
    exec.fence("Tessera::MixedOperator::load");
  }
  Blocks diagonal_blocks(const execution_space& exec) const {
    const auto call = use_.begin(name);
    Blocks sum;
    operators_.for_each([&](const auto& op, const auto&, bool first) {
      const Blocks own = op.diagonal_blocks(exec);
      if (first)
        sum = own;
      else
        Kokkos::parallel_for(
            "Tessera::MixedOperator::add_blocks",
            Kokkos::RangePolicy<execution_space>(exec, 0, static_cast<Ordinal>(sum.extent(0))),
            blocks::detail::AddFreeBlocks<execution_space, Blocks>{equations_, sum, own});
    });
    exec.fence("Tessera::MixedOperator::diagonal_blocks");
    return sum;
  }
  void diagonal(const execution_space& exec, const Vector& d) const {
    const auto call = use_.begin(name);
    operators_.for_each([&](const auto& op, const auto&, bool first) {
      op.diagonal(exec, first ? d : part_);
      if (!first) blocks::detail::add_block(exec, equations_, d, part_);
    });
    exec.fence("Tessera::MixedOperator::diagonal");
  }
  ///@}

private:
  static constexpr const char* name = "MixedOperator";

  blocks::detail::BlockPlans<Space, Operators...> operators_;
  Equations<execution_space> equations_;
  Vector part_; ///< what a further block has, before it is added
  PlanReport report_;
  InUse use_;
};

/// A plan of plans: one of a matrix-free strategy for each block with elements. Its step is that of
/// `MatrixFreePlan`, with a form for all blocks or one by block (`by_block`).
template <class Space, class... Plans>
class MixedMatrixFree;
template <class... Elements, class ExecutionSpace, class... Plans>
class MixedMatrixFree<MixedSpace<Blocks<Elements...>, ExecutionSpace>, Plans...> {
  using Space = MixedSpace<Blocks<Elements...>, ExecutionSpace>;
  template <class Plan, class Element, class Scalar, class Stored, class Form>
  using OperatorOf =
      decltype(std::declval<const Plan&>().template prepare<Scalar, Stored>(detail::form_of_block(
          std::declval<const Form&>(), std::declval<const Mesh<Element, ExecutionSpace>&>())));

public:
  /// \param make `make(space)` plans a block's space
  template <class Make>
  MixedMatrixFree(const ExecutionSpace& exec, const Space& space, const Make& make)
      : exec_(exec),
        plans_(space, [&](const auto& block,
                          bool first) { return first ? make(block) : make(block.without_natural_terms()); }),
        report_(plans_.report()) {}

  /// Seconds and bytes of all plans.
  const PlanReport& report() const { return report_; }

  /// The operator of a form. \throws as `MatrixFreePlan::prepare` for a block
  template <class Scalar = double, class Stored = Scalar, class Form>
  auto prepare(const Form& form) const {
    if constexpr ((std::is_void_v<OperatorOf<Plans, Elements, Scalar, Stored, Form>> || ...)) {
      plans_.for_each([&](const auto& plan, const auto& mesh, bool) { // throws: there is no operator
        plan.template prepare<Scalar, Stored>(detail::form_of_block(form, mesh));
      });
    } else {
      return MixedOperator<Space, OperatorOf<Plans, Elements, Scalar, Stored, Form>...>(
          exec_, plans_.space(), [&]<class Element>(const FunctionSpace<Element, ExecutionSpace>& block) {
            return plans_.template block<Element>().template prepare<Scalar, Stored>(
                detail::form_of_block(form, block.mesh()));
          });
    }
  }

private:
  ExecutionSpace exec_;
  blocks::detail::BlockPlans<Space, Plans...> plans_;
  PlanReport report_;
};

/// What a matrix-free strategy's `plan(exec, space)` gives for a mixed space.
/// \throws what the strategy's `plan` throws for a block
template <class Strategy, class First, class... Others, class ExecutionSpace>
  requires(!detail::ResidualStrategy<Strategy, FunctionSpace<First, ExecutionSpace>>)
auto plan_blocks(const Strategy& strategy, const ExecutionSpace& exec,
                 const MixedSpace<Blocks<First, Others...>, ExecutionSpace>& space) {
  return MixedMatrixFree<MixedSpace<Blocks<First, Others...>, ExecutionSpace>,
                         blocks::detail::PlanOfBlock<Strategy, FunctionSpace<First, ExecutionSpace>>,
                         blocks::detail::PlanOfBlock<Strategy, FunctionSpace<Others, ExecutionSpace>>...>(
      exec, space, [&](const auto& block) { return strategy.plan(exec, block); });
}

/// The operator of a shipped form, for all blocks or one by block, by the named strategy for each block.
/// \throws as `make_operator` for a block's space
template <class First, class... Others, class ExecutionSpace, class Form>
std::unique_ptr<AnyOperator<ExecutionSpace>>
make_operator(const ExecutionSpace& exec, const std::string& name,
              const MixedSpace<Blocks<First, Others...>, ExecutionSpace>& space, const Form& form) {
  constexpr int components =
      decltype(detail::form_of_block(form, std::declval<const Mesh<First, ExecutionSpace>&>()))::components;
  using Named = catalogue::detail::NamedOperator<ExecutionSpace, components>;
  using Op = MixedOperator<MixedSpace<Blocks<First, Others...>, ExecutionSpace>, Named,
                           std::conditional_t<true, Named, Others>...>;
  StrategyInfo info;
  Cost cost, compulsory{bytes_of(space.mesh().coordinates()) + 2.0 * space.num_dofs() * sizeof(double), 0};
  Op op(exec, space, [&](const auto& block) {
    std::shared_ptr<const AnyOperator<ExecutionSpace>> one =
        make_operator(exec, name, block, detail::form_of_block(form, block.mesh()));
    info = one->info();
    cost = {cost.bytes + one->cost().bytes, cost.flops + one->cost().flops};
    compulsory.bytes += bytes_of(block.mesh().connectivity()); // what the blocks share is read once
    compulsory.flops += one->compulsory_cost().flops;
    return Named(std::move(one));
  });
  return std::make_unique<catalogue::detail::PlannedOperator<Op>>(info, cost, compulsory, std::move(op));
}

/// The same on the default instance.
template <class List, class ExecutionSpace, class Form>
std::unique_ptr<AnyOperator<ExecutionSpace>>
make_operator(const std::string& name, const MixedSpace<List, ExecutionSpace>& space, const Form& form) {
  return make_operator(default_instance<ExecutionSpace>(), name, space, form);
}

} // namespace tessera

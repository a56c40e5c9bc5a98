// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// assembly::Best: the assembly strategy that is expected to be the fastest for a space, a form and a
/// machine.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/stored_elements.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/best/assembly_ranking.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/trial.hpp>
#include <tessera/strategies/common/variant.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::detail {

/// The plan of one of the candidates, compiled where the choice among them is.
template <class Candidates, class Element, class ExecutionSpace>
class CandidatePlan;
template <class... Strategies, class Element, class ExecutionSpace>
class CandidatePlan<std::tuple<Strategies...>, Element, ExecutionSpace> {
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  template <class Strategy>
  using PlanOf = decltype(std::declval<Strategy>().plan(std::declval<ExecutionSpace>(), std::declval<Space>(),
                                                        std::declval<Graph>()));

public:
  template <class Strategy>
  CandidatePlan(const ExecutionSpace& exec, const Variant<Strategy>& variant, const Space& space,
                const Graph& graph)
      : plan_(std::in_place_type<PlanOf<Strategy>>, variant.strategy.plan(exec, space, graph)) {}

  /// `function(plan)`
  template <class Function>
  decltype(auto) call(const Function& function) {
    return std::visit(function, plan_);
  }

private:
  std::variant<PlanOf<Strategies>...> plan_;
};

} // namespace tessera::detail

namespace TESSERA_KERNELS::assembly {

/// Takes the strategy that the times measured on this machine predict to be the fastest (`predict`), under
/// the user's wishes. The choice falls in `prepare`, for each type of form and scalar; `report()` says what
/// was taken, the prediction, and what came second.
///
/// \code
/// auto plan = tessera::assembly::Best{.deterministic = true}.plan(space, graph);
/// std::puts(plan.prepare(form).path.c_str());
/// plan.assemble(form, system);
/// \endcode
///
/// An application that uses it for its own forms compiles all candidates for them.
struct Best : WithDefaultInstance<Best> {
  using WithDefaultInstance<Best>::plan;
  static constexpr const char* name = "Best";
  static constexpr const char* source = "by times measured on the machine";

  bool deterministic = false; ///< only strategies with bitwise equal results in every run, on any backend
  double plan_bytes = ChoiceWishes().plan_bytes; ///< at most, of plan and preparation on the device
  double assemblies = ChoiceWishes().calls;      ///< expected; they share the cost of the plan
  bool measure =
      false; ///< time the first candidates on the mesh itself in `prepare`, in a system of their own
  std::shared_ptr<const Calibration> calibration =
      nullptr; ///< times to choose by; null: `machine_calibration`

  static std::vector<std::pair<std::string, Best>> variants() {
    return {{"", {}}, {"/deterministic", {.deterministic = true}}};
  }

  /// The strategies that may be taken, in the order of preference where the table knows none. On hosts
  /// `ElementAtomic` adds in a fixed order without atomics; `RowOwner` is the faster one on some meshes in a
  /// random order, as the tables show (docs/strategies.md).
  template <class ExecutionSpace>
  using Candidates = std::conditional_t<
      runs_on_host<ExecutionSpace>, std::tuple<ElementAtomic, RowOwner>,
      std::tuple<RowOwner, StoredElements, ElementAtomic, WarpPerElement, NzGlobal, Patch>>;

  /// \tparam AnyPlan  the plan of any candidate
  template <class Element, class ExecutionSpace,
            class AnyPlan =
                tessera::detail::CandidatePlan<Candidates<ExecutionSpace>, Element, ExecutionSpace>>
  class Plan;

  /// `prepare` of the plan passes over strategies that memory does not hold. It throws UnsupportedError, with
  /// the reason of each tried, if no strategy keeps to the wishes;
  /// ArgumentError for a damaged table of times; and what the strategy's own throws.
  /// \throws ArgumentError if the graph does not fit the space, or for wishes that are not positive
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// That of the strategy that comes first.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
            const SparsityGraph<ExecutionSpace>& graph) const;

  ChoiceWishes wishes() const { return {deterministic, plan_bytes, assemblies}; }
};

template <class Element, class ExecutionSpace, class AnyPlan>
class Best::Plan : private tessera::detail::AssemblyState<Element, ExecutionSpace> {
  using State = tessera::detail::AssemblyState<Element, ExecutionSpace>;
  using Ranking = tessera::detail::AssemblyRanking<Candidates<ExecutionSpace>, Element, ExecutionSpace>;

public:
  using typename State::Space, typename State::Graph;
  static constexpr const char* strategy_name = Best::name;

  Plan(const ExecutionSpace& exec, const Space& space, const Graph& graph, const Best& best)
      : State(strategy_name, exec, space, graph), best_(best), ranking_(exec, space) {
    tessera::detail::check_wishes(strategy_name, best.wishes());
    this->prepared(0);
  }

  /// Seconds and bytes of this plan and of the strategies that were taken; the path says which one the form
  /// that was prepared last takes, and why.
  const PlanReport& report() const { return this->report_; }

  /// \name As AssemblyPlan's.
  ///@{
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form, const AssemblyOptions& options = {}) {
    const auto call = this->use_.begin(strategy_name);
    prepare_within<Scalar>(form, options);
    return report();
  }
  template <class Form, class Scalar>
  void assemble(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
                const AssemblyOptions& options = {}) {
    const auto call = this->use_.begin(strategy_name);
    this->check_system(system);
    prepare_within<Scalar>(form, options);
    taken<Scalar>(form, options)->plan->call([&](auto& plan) { plan.assemble(form, system, options); });
  }
  template <class Form, class Scalar>
  void enqueue(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
               const AssemblyOptions& options = {}) const {
    const auto call = this->use_.begin(strategy_name);
    const Taken* const choice = taken<Scalar>(form, options);
    if (!choice) this->throw_unprepared();
    choice->plan->call([&](const auto& plan) { plan.enqueue(form, system, options); });
  }
  template <class Form, class Scalar>
  void check(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    const auto call = this->use_.begin(strategy_name);
    for (const bool add : {false, true})
      if (const Taken* const choice = taken<Scalar>(form, {.add = add}))
        choice->plan->call([&](const auto& plan) { plan.check(form, system); });
  }
  ///@}

private:
  /// A strategy's plan, which serves all forms that take it.
  struct Made {
    std::string strategy;
    std::shared_ptr<AnyPlan> plan;
  };
  /// What forms of a type take.
  struct Taken {
    const void* mark;
    bool add;
    std::shared_ptr<AnyPlan> plan;
    std::string why;
  };

  template <class Scalar, class Form>
  const Taken* taken(const Form& form, const AssemblyOptions& options) const {
    const void* const mark = State::template mark_of<Scalar>(tessera::detail::element_kernel(form));
    for (const Taken& choice : taken_)
      if (choice.mark == mark && choice.add == options.add) return &choice;
    return nullptr;
  }

  template <class Scalar, class Form>
  void prepare_within(const Form& form, const AssemblyOptions& options) {
    this->check_form(form);
    if (!taken<Scalar>(form, options)) choose<Scalar>(form, options);
    const Taken& choice = *taken<Scalar>(form, options);
    choice.plan->call([&](auto& plan) {
      plan.template prepare<Scalar>(form, options);
      this->report_.path = choice.why + "; " + plan.report().path;
    });
    this->report_.bytes = 0;
    this->report_.prepare_seconds = choosing_seconds_;
    for (const Made& made : made_) {
      const PlanReport report = report_of(*made.plan);
      this->report_.bytes += report.bytes;
      this->report_.prepare_seconds += report.total_seconds();
    }
  }

  static PlanReport report_of(AnyPlan& any) {
    return any.call([](const auto& plan) { return plan.report(); });
  }

  /// Takes the first strategy that keeps to the wishes, or the fastest of the first where they are timed.
  template <class Scalar, class Form>
  void choose(const Form& form, const AssemblyOptions& options) {
    Preparation preparation(strategy_name, "prepare");
    tessera::detail::Trial trial(ranking_.template order<Form, Scalar>(this->exec(), this->space(),
                                                                       this->graph(), best_.calibration,
                                                                       best_.wishes()),
                                 best_.wishes(), best_.measure);
    Made fastest;
    double made_seconds = 0;
    while (const Prediction* const next = trial.next()) try {
        const Made made = make<Scalar>(next->strategy, form, options);
        const PlanReport report = report_of(*made.plan);
        made_seconds += report.total_seconds();
        if (!trial.keeps_to(report)) continue;
        if (trial.take(best_.measure ? time<Scalar>(*made.plan, form, options) : next->seconds))
          fastest = made;
      } catch (const UnsupportedError& error) {
        trial.refuse(error.what());
      } catch (const OutOfMemoryError& error) {
        trial.refuse(error.what());
      }
    taken_.push_back({State::template mark_of<Scalar>(tessera::detail::element_kernel(form)), options.add,
                      fastest.plan, trial.why()});
    if (std::none_of(made_.begin(), made_.end(), [&](const Made& made) { return made.plan == fastest.plan; }))
      made_.push_back(fastest);
    choosing_seconds_ += std::max(0.0, preparation.finish() - made_seconds);
  }

  /// The named strategy's plan, prepared: the one that there is, or a new one.
  template <class Scalar, class Form>
  Made make(const std::string& strategy, const Form& form, const AssemblyOptions& options) const {
    Made made;
    for (const Made& there : made_)
      if (there.strategy == strategy) made = there;
    if (!made.plan)
      for_each_strategy<Candidates<ExecutionSpace>>([&]<class Strategy>(const Variant<Strategy>& variant) {
        if (variant.name == strategy)
          made = {strategy, std::make_shared<AnyPlan>(this->exec(), variant, this->space(), this->graph())};
      });
    made.plan->call([&](auto& plan) { plan.template prepare<Scalar>(form, options); });
    return made;
  }

  /// Seconds of an assembly, the least of three after one.
  template <class Scalar, class Form>
  double time(AnyPlan& any, const Form& form, const AssemblyOptions& options) const {
    const LinearSystem<Scalar, ExecutionSpace> system(this->exec(), this->graph());
    const auto seconds = time_repeatedly(
        this->exec(), 3, [&] { any.call([&](auto& plan) { plan.assemble(form, system, options); }); });
    return *std::min_element(seconds.begin(), seconds.end());
  }

  Best best_;
  Ranking ranking_;
  std::vector<Made> made_;
  std::vector<Taken> taken_;
  double choosing_seconds_ = 0; ///< without the making of plans
};

template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost Best::cost(const FunctionSpace<Element, ExecutionSpace>& space,
                const SparsityGraph<ExecutionSpace>& graph) const {
  const ExecutionSpace exec = default_instance<ExecutionSpace>();
  const auto order =
      tessera::detail::AssemblyRanking<Candidates<ExecutionSpace>, Element, ExecutionSpace>(exec, space)
          .template order<Form, Scalar>(exec, space, graph, calibration, wishes());
  Cost cost;
  for_each_strategy<Candidates<ExecutionSpace>>([&](const auto& variant) {
    if (variant.name == order.front().strategy)
      cost = variant.strategy.template cost<Element, Form, Scalar>(space, graph);
  });
  return cost;
}

} // namespace TESSERA_KERNELS::assembly

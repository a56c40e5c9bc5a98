// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The choice among the variants of one strategy: operators and residuals. It falls in `plan`, or where the
/// first form is prepared if variants are to be timed.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/machine.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>
#include <tessera/strategies/best/trial.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/variant.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The plan of the variant that was chosen, or those of several until a form has timed them.
template <class Plan, class ExecutionSpace>
class PlannedVariants {
public:
  /// \param timed whether the choice has fallen; the first plan is that of the choice then
  PlannedVariants(const char* who, const ExecutionSpace& exec, const ChoiceWishes& wishes, bool timed)
      : who_(who), exec_(exec), wishes_(wishes), timed_(timed) {}

  void add(const Prediction& prediction, Plan plan) {
    order_.push_back(prediction);
    plans_.push_back(std::move(plan));
  }
  void note(std::string why) { why_ = std::move(why); }

  /// The plan that is taken, or the first one. \throws ArgumentError if it was moved from, or another
  /// thread's choice has not fallen
  const Plan& taken() const {
    const auto call = use_.begin(who_);
    return plans_.front();
  }
  const std::string& why() const { return why_; }

  /// Lets the choice fall where it has not: takes the plan whose call is the fastest and gives up the others.
  /// \param call_of `call_of(plan)` prepares it and returns a function without arguments, the call
  /// \return whether the choice has fallen now
  /// \throws as `taken`; UnsupportedError, with the reason of each, if none can be prepared
  template <class CallOf>
  bool settle(const CallOf& call_of) {
    const auto call = use_.begin(who_);
    if (timed_) return false;
    Trial trial(order_, wishes_, true);
    std::optional<Plan> fastest;
    for (std::size_t next = 0; trial.next(); ++next) try {
        const auto seconds = time_repeatedly(exec_, 3, call_of(plans_[next]));
        if (trial.take(*std::min_element(seconds.begin(), seconds.end()))) fastest = plans_[next];
      } catch (const UnsupportedError& error) {
        trial.refuse(error.what());
      }
    plans_ = {*fastest};
    why_ = trial.why();
    timed_ = true;
    return true;
  }

private:
  const char* who_;
  ExecutionSpace exec_;
  ChoiceWishes wishes_;
  bool timed_;
  std::vector<Prediction> order_; ///< of `plans_`
  std::vector<Plan> plans_;
  std::string why_ = "to be timed with the first form that is prepared";
  InUse use_;
};

/// A problem of any form with the space's components. Its elements may be integrated in the shortest way.
template <class Element, class ExecutionSpace>
ChoiceProblem choice_problem(const char* family, const ExecutionSpace& exec,
                             const FunctionSpace<Element, ExecutionSpace>& space) {
  return {.family = family,
          .element = Element::name,
          .scalar = "double",
          .components = space.components(),
          .elements = static_cast<double>(space.mesh().num_elements()),
          .mesh = mesh_features(exec, space.mesh())};
}

/// The variants of a strategy in the order in which they are to be tried.
template <class Strategy, class Element, class ExecutionSpace, class Best>
std::vector<Prediction> order_of_variants(const char* family, const ExecutionSpace& exec,
                                          const FunctionSpace<Element, ExecutionSpace>& space,
                                          const Best& best, const ChoiceWishes& wishes) {
  check_wishes(Best::name, wishes);
  std::vector<ChoiceCandidate> candidates;
  for (const auto& variant : variants_of<Strategy>())
    // On hosts what elements share is added in a fixed order by all.
    candidates.push_back(
        {variant.name, runs_on_host<ExecutionSpace> || is_deterministic(variant.strategy), {}});
  const auto table = best.calibration ? best.calibration : machine_calibration(exec);
  return order_of_trial(*table, choice_problem(family, exec, space), candidates, wishes);
}

template <class Strategy>
Strategy variant_named(const std::string& name) {
  for (const auto& variant : variants_of<Strategy>())
    if (variant.name == name) return variant.strategy;
  throw ArgumentError("Best: there is no " + name);
}

/// The variant that comes first.
template <class Strategy, class Element, class ExecutionSpace, class Best>
Strategy first_variant(const char* family, const ExecutionSpace& exec,
                       const FunctionSpace<Element, ExecutionSpace>& space, const Best& best,
                       const ChoiceWishes& wishes) {
  return variant_named<Strategy>(
      order_of_variants<Strategy>(family, exec, space, best, wishes).front().strategy);
}

/// The plan of the first variant that keeps to the wishes, or those of the first three where they are to be
/// timed.
template <class Strategy, class Element, class ExecutionSpace, class Best>
auto plan_variants(const char* family, const ExecutionSpace& exec,
                   const FunctionSpace<Element, ExecutionSpace>& space, const Best& best,
                   const ChoiceWishes& wishes) {
  Preparation preparation(Best::name, "plan");
  Trial trial(order_of_variants<Strategy>(family, exec, space, best, wishes), wishes, best.measure);
  using Plan = typename Strategy::template Plan<Element, ExecutionSpace>;
  PlannedVariants<Plan, ExecutionSpace> planned(Best::name, exec, wishes, !best.measure);
  while (const Prediction* const next = trial.next()) try {
      Plan plan = variant_named<Strategy>(next->strategy).plan(exec, space);
      if (!trial.keeps_to(plan.report())) continue;
      trial.take(next->seconds);
      planned.add(*next, std::move(plan));
    } catch (const UnsupportedError& error) {
      trial.refuse(error.what());
    }
  if (!best.measure) planned.note(trial.why());
  preparation.finish();
  return planned;
}

} // namespace tessera::detail

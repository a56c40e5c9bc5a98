#pragma once

/// \file
/// The choice among the variants of one strategy, which falls in `plan`: operators and residuals.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>
#include <tessera/strategies/best/trial.hpp>
#include <tessera/strategies/catalogue/variant.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// A strategy's plan that was chosen among others.
template <class Plan>
class ChosenPlan : public Plan {
public:
  ChosenPlan(Plan plan, std::string choice) : Plan(std::move(plan)), choice_(std::move(choice)) {}

  /// What was taken, the prediction, and what came second, in a line.
  const std::string& choice() const { return choice_; }

private:
  std::string choice_;
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
    candidates.push_back({variant.name, is_deterministic(variant.strategy), {}});
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

/// The plan of the first variant that keeps to the wishes.
template <class Strategy, class Plan, class Element, class ExecutionSpace, class Best>
Plan choose_plan(const char* family, const ExecutionSpace& exec,
                 const FunctionSpace<Element, ExecutionSpace>& space, const Best& best,
                 const ChoiceWishes& wishes) {
  Preparation preparation(Best::name, "plan");
  Trial trial(order_of_variants<Strategy>(family, exec, space, best, wishes), wishes, false);
  while (const Prediction* const next = trial.next()) try {
      auto plan = variant_named<Strategy>(next->strategy).plan(exec, space);
      if (!trial.keeps_to(plan.report())) continue;
      trial.take(next->seconds);
      preparation.finish();
      return Plan(std::move(plan), trial.why());
    } catch (const UnsupportedError& error) {
      trial.refuse(error.what());
    }
  throw UnsupportedError("Best: no variant keeps to the wishes"); // Trial::next has thrown
}

} // namespace tessera::detail

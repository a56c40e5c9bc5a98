#pragma once

/// \file
/// residual::Best: the residual strategy that is expected to be the fastest for a space and a machine.

#include <tessera/strategies/best/planned_choice.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::residual {

/// Takes the variant of `RecomputingResidual` that the times measured on this machine predict to be the
/// fastest
/// (`predict`), under the user's wishes: how the results of elements are added. The choice rests on the mesh
/// and the number of components and falls in `plan`, whose `choice()` says what was taken and what came
/// second.
struct Best : WithDefaultInstance<Best> {
  using WithDefaultInstance<Best>::plan;
  static constexpr const char* name = "Best";
  static constexpr const char* source = "by times measured on the machine";

  bool deterministic = false; ///< only variants with bitwise equal results in every run, on any backend
  double plan_bytes = ChoiceWishes().plan_bytes; ///< at most, of the plan on the device
  double integrations = ChoiceWishes().calls;    ///< expected; they share the cost of the plan
  std::shared_ptr<const Calibration> calibration =
      nullptr; ///< times to choose by; null: `machine_calibration`

  static std::vector<std::pair<std::string, Best>> variants() {
    return {{"", {}}, {"/deterministic", {.deterministic = true}}};
  }

  template <class Element, class ExecutionSpace>
  using Plan = tessera::detail::ChosenPlan<RecomputingResidual::Plan<Element, ExecutionSpace>>;

  /// \throws ArgumentError for wishes that are not positive, or a damaged table of times; UnsupportedError if
  /// no
  ///   variant keeps to the wishes; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return tessera::detail::choose_plan<RecomputingResidual, Plan<Element, ExecutionSpace>>(
        "residual", exec, space, *this, wishes());
  }

  /// That of the variant that comes first.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    return tessera::detail::first_variant<RecomputingResidual>("residual", default_instance<ExecutionSpace>(),
                                                               space, *this, wishes())
        .template cost<Element, Form, Scalar>(space);
  }

  ChoiceWishes wishes() const { return {deterministic, plan_bytes, integrations}; }
};

} // namespace tessera::residual

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// residual::Best: the residual strategy that is expected to be the fastest for a space and a machine.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/planned_choice.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace TESSERA_KERNELS::residual {

/// Takes the variant of `RecomputingResidual` that the times measured on this machine predict to be the
/// fastest (`predict`), under the user's wishes: how the results of elements are added. The choice rests on
/// the mesh and the number of components and falls in `plan`, whose `choice()` says what was taken and what
/// came second. With `measure` it falls where the first form is prepared, with that form and scalar: before,
/// there is no residual to time.
struct Best : WithDefaultInstance<Best> {
  using WithDefaultInstance<Best>::plan;
  static constexpr const char* name = "Best";
  static constexpr const char* source = "by times measured on the machine";

  bool deterministic = false; ///< only variants with bitwise equal results in every run, on any backend
  double plan_bytes = ChoiceWishes().plan_bytes; ///< at most, of the plan on the device
  double integrations = ChoiceWishes().calls;    ///< expected; they share the cost of the plan
  bool measure = false; ///< plan the first candidates and time them with the first form that is prepared
  std::shared_ptr<const Calibration> calibration =
      nullptr; ///< times to choose by; null: `machine_calibration`

  static std::vector<std::pair<std::string, Best>> variants() {
    return {{"", {}}, {"/deterministic", {.deterministic = true}}};
  }

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError for wishes that are not positive, or a damaged table of times; UnsupportedError if
  /// no
  ///   variant keeps to the wishes; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return Plan<Element, ExecutionSpace>(
        tessera::detail::plan_variants<RecomputingResidual>("residual", exec, space, *this, wishes()));
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

/// The plan of the variant that is taken; of the first one until the choice has fallen.
template <class Element, class ExecutionSpace>
class Best::Plan : public RecomputingResidual::Plan<Element, ExecutionSpace> {
  using Taken = RecomputingResidual::Plan<Element, ExecutionSpace>;

public:
  explicit Plan(tessera::detail::PlannedVariants<Taken, ExecutionSpace> variants)
      : Taken(variants.taken()), variants_(std::move(variants)) {}

  /// What was taken, the prediction or its time, and what came second, in a line.
  const std::string& choice() const { return variants_.why(); }

  /// \name As ResidualPlan's.
  ///@{
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form) {
    settle<Scalar>(form);
    return Taken::template prepare<Scalar>(form);
  }
  template <class Form, class U, class R>
  void integrate(const Form& form, const U& u, const R& r) {
    settle<typename R::non_const_value_type>(form);
    Taken::integrate(form, u, r);
  }
  ///@}

private:
  /// Waits; a failure is forgotten.
  static bool all_had_residuals(const Taken& plan) {
    try {
      plan.check();
    } catch (const FormError&) {
      return false;
    }
    return true;
  }

  /// Lets the choice fall, by residuals of zero: nobody has given a state yet.
  template <class Scalar, class Form>
  void settle(const Form& form) {
    const bool fell = variants_.settle([&](Taken plan) {
      plan.template prepare<Scalar>(form);
      using Vector = Kokkos::View<Scalar*, ExecutionSpace>;
      const auto u = allocate<Vector>(this->exec(), "Tessera::Best::u", this->space().num_dofs()),
                 r = allocate<Vector>(this->exec(), "Tessera::Best::r", this->space().num_dofs());
      Kokkos::deep_copy(this->exec(), u, Scalar(0));
      return [plan, form, u, r] {
        plan.enqueue(form, u, r);
        all_had_residuals(plan); // or not: a form may have none at zeros, and takes as long
      };
    });
    if (fell) static_cast<Taken&>(*this) = variants_.taken();
  }

  tessera::detail::PlannedVariants<Taken, ExecutionSpace> variants_; ///< one, once the choice has fallen
};

} // namespace TESSERA_KERNELS::residual
